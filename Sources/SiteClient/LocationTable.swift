import Beacons
import Messages
import Text

/// The table of `where` and `watch`.
struct LocationTable {
    private var table: Table

    /// A table with a column of batteries if the tag of any item reports one.
    ///
    /// - Parameter people: the people, in rows above the items.
    init(
        _ locations: [ItemLocation], people: [PersonLocation] = [], of view: SiteView, at now: WallTime
    ) {
        let hasBatteries = locations.contains { view.health[$0.item]?.battery != nil }
        table = Table(
            [
                "ITEM", "WHERE", .right("SURE"), "NEAR",
                .right("DISTANCE"), .right("SINCE"), .right("SEEN"),
            ] + (hasBatteries ? [.right("BATTERY")] : []))
        func append(_ cells: [String?], battery: String?) { table.append(cells + (hasBatteries ? [battery] : [])) }
        for person in people {
            append(
                [
                    person.person.name, view.place(of: person),
                    view.confidence(of: person).map { "\(Int(($0 * 100).rounded())) %" },
                    person.item.map { view.items[$0]?.name ?? $0 }, nil, person.since.map { (now - $0).age }, nil,
                ], battery: nil)
        }
        for location in locations {
            append(
                [
                    location.name, location.place, location.confidence.map { "\(Int(($0 * 100).rounded())) %" },
                    location.nearest.gateway, location.distance, location.since.map { (now - $0).age },
                    view.lastSeen(location)?.words(at: now),
                ], battery: view.health[location.item]?.battery)
        }
    }

    func lines(width: Int?) -> [String] { table.lines(width: width) }
}

extension SiteView {
    /// The location of the item by which a person's room is known.
    private func shown(_ person: PersonLocation) -> ItemLocation? {
        let location = person.item.flatMap { locations[$0] }
        return person.presence == .home && location?.presence == .home && location?.room != nil ? location : nil
    }

    /// The place of a person for people: that of the item that shows it, with the same doubt.
    func place(of person: PersonLocation) -> String {
        switch person.presence {
        case .home: shown(person)?.place ?? person.room ?? "home"
        case .away: "away"
        case .unknown: "unknown"
        }
    }

    /// How sure the place of a person is.
    fileprivate func confidence(of person: PersonLocation) -> Double? {
        person.presence == .home ? shown(person)?.confidence : person.confidence
    }
}

extension ItemLocation {
    /// The distance to the gateway; with a position on the plan, the radius around the position.
    var distance: String? { accuracy.map { point == nil ? metres($0) : "± \(metres($0))" } }

    var place: String {
        if let error { return "unknown: \(error)" }
        return switch presence {
        case .home: alternatives ?? room ?? "home"
        case .away: "away" + probableCause.suffix
        case .unknown: room.map { "unknown (last: \($0))" } ?? "unknown"
        }
    }

    /// "Hall or Kitchen" if the room is doubtful, as the page writes it: the likeliest rooms, three at most, until together they are more likely
    /// than not; `nil` if the room is not doubtful.
    private var alternatives: String? {
        guard let confidence, confidence < 0.5, let room, let rooms else { return nil }
        var names = [room], share = confidence
        for other in rooms where other.room != room && other.confidence >= 0.05 && names.count < 3 && share < 0.6 {
            names.append(other.room)
            share += other.confidence
        }
        guard let last = names.popLast(), !names.isEmpty else { return nil }
        return "\(names.joined(separator: ", ")) or \(last)"
    }
}

/// `1.8 m`.
func metres(_ distance: Double) -> String {
    let tenths = Int((min(distance, 10_000) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) m"
}
