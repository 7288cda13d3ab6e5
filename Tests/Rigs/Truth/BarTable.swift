import Glibc

/// What is learned in harder scenes, beside the bars that an earlier study set: the rate's 95 % bound, and delay in proportion to the least.
enum BarTable {
    private struct Row {
        var name: String
        var intervals = [0.1, 1, 5]
        var troubles: [Scene.Trouble] = []
        var drift: Scene.Drift?
        var absences = 0.0
        var bar: (rate: Double, median: Double, p99: Double)

        var scenes: [Scene] {
            intervals.flatMap { interval in
                [0.3, 0.6, 0.9].map {
                    Scene(
                        name: name, interval: interval, reception: $0, troubles: troubles, drift: drift,
                        absences: absences)
                }
            }
        }
    }

    private static let burst5 = Scene.Trouble(on: 5, off: 55, loss: 0.95)
    private static let burst20 = Scene.Trouble(on: 20, off: 280, loss: 0.95)
    /// Somebody stands between for a minute, twice an hour.
    private static let body = Scene.Trouble(on: 60, off: 1740, loss: 0.85)
    private static let drift = Scene.Drift(depth: 0.6, period: 7200)

    private static let rows = [
        Row(name: "independent", bar: (0.01, 1.35, 2.1)),
        Row(name: "bursts 5 s of 60", troubles: [burst5], bar: (0.015, 1.45, 2.4)),
        Row(name: "bursts 20 s of 300", troubles: [burst20], bar: (0.05, 1.6, 3.0)),
        Row(name: "a body between", intervals: [0.1], troubles: [body], bar: (0.03, 2.5, 2.7)),
        Row(name: "a body between", intervals: [1], troubles: [body], bar: (0.03, 2.0, 2.7)),
        Row(name: "a body between", intervals: [5], troubles: [body], bar: (0.03, 1.9, 2.7)),
        Row(name: "body and bursts", troubles: [body, burst5], bar: (0.03, 1.8, 2.8)),
        Row(name: "drifting", intervals: [0.1], drift: drift, bar: (0.03, 3.2, 3.0)),
        Row(name: "drifting", intervals: [1], drift: drift, bar: (0.03, 2.4, 3.0)),
        Row(name: "drifting", intervals: [5], drift: drift, bar: (0.03, 2.6, 3.0)),
        Row(name: "6 absences a day", absences: 6, bar: (0.02, 1.4, 3)),
        Row(name: "absences and body", intervals: [5], troubles: [body], absences: 6, bar: (0.03, 2.1, 3.5)),
    ]

    static func print(days: Double, perDay: Double, bars: inout Bars) async {
        Swift.print(
            "\nThe same without floor and ceiling in other scenes, reception 30, 60 and 90 % together: beside each figure its bar."
        )
        Swift.print("Body: 85 % lost, 60 s every 30 min on average. Drift: down to 40 % of it, as a sine of 2 h.\n")
        Swift.print(
            "scene               T/s          false/day   (95 %) < bar    median / least < bar      p99 / least < bar")
        let cells = rows.enumerated().flatMap { number, row in row.scenes.map { (number, $0) } }
        let studies = await concurrently(cells) { ExitStudy($0.1, perDay: perDay, days: days, seed: 1) }
        for (number, row) in rows.enumerated() {
            printRow(row, zip(cells, studies).filter { $0.0.0 == number }.map(\.1), bars: &bars)
        }
        fflush(nil)
    }

    private static func printRow(_ row: Row, _ studies: [ExitStudy], bars: inout Bars) {
        let exits = studies.reduce(0) { $0 + $1.learned }
        let beaconDays = studies.reduce(0) { $0 + $1.beaconDays }
        let ratios = studies.flatMap(\.ratios).sorted()
        let intervals = row.intervals.map { Column.number($0, width: 1) }.joined(separator: " ")
        let name = "\(row.name), T = \(intervals):"
        let rate = ExitStudy.upper(exits, in: beaconDays)
        let (median, p99) = (ExitStudy.quantile(0.5, of: ratios), ExitStudy.quantile(0.99, of: ratios))
        Swift.print(
            Column.left(row.name, width: 19), Column.left(intervals, width: 12),
            Column.number(exits / beaconDays, decimals: 3),
            bars.figure(rate, below: row.bar.rate, of: name + " false exits", decimals: 3, width: 9),
            bars.figure(median, below: row.bar.median, of: name + " median", decimals: 2, width: 11),
            bars.figure(p99, below: row.bar.p99, of: name + " p99", decimals: 2, width: 14))
    }
}
