import Glibc

/// What happens more than once: a house has to get it right the second time, too.
extension HouseTable {
    private static let tags = 12

    // MARK: Absences of new tags

    /// Three absences of new tags at a new gateway, with some minutes at home before each.
    func printAgain(_ bars: inout Bars) async {
        Swift.print(
            "\nNew tags at a new gateway, 90 % received; 12 houses of 12 tags a run, carried away three times in the first hour."
        )
        Swift.print("Reported of all: first, second, third absence.\n")
        Swift.print("T/s   away/s  metres    first   second    third < bar")
        let rows: [(interval: Double, away: Double, metres: Double)] = [1.0, 5].flatMap { interval in
            [420.0, 180].flatMap { away in [45.0, 0].map { (interval, away, $0) } }
        }
        let shares = await concurrently(rows) { row in
            var reported = [0.0, 0, 0]
            for seed in seeds {
                for number in 0..<UInt64(12) {
                    let seed = seed &* 1_000_003 &+ 700 &+ number
                    let plans = leaving(row.away, every: row.interval, metres: row.metres, seed: seed)
                    let house = MonitoredHouse(plans, days: 2.0 / 24, strangers: 1, seed: seed)
                    var seen: Set<[Int]> = []
                    for exit in house.exits {
                        let left = exit.delay.map { exit.at - $0 }
                        let place = plans[exit.tag].absences.firstIndex { $0.lowerBound == left }
                        guard let place, exit.at <= plans[exit.tag].absences[place].upperBound,
                            seen.insert([exit.tag, place]).inserted
                        else { continue }
                        reported[place] += 1
                    }
                }
            }
            return reported.map { $0 / runs / 12 / Double(Self.tags) }
        }
        for (row, shares) in zip(rows, shares) {
            Swift.print(
                number(row.interval, 0, 3), number(row.away, 0, 8), number(row.metres, 0, 8),
                shares.map { number($0, 3, 8) }.joined(separator: " "))
        }
    }

    private func leaving(_ away: Double, every interval: Double, metres: Double, seed: UInt64) -> [HouseTag.Plan] {
        var random = Random(seed: seed)
        return (0..<Self.tags).map { _ in
            var time = 0.0
            let absences = (0..<3).map { _ in
                time += 300 + 600 * random.unit()
                defer { time += away }
                return time...time + away
            }
            return HouseTag.Plan(sending: .every(interval), reception: 0.9, absences: absences, metres: metres)
        }
    }

    // MARK: Interference

    /// Interference six times, three hours apart, and nobody leaves.
    func printInterferenceAgain(_ bars: inout Bars) async {
        Swift.print(
            "\nAll tags silent for 30 to 60 s six times, three hours apart; 0.5 strangers/s; 16 houses of 9 tags a run. Nobody leaves.\n"
        )
        Swift.print("exits of all tags, by the number of the interference")
        let counts = await concurrently(seeds) { seed in
            var exits = [Double](repeating: 0, count: 6)
            for number in 0..<UInt64(16) {
                var random = Random(seed: seed &* 1_000_003 &+ 800 &+ number)
                let outages = (1...6).map { time in
                    let start = Double(time) * 10_800 + 600 * random.unit()
                    return start...start + 30 + 30 * random.unit()
                }
                let plans = (0..<9).map { tag in
                    HouseTag.Plan(sending: .every([1, 1, 2][tag % 3]), reception: [0.6, 0.75, 0.9][tag % 3])
                }
                let house = MonitoredHouse(
                    plans, days: 20.0 / 24, strangers: 0.5, interference: outages,
                    seed: seed &* 1_000_003 &+ 900 &+ number)
                for exit in house.exits {
                    if let place = outages.lastIndex(where: { $0.lowerBound <= exit.at }) { exits[place] += 1 }
                }
            }
            return exits
        }
        let all = counts.reduce([0.0, 0, 0, 0, 0, 0]) { zip($0, $1).map(+) }
        Swift.print(
            all.map { number($0, 0, 6) }.joined(),
            bars.figure(
                all.reduce(0, +) / (runs * 16 * 9 * 6), below: 0.005, of: "interference again: exits", decimals: 3))
    }

    // MARK: Neighbours

    /// Good tags beside lossy ones, and houses with three lossy tags only.
    func printNeighbours(_ bars: inout Bars) async {
        let loss = HouseTag.Loss(every: 7110, lasting: 90, isExponential: true)
        Swift.print(
            "\nGood tags (1 s, 90 %) beside lossy ones (nothing arrives for 90 s every 2 h, exponential), 40 together.")
        Swift.print("Exit after, median, of the good ones that leave in hours 3 to 6, 6 to 12, 12 to 24, 24 to 36.\n")
        Swift.print("lossy     3-6    6-12   12-24   24-36 < bar")
        let houses = await concurrently([0, 2, 4, 6, 10]) { lossy in
            each { seed in
                MonitoredHouse(
                    (0..<40).map { tag in
                        var random = Random(seed: seed &+ UInt64(tag))
                        let leaves = [3.0, 6, 12, 24].map { 3600 * ($0 + 2.4 * random.unit()) }
                        return HouseTag.Plan(
                            sending: .every(1), reception: 0.9, losses: tag < lossy ? [loss] : [],
                            absences: tag < lossy ? [] : leaves.map { $0...$0 + 1800 })
                    }, days: 1.5, strangers: 1, seed: seed + 8)
            }
        }
        for (lossy, house) in zip([0, 2, 4, 6, 10], houses) {
            let medians = zip([3.0, 6, 12, 24], [6.0, 12, 24, 36]).map { from, to in
                let delays = house.exits.filter { $0.tag >= lossy && $0.at >= from * 3600 && $0.at < to * 3600 }
                return ExitStudy.quantile(0.5, of: delays.compactMap(\.delay).sorted())
            }
            Swift.print(
                number(Double(lossy), 0, 5), medians.dropLast().map { number($0, 0, 7) }.joined(),
                bars.figure(medians.last!, below: 20, of: "beside \(lossy) lossy tags: delay", decimals: 0, width: 7))
        }
        Swift.print("\nHouses with three tags: false exits a day on days 2 and 3, 16 houses a run.\n")
        Swift.print("T/s   90 s of 2 h < bar   45 s of 30 min")
        let kinds = [loss, HouseTag.Loss(every: 1755, lasting: 45, isExponential: true)]
        for interval in [1.0, 5] {
            let rates = await concurrently(kinds) { loss in
                (0..<16).reduce(0.0) { sum, number in
                    sum
                        + each { seed in
                            MonitoredHouse(
                                (0..<3).map { _ in
                                    HouseTag.Plan(sending: .every(interval), reception: 0.9, losses: [loss])
                                }, days: 3, strangers: 1, seed: seed + 1000 + UInt64(number))
                        }.falseExits(from: 24, to: 72)
                } / (runs * 16 * 3 * 2)
            }
            Swift.print(
                number(interval, 0, 3),
                bars.figure(rates[0], below: 0.05, of: "three tags, \(interval) s: false exits", decimals: 3, width: 8),
                number(rates[1], 3, 10))
        }
    }
}
