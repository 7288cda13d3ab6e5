/// How often a tag that lies still changes its proximity class, right on a border, too.
enum StillTable {
    private static let airs = [
        StillTag.Air(name: "quiet", flutter: 1.5, flutterTime: 15, fading: 2.5, passing: nil),
        StillTag.Air(
            name: "people", flutter: 2, flutterTime: 30, fading: 4, passing: (every: 600, lasting: 5, loss: 9)),
    ]
    private static let distances = [0.4, 0.5, 0.6, 1, 2, 3, 4, 5, 8]

    static func print(hours: Double) {
        Swift.print(
            "Changes of a still tag's proximity class per hour, by its distance in metres; at most 1 is aimed at.")
        Swift.print("Lapses to unknown per hour, of all distances, last. \(Int(hours)) hours each.\n")
        Swift.print(
            "air      T/s    p" + distances.map { Column.number($0, width: 7) }.joined() + "   lapses")
        for air in airs {
            for (interval, reception) in [(0.1, 0.9), (1, 0.9), (1, 0.6), (1, 0.3), (5, 0.6)] {
                let tags = distances.map {
                    StillTag(air, interval: interval, reception: reception, metres: $0, hours: hours)
                }
                Swift.print(
                    Column.left(air.name, width: 7), Column.number(interval, width: 4),
                    Column.number(reception, width: 4)
                        + tags.map { Column.number($0.changes / hours, decimals: 2) }.joined(),
                    Column.number(
                        tags.reduce(0) { $0 + $1.lapses } / hours / Double(tags.count), decimals: 2, width: 8))
            }
        }
    }
}
