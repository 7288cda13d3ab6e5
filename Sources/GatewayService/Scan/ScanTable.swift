import Beacons
import Linux
import Messages
import Text

/// The table of `scan`. If the terminal is too narrow for all columns, the least important ones are dropped.
struct ScanTable {
    private enum Column: String, CaseIterable {
        case who = "WHO"
        case major = "MAJOR"
        case minor = "MINOR"
        case name = "NAME"
        case address = "ADDRESS"
        case kind = "KIND"
        case rssi = "RSSI"
        case accuracy = "ACCURACY"
        case proximity = "PROXIMITY"
        case rate = "PER S"
        case received = "SIGHTINGS"
        case ago = "AGO"

        var isNumber: Bool { [.major, .minor, .rssi, .accuracy, .rate, .received, .ago].contains(self) }
    }

    /// The columns that may be dropped, in this order.
    private static let dispensable: [Column] = [.received, .kind, .address, .ago, .rate, .name]

    private var rows: [(cells: [Column: String], colour: Colour?)] = []

    init(_ beacons: [ReceivedBeacon], _ strangers: [(stranger: Stranger, rate: Double?)], at moment: Moment) {
        rows += beacons.map { (Self.cells(of: $0, at: moment), $0.proximity.colour) }
        rows += strangers.map { (Self.cells(of: $0, $1, at: moment), .faint) }
    }

    /// The heading and one line for each row, with colours if the terminal has them.
    func styledLines(width: Int?) -> [StyledLine] {
        let lines = lines(width: width)
        return lines.prefix(1).map { StyledLine($0) } + zip(lines.dropFirst(), rows).map { StyledLine($0, $1.colour) }
    }

    func lines(width: Int?) -> [String] {
        var columns = Column.allCases
        var lines = table(columns).lines()
        for column in Self.dispensable {
            guard let width, lines.contains(where: { displayWidth(of: $0) > width }) else { break }
            columns.removeAll { $0 == column }
            lines = table(columns).lines()
        }
        return table(columns).lines(width: width)
    }

    private func table(_ columns: [Column]) -> Table {
        var table = Table(columns.map { $0.isNumber ? .right($0.rawValue) : Table.Column(stringLiteral: $0.rawValue) })
        for row in rows { table.append(columns.map { row.cells[$0] }) }
        return table
    }

    private static func cells(of beacon: ReceivedBeacon, at moment: Moment) -> [Column: String] {
        var cells: [Column: String] = [
            .who: "\(beacon.beacon.uuid)", .major: "\(beacon.beacon.major)", .minor: "\(beacon.beacon.minor)",
            .address: "\(beacon.address)", .kind: beacon.address.type.word, .proximity: beacon.proximity.rawValue,
            .received: "\(beacon.sightings)", .ago: ago(moment.wall - beacon.lastSeenAt),
        ]
        cells[.name] = beacon.name
        cells[.rssi] = beacon.rssi.map { "\(Int($0.rounded()))" }
        cells[.accuracy] = beacon.accuracy.map { "\(tenths(min($0, 10_000))) m" }
        cells[.rate] = beacon.rate.map { "\(tenths($0))" }
        return cells
    }

    private static func cells(of stranger: Stranger, _ rate: Double?, at moment: Moment) -> [Column: String] {
        var cells: [Column: String] = [
            .who: "\(stranger.address)", .address: "\(stranger.address)", .kind: stranger.address.type.word,
            .received: "\(stranger.count)", .ago: ago(moment.instant - stranger.lastSeen),
        ]
        let company = stranger.company.map { hexadecimal([UInt8($0 >> 8), UInt8($0 & 0xFF)]) }
        cells[.name] = stranger.name ?? company.map { "(company 0x\($0))" }
        cells[.rssi] = stranger.rssi.map { "\(Int($0.rounded()))" }
        cells[.rate] = rate.map { "\(tenths($0))" }
        return cells
    }
}

private func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

private func ago(_ span: Interval) -> String { "\(max(0, span.milliseconds / 1000)) s" }

extension DeviceAddress.AddressType {
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
