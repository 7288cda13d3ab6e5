import Beacons
import Messages

/// How several aggregators divide the site among themselves, as one of them knows it.
struct Division: Sendable {
    /// Shares that their aggregator does not publish again within this time after a connect are given up.
    static let patience = Interval.seconds(300)
    /// After another aggregator has started, the locations are published again: it may have published items that are not its own.
    static let repeatDelay = Interval.seconds(6)
    /// The overlaps that `info` names.
    static let mostNamed = 10

    private(set) var part: SitePart
    /// The aggregators with a name that are known to be down.
    private(set) var offline: Set<String> = []
    /// Aggregators that have not published their shares on this connection.
    private var unconfirmed: Set<String> = []
    private var connectedAt: Instant?
    /// When the locations are published again.
    private var repeatsAt: Instant?

    init(_ part: SitePart) { self.part = part }

    /// The name of this aggregator; empty if it has none.
    var name: String { part.name ?? "" }

    /// The other aggregator that locates the item of a beacon; `nil` if this one does.
    func other(for beacon: BeaconIdentity) -> String? {
        part.locates(beacon) ? nil : part.shares.holder(of: beacon) ?? ""
    }

    // MARK: What happens

    /// Whatever the broker retains comes again.
    mutating func connected(at now: Instant) {
        (connectedAt, unconfirmed) = (now, Set(part.shares.byName.keys).subtracting([name]))
    }

    /// Another aggregator has started: soon the locations are to be published again.
    mutating func repeatSoon(at now: Instant) { repeatsAt = now + Self.repeatDelay }

    /// Whether the locations are to be published again, because another aggregator may have published some of them; once.
    mutating func repeatsLocations(at now: Instant) -> Bool {
        guard let due = repeatsAt, now >= due else { return false }
        repeatsAt = nil
        return true
    }

    // MARK: Problems

    /// The overlaps of this aggregator's shares with others, each as a sentence for `info`; beyond some, their number.
    var overlaps: [String] {
        let all = part.shares.overlaps(of: name)
        let sentences = all.prefix(Self.mostNamed).map { overlap in
            "[[subscribe]] of \(Self.title(overlap.holder)) and of \(Self.title(overlap.other)) overlap in the beacons "
                + "\(overlap.share): \(Self.title(overlap.holder)) locates their items, change one of the two files"
        }
        guard all.count > Self.mostNamed else { return sentences }
        return sentences + ["\(all.count - Self.mostNamed) more overlaps of [[subscribe]]: correct these first"]
    }

    static func title(_ name: String) -> String { name.isEmpty ? "the aggregator without a name" : name }

    // MARK: What the aggregators publish for each other

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
        unconfirmed.remove(other)
        guard part.shares.set(shares, of: other) else { return false }
        repeatSoon(at: effects.now.instant)
        let count = shares?.count ?? 0
        effects.note("\(Self.title(other)) has \(count == 0 ? "no share" : "\(count) shares") of the beacons now")
        noteOverlaps(newSince: former, &effects)
        return true
    }

    mutating func receive(
        availability payload: [UInt8], of other: String, isRetained: Bool, at now: Instant
    ) {
        guard other != name else { return }
        let availability = Availability(parsing: payload)
        if availability != .offline {
            offline.remove(other)
        } else if offline.count < SiteShares.mostAggregators {
            offline.insert(other)
        }
        if availability == .online, !isRetained { repeatSoon(at: now) }
    }

    /// Gives up shares that nobody publishes any more; returns whether the site is divided in another way now.
    mutating func advance(_ effects: inout SiteEffects) -> Bool {
        guard !unconfirmed.isEmpty, let connectedAt, effects.now.instant >= connectedAt + Self.patience else {
            return false
        }
        let former = overlaps
        for other in unconfirmed { part.shares.set(nil, of: other) }
        unconfirmed = []
        noteOverlaps(newSince: former, &effects)
        return true
    }

    private func noteOverlaps(newSince former: [String], _ effects: inout SiteEffects) {
        for overlap in overlaps where !former.contains(overlap) { effects.warn(overlap) }
    }

    // MARK: Requests

    /// Whether this aggregator responds to a request. The aggregator of an item responds to requests about that item, and the one without a
    /// name to all others, and in the place of one that is not running.
    func responds(
        to what: String, _ payload: [UInt8], _ registry: SiteRegistry, _ effects: inout SiteEffects
    ) -> Bool {
        let request = Request(parsing: payload)
        guard let named = SiteRequest(rawValue: what)?.item(in: request),
            let beacon = registry.item(named: named)?.beacon
        else { return part.writesRegistry }
        guard let other = other(for: beacon) else { return true }
        if part.writesRegistry, offline.contains(other) {
            effects.reply(
                what, request,
                Response<Nothing>.Outcome.failed(
                    "The item belongs to the aggregator \(other), which is not running: start it."))
        }
        return false
    }
}
