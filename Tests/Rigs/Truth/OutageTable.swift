/// What outages of the radio make of tags that stay: nothing, whether the gateway learns of the outage or has to find out.
enum OutageTable {
    private struct Row {
        var seconds: Double
        var isReported: Bool
    }

    private static let days = 10.0

    static func print(bars: inout Bars) async {
        let lengths = [0, 1.0, 5, 10, 30, 60, 180, 600]
        let rows = lengths.flatMap { [Row(seconds: $0, isReported: true), Row(seconds: $0, isReported: false)] }
        let studies = await concurrently(rows) {
            OutageStudy(seconds: $0.seconds, isReported: $0.isReported, days: days)
        }
        Swift.print(
            "\nA radio that falls deaf once an hour for so long; ten tags that stay (0.5 to 5 s, 60 % heard), \(Int(days)) days."
        )
        Swift.print(
            "Told: its driver says so. Found out: nothing is heard, and no proof comes. The bar is what it is without outages.\n"
        )
        Swift.print(
            "outage/s   told: exits < bar    enters < bar   found out: exits < bar    enters < bar   found deaf")
        for (number, length) in lengths.enumerated() {
            var line = Column.number(length, decimals: 0, width: 8)
            for place in 0...1 {
                let (study, usual) = (studies[2 * number + place], studies[place])
                let name = "outages of \(Int(length)) s, \(place == 0 ? "told" : "found out"):"
                let width = place == 0 ? 12 : 18
                line += bars.figure(study.exits, below: usual.exits, of: name + " exits", decimals: 0, width: width)
                line += bars.figure(study.enters, below: usual.enters, of: name + " enters", decimals: 0, width: 7)
            }
            Swift.print(line + Column.number(studies[2 * number + 1].unknowns, decimals: 0, width: 5))
        }
    }
}
