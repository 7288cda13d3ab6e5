import Beacons
import Messages

/// What the aggregators of a divided site publish for each other, and to which requests each responds.
extension Division {
    var sharesTopic: Topic { part.name.map { .namedShares(aggregator: $0) } ?? .aggregatorShares }

    /// Which beacons are this aggregator's; `nil` if all are that no other one has.
    var shares: Message? { part.received.map { Message(sharesTopic, BeaconShares(shares: $0)) } }

    /// Receives the shares of an aggregator; returns whether the site is divided in another way now.
    mutating func receive(
        shares payload: [UInt8], of other: String, _ effects: inout SiteEffects
    ) throws(PayloadRefusal) -> Bool {
        let shares = payload.isEmpty ? nil : try BeaconShares(parsing: payload).shares
        guard other != name else {
            // Left by a former process, which had shares.
            if part.received == nil, shares != nil { effects.publish(.clearing(sharesTopic)) }
            return false
        }
        let former = overlaps
        guard apply(shares, of: other, at: effects.now.instant) else { return false }
        let count = shares?.count ?? 0
        effects.note("\(Self.title(other)) has \(count == 0 ? "no share" : "\(count) shares") of the beacons now")
        noteOverlaps(newSince: former, &effects)
        return true
    }

    /// Receives the availability of an aggregator.
    mutating func receive(
        availability payload: [UInt8], of other: String, isRetained: Bool, at now: Instant
    ) {
        guard other != name else { return }
        let availability = Availability(parsing: payload)
        note(availability, of: other)
        if availability == .online, !isRetained { repeatSoon(at: now) }
    }

    /// Gives up shares that nobody publishes any more; returns whether the site is divided in another way now.
    mutating func advance(_ effects: inout SiteEffects) -> Bool {
        let former = overlaps
        guard giveUpUnconfirmed(at: effects.now.instant) else { return false }
        noteOverlaps(newSince: former, &effects)
        return true
    }

    private func noteOverlaps(newSince former: [String], _ effects: inout SiteEffects) {
        for overlap in overlaps where !former.contains(overlap) { effects.note(overlap) }
    }

    // MARK: Requests

    /// Whether this aggregator responds to a request. The aggregator of an item responds to requests about that item, and the one without a
    /// name to all others, and in the place of one that is not running.
    func responds(
        to what: String, _ payload: [UInt8], _ registry: SiteRegistry, _ effects: inout SiteEffects
    ) -> Bool {
        guard let beacon = Self.item(in: what, payload, registry)?.beacon else { return part.writesRegistry }
        guard let other = other(for: beacon) else { return true }
        if part.writesRegistry, offline.contains(other) {
            effects.reply(
                what, Request(parsing: payload),
                Response<Nothing>.Outcome.failed(
                    "The item belongs to the aggregator \(other), which is not running: start it."))
        }
        return false
    }

    /// The item that a request is about, if it is one that the item's own aggregator responds to.
    private static func item(in what: String, _ payload: [UInt8], _ registry: SiteRegistry) -> RegistryItem? {
        let request = Request(parsing: payload)
        let name: String? =
            switch SiteRequest(rawValue: what) {
            case .acknowledgeItem: try? request.body(NameOrID.self).name
            case .history: try? request.body(HistoryRequest.self).item?.name
            case .startSurvey: try? request.body(SurveyRequest.self).item
            case .stopSurvey: try? request.body(SurveyEnd.self).item
            default: nil
            }
        return name.flatMap { registry.item(named: $0) }
    }
}
