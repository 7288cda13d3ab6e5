import Glibc

/// What silences of tags that sleep are taken for: a rest or a departure.
enum SleepTable {
    private static let tags = 100
    private static let days = 4

    /// Prints the rates over tags whose seeds begin with `first`.
    static func print(first: UInt64, bars: inout Bars) async {
        Swift.print(
            "\nTags that advertise only while they move, and some seconds after: 14 rests and 2 departures a day, \(tags) flats of \(days) days."
        )
        Swift.print("Any other rule reports `left` at each rest.\n")
        Swift.print("T/s   awake/s   gateways   false left a day < bar   departures missed < bar")
        let kinds =
            [1.0, 2, 5].flatMap { interval in
                [10.0, 60].map { SleepStudy.Kind(interval: interval, awake: $0) }
            } + [SleepStudy.Kind(interval: 1, awake: 10, gateways: 2)]
        let rows = await concurrently(kinds) { kind in
            (0..<UInt64(tags)).map { SleepStudy(kind, days: days, seed: first &* 1000 &+ $0) }
        }
        for (kind, studies) in zip(kinds, rows) {
            let name = "sleeping tags, T = \(kind.interval), \(Int(kind.awake)) s, \(kind.gateways) gateways:"
            let falseLeft = studies.reduce(0) { $0 + $1.falseLeft } / Double(tags * days)
            let missed = studies.reduce(0) { $0 + $1.missed } / studies.reduce(0) { $0 + $1.departures }
            Swift.print(
                Column.number(kind.interval, width: 3), Column.number(kind.awake, decimals: 0, width: 9),
                Column.number(Double(kind.gateways), decimals: 0, width: 10),
                bars.figure(
                    falseLeft, below: kind.gateways > 2 ? 0.3 : 0.6, of: name + " false left", decimals: 3, width: 12),
                bars.figure(missed, below: kind.interval > 2 ? 0.75 : 0.5, of: name + " missed", decimals: 3, width: 14)
            )
        }
        fflush(nil)
    }
}
