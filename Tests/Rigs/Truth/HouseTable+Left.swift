import Glibc

/// When an item leaves a house with several gateways: how often falsely, and how late.
extension HouseTable {
    /// A kind of tag and house.
    private struct Family: Sendable {
        var name: String
        var interval = 1.0
        /// Which part arrives at each of five gateways.
        var receptions = [0.9, 0.6, 0.3, 0.6, 0.3]
        /// Losses at each gateway by itself.
        var losses: [HouseTag.Loss] = []
        /// Losses at all gateways at once: so many a day, and how long on average.
        var covered: (perDay: Double, lasting: Double)?
        /// How often a day a tag is carried to another gateway. The gateways then trade their receptions, and lose it at the far end.
        var moves = 0.0
        /// Whether it is carried into the cellar instead, where only the third gateway receives some of it, and back.
        var hasCellar = false
        /// At how many gateways everything is lost for 30 to 60 s, each five hours.
        var disturbed = 0
    }

    private static let body = HouseTag.Loss(every: 1740, lasting: 60, isExponential: true, share: 0.85)

    private static let families = [
        Family(name: "1 s"),
        Family(name: "1 s, weak", receptions: [0.3, 0.3, 0.3, 0.3, 0.3]),
        Family(name: "1 s, bodies", losses: [body]),
        Family(name: "1 s, covered 20 s", covered: (144, 20)),
        Family(name: "1 s, covered 60 s", covered: (24, 60)),
        Family(name: "1 s, carried", moves: 20),
        Family(name: "1 s, cellar", moves: 20, hasCellar: true),
        Family(name: "1 s, interference", disturbed: 5),
        Family(name: "1 s, int. at one", disturbed: 1),
        Family(name: "5 s", interval: 5),
        Family(name: "5 s, bodies", interval: 5, losses: [body]),
        Family(name: "5 s, covered 60 s", interval: 5, covered: (24, 60)),
        Family(name: "5 s, carried", interval: 5, moves: 20),
        Family(name: "5 s, cellar", interval: 5, moves: 20, hasCellar: true),
        Family(name: "5 s, interference", interval: 5, disturbed: 5),
    ]

    private static let days = 3.0
    private static let tags = 8

    /// False `left` and the delay of `left` at 1, 3 and 5 gateways, by the exits of all gateways and with their silences.
    func printLeft(_ bars: inout Bars) async {
        Swift.print(
            "\n`left` of an item: \(Self.tags) tags, \(Int(Self.days)) days, three absences of 30 min a day; each row from the third hour on."
        )
        Swift.print(
            "By exits: once all gateways have exited it. With silences: once one has, and it is silent at the others.\n"
        )
        Swift.print(
            "family             gateways   messages   by exits: false/day  median    p90   with silences: false/day  +-      < bar    median    p90  not left"
        )
        for (number, family) in Self.families.enumerated() {
            let runs = await concurrently(seeds) { seed in
                sites(family, seed: seed &* 1_000_003 &+ UInt64(number) &* 7_919)
            }
            for (number, gateways) in [1, 3, 5].enumerated() {
                printLeft(family, gateways, runs.map { $0[number] }, &bars)
            }
        }
    }

    private func printLeft(
        _ family: Family, _ gateways: Int, _ runs: [(exits: MonitoredSite, silences: MonitoredSite)], _ bars: inout Bars
    ) {
        let itemDays = Double(runs.count * Self.tags) * (Self.days - MonitoredSite.learning / 86_400)
        func rate(_ sites: [MonitoredSite]) -> Double { Double(sites.map(\.falseLefts).reduce(0, +)) / itemDays }
        let (exits, silences) = (runs.map(\.exits), runs.map(\.silences))
        let former = exits.flatMap(\.delays).sorted()
        let delays = silences.flatMap(\.delays).sorted()
        let departures = silences.map(\.departures).reduce(0, +)
        // One gateway alone loses an item that is carried out of its range.
        let falseLefts =
            family.moves > 0 && gateways == 1
            ? number(rate(silences), 3, 8) + Column.left("", width: 9)
            : bars.figure(
                rate(silences), below: 0.05, of: "left, \(family.name), \(gateways) gateways: false", decimals: 3,
                width: 8)
        Swift.print(
            Column.left(family.name, width: 19), number(Double(gateways), 0, 7),
            number(Double(silences.map(\.messages).reduce(0, +)) / itemDays / Double(gateways), 1, 8),
            number(rate(exits), 3, 20),
            number(ExitStudy.quantile(0.5, of: former), 0, 7), number(ExitStudy.quantile(0.9, of: former), 0, 6),
            number((max(1, rate(silences) * itemDays)).squareRoot() / itemDays, 3, 25),
            falseLefts,
            number(ExitStudy.quantile(0.5, of: delays), 0, 7), number(ExitStudy.quantile(0.9, of: delays), 0, 6),
            number(Double(departures - delays.count), 0, 7))
        fflush(nil)
    }

    /// One house, with its first gateway, its first three and all five.
    private func sites(_ family: Family, seed: UInt64) -> [(exits: MonitoredSite, silences: MonitoredSite)] {
        var random = Random(seed: seed)
        let end = Self.days * 86_400
        let interference = (0..<(family.disturbed > 0 ? 13 : 0)).map { number in
            let start = Double(number + 1) * 5 * 3600 + 600
            return start...start + random.uniform(in: 30...60)
        }
        let absences = (0..<Self.tags).map {
            self.absences(3, lasting: 1800, after: 3, days: Self.days, seed: seed &+ UInt64($0))
        }
        let covered = (0..<Self.tags).map { _ in
            family.covered.map { times($0.perDay, lasting: $0.lasting, until: end, &random) } ?? []
        }
        let rooms = (0..<Self.tags).map { _ in
            family.moves > 0
                ? times(family.moves, lasting: 0, until: end, &random).map {
                    (at: $0.lowerBound, room: Int(random.unit() * 4.999))
                } : []
        }
        let houses = family.receptions.indices.map { gateway in
            let plans = (0..<Self.tags).map { tag in
                HouseTag.Plan(
                    sending: .every(family.interval), reception: family.receptions[gateway], losses: family.losses,
                    moves: rooms[tag].enumerated().map { number, move in
                        if family.hasCellar, number % 2 == 0 { return (move.at, gateway == 2 ? 0.3 : 0, -65) }
                        if family.hasCellar { return (move.at, family.receptions[gateway], -65) }
                        let steps = (gateway + move.room) % family.receptions.count
                        return (move.at, steps == 4 ? 0 : family.receptions[steps], -65)
                    }, covered: covered[tag], absences: absences[tag])
            }
            return MonitoredHouse(
                plans, days: Self.days, strangers: 0.5, interference: gateway < family.disturbed ? interference : [],
                isReported: true,
                seed: seed &+ 31 &* UInt64(gateway))
        }
        return [1, 3, 5].map { gateways in
            func site(_ usesSilences: Bool) -> MonitoredSite {
                MonitoredSite(houses.prefix(gateways), absences: absences, usesSilences: usesSilences)
            }
            return (site(false), site(true))
        }
    }

    /// Times that come by chance, so many a day, and last exponentially.
    private func times(
        _ perDay: Double, lasting: Double, until end: Double, _ random: inout Random
    ) -> [ClosedRange<Double>] {
        var times: [ClosedRange<Double>] = []
        var time = 0.0
        while true {
            time += random.exponential(mean: 86_400 / perDay)
            let length = lasting > 0 ? random.exponential(mean: lasting) : 0
            guard time < end else { return times }
            times.append(time...time + length)
            time += length
        }
    }
}
