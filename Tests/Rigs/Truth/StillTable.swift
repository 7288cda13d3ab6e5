/// How often a still tag changes its proximity class, right on a border, too.
enum StillTable {
    private static let airs = [
        StillTag.Air(name: "quiet", flutter: 1.5, flutterTime: 15, fading: 2.5, passing: nil),
        StillTag.Air(
            name: "people", flutter: 2, flutterTime: 30, fading: 4, passing: (every: 600, lasting: 5, loss: 9)),
    ]
    /// By the model of the distance. Those of 0.42 m and 5.64 m are on the borders of the classes.
    private static let distances = [0.3, 0.42, 0.5, 1, 2, 4, 5, 5.64, 8]

    private struct Row {
        var air: StillTag.Air
        var interval: Double
        var reception: Double
    }

    static func print(hours: Double, bars: inout Bars) async {
        Swift.print(
            "\nChanges of a still tag's proximity class per hour, by its distance in metres; at most 1 is aimed at.")
        Swift.print("Lapses to unknown per hour, of all distances, last. \(Int(hours)) hours each.\n")
        Swift.print(
            "air      T/s    p" + distances.map { Column.number($0, width: 7) }.joined() + "   lapses   worst < bar")
        let rows = airs.flatMap { air in
            [(0.1, 0.9), (1, 0.9), (1, 0.6), (1, 0.3), (5, 0.6)].map { Row(air: air, interval: $0.0, reception: $0.1) }
        }
        let followed = await concurrently(rows) { row in
            distances.map {
                StillTag(row.air, interval: row.interval, reception: row.reception, metres: $0, hours: hours)
            }
        }
        for (row, tags) in zip(rows, followed) {
            let changes = tags.map { $0.changes / hours }
            let name = "a still tag, \(row.air.name), T = \(row.interval), \(row.reception)"
            Swift.print(
                Column.left(row.air.name, width: 7), Column.number(row.interval, width: 4),
                Column.number(row.reception, width: 4)
                    + changes.map { Column.number($0, decimals: 2) }.joined(),
                Column.number(tags.reduce(0) { $0 + $1.lapses } / hours / Double(tags.count), decimals: 2, width: 8),
                bars.figure(changes.max() ?? 0, below: 1, of: name, decimals: 2))
        }
    }
}
