import Glibc

/// Tags at the edge of a gateway's range, where 10 % arrives at -90 dBm.
extension HouseTable {
    private struct Row: Sendable {
        var interval: Double
        /// Which part arrives between the stays; 0: the tag is away.
        var reception: Double
        /// How long a stay at the edge lasts, and how many there are a day.
        var seconds: Double
        var perDay: Double
    }

    private static let edgeDays = 5.0
    private static let edgeTags = 20

    /// How often the tags exit at the edge, although they are there.
    func printEdge(_ bars: inout Bars) async {
        Swift.print(
            "\nStays at the edge of range, where 10 % arrives at -90 dBm; between them 90 % at -65 dBm, or the tag is away. 20 tags, 5 days."
        )
        Swift.print("False exits of a tag, from the third hour on: a stay on day 1, a stay later, and a day.\n")
        Swift.print(
            "T/s   between   stay/s  a day   day 1: a stay   later: a stay   a day < bar    +-     60 s   180 s   exit after: median"
        )
        let rows = [1.0, 5].flatMap { interval in
            [(60.0, 12.0), (3600, 4), (1e9, 0)].flatMap { seconds, perDay in
                [0.9, 0].map { Row(interval: interval, reception: $0, seconds: seconds, perDay: perDay) }
            }
        }.filter { $0.perDay > 0 || $0.reception > 0 }
        let houses = await concurrently(rows) { row in
            each { seed in
                MonitoredHouse(
                    (0..<Self.edgeTags).map { plan(row, seed: seed &+ 1200 &+ UInt64($0)) }, days: Self.edgeDays,
                    strangers: 1, seed: seed + 12)
            }
        }
        for (row, house) in zip(rows, houses) {
            let (first, later) = (house.falseExits(from: 3, to: 24), house.falseExits(from: 24, to: Self.edgeDays * 24))
            let beaconDays = runs * Double(Self.edgeTags) * (Self.edgeDays - 1)
            let isAlways = row.perDay == 0
            let stays = isAlways ? 1 : row.perDay
            func fixed(_ time: Double) -> Double {
                house.fixedExits(time, from: 24, to: Self.edgeDays * 24) / beaconDays
            }
            Swift.print(
                number(row.interval, 0, 3),
                " " + Column.right(isAlways ? "-" : row.reception > 0 ? "home" : "away", width: 8),
                Column.right(isAlways ? "always" : Column.number(row.seconds, decimals: 0, width: 0), width: 8),
                number(row.perDay, 0, 6), number(first / runs / Double(Self.edgeTags) / stays / 21 * 24, 3, 15),
                number(later / beaconDays / stays, 3, 15),
                bars.figure(
                    later / beaconDays, below: 0.05,
                    of: "edge, \(row.interval) s, \(row.reception), \(row.seconds) s: false exits", decimals: 3,
                    width: 7),
                number(max(1, later).squareRoot() / beaconDays, 3, 5), number(fixed(60), 1, 6),
                number(fixed(180), 1, 7),
                number(ExitStudy.quantile(0.5, of: house.delays(from: 24)), 0, 10))
        }
    }

    private func plan(_ row: Row, seed: UInt64) -> HouseTag.Plan {
        guard row.perDay > 0 else {
            return HouseTag.Plan(
                sending: .every(row.interval), reception: 0.1, moves: [(at: 0, reception: 0.1, level: -90)])
        }
        let stays = absences(row.perDay, lasting: row.seconds, after: 3, days: Self.edgeDays, seed: seed)
        let isAway = row.reception == 0
        // A tag that is away between the stays is at home for the first three hours.
        let moves = stays.flatMap { stay in
            [
                (at: stay.lowerBound, reception: 0.1, level: -90.0),
                (at: stay.upperBound, reception: isAway ? 0.1 : row.reception, level: isAway ? -90.0 : -65),
            ]
        }
        let between = zip([10_800] + stays.map(\.upperBound), stays.map(\.lowerBound)).map { $0...$1 }
        return HouseTag.Plan(
            sending: .every(row.interval), reception: 0.9, moves: moves, absences: isAway ? between : [])
    }
}
