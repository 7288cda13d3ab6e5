import Beacons
import Messages
import Text

/// The table of `where` and `watch`.
struct LocationTable {
    private var table = Table([
        Table.Column("ITEM"), Table.Column("WHERE"), Table.Column("SURE", .right), Table.Column("NEAR"),
        Table.Column("DISTANCE", .right), Table.Column("SINCE", .right), Table.Column("SEEN", .right),
    ])

    init(_ locations: [ItemLocation], of view: SiteView, at now: WallTime) {
        for location in locations {
            table.append([
                location.name, location.place, location.confidence.map { "\(Int(($0 * 100).rounded())) %" },
                location.gateway.map { "\($0) (\(location.proximity?.rawValue ?? "unknown"))" },
                location.distance, location.since.map { (now - $0).age },
                view.lastSeen(location)?.words(at: now),
            ])
        }
    }

    func lines(width: Int?) -> [String] { table.lines(width: width) }
}

extension ItemLocation {
    /// The distance to the gateway; with a position on the plan, the radius around the position.
    var distance: String? { accuracy.map { point == nil ? metres($0) : "± \(metres($0))" } }

    /// The location for people, in a word or two.
    var place: String {
        if let error { return "unknown: \(error)" }
        return switch presence {
        case .home: room ?? "home"
        case .away: "away"
        case .unknown: room.map { "unknown (last: \($0))" } ?? "unknown"
        }
    }
}

/// `1.8 m`.
func metres(_ distance: Double) -> String {
    let tenths = Int((min(distance, 10_000) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) m"
}
