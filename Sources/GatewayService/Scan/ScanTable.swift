import Beacons
import Messages
import Text

/// The table of `scan`.
struct ScanTable {
    private var table = Table([
        Table.Column("UUID"), Table.Column("MAJOR", .right), Table.Column("MINOR", .right), Table.Column("NAME"),
        Table.Column("ADDRESS"), Table.Column("RSSI", .right), Table.Column("DISTANCE", .right),
        Table.Column("PROXIMITY"), Table.Column("HEARD", .right), Table.Column("AGO", .right),
    ])

    init(_ beacons: [HeardBeacon], at now: WallTime) {
        for beacon in beacons {
            table.append([
                "\(beacon.beacon.uuid)", "\(beacon.beacon.major)", "\(beacon.beacon.minor)", beacon.name,
                "\(beacon.address)", beacon.rssi.map { "\(Int($0.rounded()))" },
                beacon.accuracy.map { "\((min($0, 10_000) * 10).rounded() / 10) m" }, beacon.proximity.rawValue,
                "\(beacon.sightings)", "\(max(0, (now - beacon.lastSeenAt).milliseconds / 1000)) s",
            ])
        }
    }

    func lines(width: Int?) -> [String] { table.lines(width: width) }
}
