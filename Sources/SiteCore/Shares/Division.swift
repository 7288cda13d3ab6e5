import Beacons
import Messages

/// How the site is divided among several aggregators, and which part this one locates.
struct Division: Sendable {
    /// Shares that their aggregator does not publish again within this time after a connect are given up.
    static let patience = Interval.seconds(300)
    /// After another aggregator has started, the locations are published again: it may have published items that are not its own.
    static let repeatDelay = Interval.seconds(6)
    /// The items without an aggregator, and the overlaps, that `info` names.
    static let mostNamed = 10

    /// The name of this aggregator; empty if it has none.
    let name: String
    /// The shares of this aggregator; `nil`: every beacon that is in no share of another one.
    let own: [BeaconShare]?
    /// The shares of all aggregators.
    private(set) var site = SiteShares()
    /// The aggregators with a name that are known to be down.
    private(set) var offline: Set<String> = []
    /// Aggregators that have not published their shares on this connection.
    private var unconfirmed: Set<String> = []
    private var connectedAt: Instant?
    /// When the locations are published again.
    private var repeatsAt: Instant?

    init(_ settings: SubscribeSettings) {
        (name, own) = (settings.name ?? "", settings.shares)
        site.set(own, of: name)
    }

    /// Whether this aggregator has a name: it follows the registry and responds only about its own items.
    var isNamed: Bool { !name.isEmpty }

    /// Continues with the shares of other aggregators that a former process knew.
    mutating func restore(_ stored: StoredSite?) {
        for (other, shares) in stored?.shares ?? [:] where other != name { site.set(shares, of: other) }
    }

    // MARK: Which items are this aggregator's

    /// Whether this aggregator locates the item of a beacon. The aggregator without a name has the beacons that are in no share.
    func isOwn(_ beacon: BeaconIdentity) -> Bool { (site.holder(of: beacon) ?? "") == name }

    /// The other aggregator that locates the item of a beacon; `nil` if this one does.
    func other(for beacon: BeaconIdentity) -> String? {
        let holder = site.holder(of: beacon) ?? ""
        return holder == name ? nil : holder
    }

    /// Why nobody receives a beacon, as a sentence; `nil` if an aggregator does.
    func error(of beacon: BeaconIdentity) -> String? {
        guard own != nil, site.holder(of: beacon) == nil else { return nil }
        return "No aggregator subscribes to the beacon \(beacon): write its uuid in a [[subscribe]]."
    }

    // MARK: What happens

    /// Whatever the broker retains comes again.
    mutating func connected(at now: Instant) {
        (connectedAt, unconfirmed) = (now, Set(site.byName.keys).subtracting([name]))
    }

    /// Applies the shares of another aggregator; returns whether something changed.
    mutating func apply(_ shares: [BeaconShare]?, of other: String, at now: Instant) -> Bool {
        unconfirmed.remove(other)
        guard site.set(shares, of: other) else { return false }
        repeatSoon(at: now)
        return true
    }

    /// Gives up the shares that nobody has published since the connection was made; returns whether there were some.
    mutating func giveUpUnconfirmed(at now: Instant) -> Bool {
        guard !unconfirmed.isEmpty, let connectedAt, now >= connectedAt + Self.patience else { return false }
        for other in unconfirmed { site.set(nil, of: other) }
        unconfirmed = []
        return true
    }

    /// The availability of another aggregator has arrived.
    mutating func note(_ availability: Availability?, of other: String) {
        if availability != .offline {
            offline.remove(other)
        } else if offline.count < SiteShares.mostAggregators {
            offline.insert(other)
        }
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

    /// What is wrong with the division, as sentences for `info`.
    func problems(of items: some Sequence<RegistryItem>) -> [String] {
        overlaps + [orphans(among: items)].compactMap { $0 }
    }

    /// The overlaps of this aggregator's shares with others, each as a sentence; beyond some, their number.
    var overlaps: [String] {
        let all = site.overlaps(of: name)
        let sentences = all.prefix(Self.mostNamed).map { overlap in
            "[[subscribe]] of \(Self.title(overlap.holder)) and of \(Self.title(overlap.other)) overlap in the beacons "
                + "\(overlap.share): \(Self.title(overlap.holder)) locates their items, change one of the two files"
        }
        guard all.count > Self.mostNamed else { return sentences }
        return sentences + ["\(all.count - Self.mostNamed) more overlaps of [[subscribe]]: correct these first"]
    }

    /// The items that are in no share, as a sentence; `nil` if there are none.
    func orphans(among items: some Sequence<RegistryItem>) -> String? {
        guard own != nil, !isNamed else { return nil }
        let ids = items.filter { site.holder(of: $0.beacon) == nil }.map(\.id).sorted()
        guard !ids.isEmpty else { return nil }
        let list = ids.prefix(Self.mostNamed).joined(separator: ", ")
        let more = ids.count > Self.mostNamed ? " and \(ids.count - Self.mostNamed) more" : ""
        return "no aggregator subscribes to the beacons of \(list)\(more): write their uuid in a [[subscribe]]"
    }

    /// An aggregator in sentences.
    static func title(_ name: String) -> String { name.isEmpty ? "the aggregator without a name" : name }
}
