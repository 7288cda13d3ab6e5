import Glibc

extension HouseTable {
    /// What happens to all tags of a house at one time.
    private enum Stop {
        case interference(seconds: Double)
        /// The tags leave one after the other within these seconds, and their RSSI falls for so long before.
        case departure(within: Double, fading: Double)
    }

    private static let stops: [(name: String, stop: Stop)] = [
        ("interference", .interference(seconds: 120)), ("in 20 s", .departure(within: 20, fading: 0)),
        ("in 10 s", .departure(within: 10, fading: 0)), ("in 5 s", .departure(within: 5, fading: 0)),
        ("at once", .departure(within: 0, fading: 0)), ("at once, fading", .departure(within: 0, fading: 8)),
    ]

    /// Few tags without strangers: interference of 2 min, and departures together.
    func printStops(_ bars: inout Bars) async {
        Swift.print(
            "\nTags of 0.5 to 2 s (60 to 90 %) without strangers, after 4 h; 40 houses a run. Interference of 2 min: exits of each tag."
        )
        Swift.print("Departures within so many seconds: the share of exits later than 60 s, of all after 5 min.\n")
        let columns = Self.stops.map { Column.right($0.name, width: 22) }.joined()
        Swift.print("tags" + columns)
        let start = 14_400.0
        let rows = [2, 3, 4, 5, 6, 8, 12, 20]
        let shares = await concurrently(rows) { count in
            Self.stops.map { _, stop in
                let perHouse = (0..<40).flatMap { number in
                    seeds.map { seed -> Double in
                        let house = MonitoredHouse(
                            stopping(stop, count, at: start, seed: seed &* 40 &+ UInt64(number)),
                            days: (start + 400) / 86_400,
                            interference: interference(stop, at: start),
                            seed: (seed &* 40 &+ UInt64(number)) &* 1_000_003 &+ 7)
                        if case .interference = stop {
                            return Double(house.exits.count { $0.at >= start }) / Double(count)
                        }
                        let late = house.delays(from: 4).count { $0 > 60 }
                        return Double(late) / Double(count)
                    }
                }
                let mean = perHouse.reduce(0, +) / Double(perHouse.count)
                let variance =
                    perHouse.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(1, perHouse.count - 1))
                return (mean: mean, error: (variance / Double(perHouse.count)).squareRoot())
            }
        }
        for (count, figures) in zip(rows, shares) {
            let line = figures.map {
                Column.right(
                    Column.number($0.mean, decimals: 3, width: 0) + " ± "
                        + Column.number($0.error, decimals: 3, width: 0),
                    width: 22)
            }
            Swift.print(Column.number(Double(count), decimals: 0, width: 4) + line.joined())
            if count >= 5 {
                _ = bars.figure(figures[0].mean, below: 0.1, of: "stop, \(count) tags: interference", decimals: 2)
            }
        }
    }

    private func interference(_ stop: Stop, at start: Double) -> [ClosedRange<Double>] {
        if case .interference(let seconds) = stop { [start...start + seconds] } else { [] }
    }

    private func stopping(_ stop: Stop, _ count: Int, at start: Double, seed: UInt64) -> [HouseTag.Plan] {
        var random = Random(seed: seed)
        return (0..<count).map { tag in
            var plan = HouseTag.Plan(
                sending: .every([1, 0.5, 2, 1][tag % 4]), reception: [0.6, 0.75, 0.9][tag % 3])
            if case .departure(let within, let fading) = stop {
                let from = start + within * random.unit()
                plan.absences = [from...from + 3000]
                plan.fading = fading
            }
            return plan
        }
    }
}
