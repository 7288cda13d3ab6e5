import Beacons
import Linux
import Messages
import Text

/// The table of `scan`.
struct ScanTable {
    private var table = Table([
        Table.Column("UUID"), Table.Column("MAJOR", .right), Table.Column("MINOR", .right), Table.Column("NAME"),
        Table.Column("ADDRESS"), Table.Column("KIND"), Table.Column("RSSI", .right), Table.Column("ACCURACY", .right),
        Table.Column("PROXIMITY"), Table.Column("PER S", .right), Table.Column("HEARD", .right),
        Table.Column("AGO", .right),
    ])
    private var colours: [Colour?] = []

    init(_ beacons: [HeardBeacon], _ strangers: [(stranger: Stranger, rate: Double?)], at moment: Moment) {
        for beacon in beacons {
            table.append([
                "\(beacon.beacon.uuid)", "\(beacon.beacon.major)", "\(beacon.beacon.minor)", beacon.name,
                "\(beacon.address)", beacon.address.type.word, beacon.rssi.map { "\(Int($0.rounded()))" },
                beacon.accuracy.map { "\(tenths(min($0, 10_000))) m" }, beacon.proximity.rawValue,
                beacon.rate.map { "\(tenths($0))" }, "\(beacon.sightings)",
                ago((moment.wall - beacon.lastSeenAt)),
            ])
            colours.append(beacon.proximity.colour)
        }
        for (stranger, rate) in strangers {
            table.append([
                nil, nil, nil, stranger.name ?? stranger.company.map { "(company \(hexadecimal($0)))" },
                "\(stranger.address)", stranger.address.type.word, stranger.rssi.map { "\(Int($0.rounded()))" }, nil,
                nil, rate.map { "\(tenths($0))" }, "\(stranger.count)", ago(moment.instant - stranger.lastSeen),
            ])
            colours.append(.faint)
        }
    }

    /// The heading, and a line for each; in colours where the terminal has them.
    func lines(width: Int?) -> [String] {
        let lines = table.lines(width: width)
        return lines.prefix(1)
            + zip(lines.dropFirst(), colours).map { line, colour in colour.map { coloured(line, $0) } ?? line }
    }
}

private func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

private func ago(_ span: Interval) -> String { "\(max(0, span.milliseconds / 1000)) s" }

private func hexadecimal(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
}

extension DeviceAddress.AddressType {
    /// Short, for a column.
    fileprivate var word: String {
        switch self {
        case .public: "public"
        case .randomStatic: "static"
        case .resolvable: "resolvable"
        case .nonResolvable: "changing"
        case .reserved: "reserved"
        case .anonymous: "anonymous"
        }
    }
}

extension Proximity {
    fileprivate var colour: Colour? {
        switch self {
        case .immediate: .green
        case .near: .yellow
        case .far, .unknown: nil
        }
    }
}
