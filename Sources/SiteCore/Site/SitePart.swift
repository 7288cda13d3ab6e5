import Beacons
import Messages

/// This aggregator's part of the site: all of it, unless the site has other aggregators.
struct SitePart: Hashable, Sendable {
    /// The items without an aggregator that `info` names.
    static let mostNamed = 10

    /// The name of an aggregator that does only what concerns its own items; `nil`: the one that also writes the registry, responds to the
    /// commands, and announces the gateways.
    let name: String?
    /// The beacons that this aggregator receives; `nil`: all.
    let received: [BeaconShare]?
    /// The beacons whose items each aggregator locates. What is in no share is left to the aggregator without a name.
    var shares = SiteShares()

    init(_ settings: SubscribeSettings, stored: StoredSite? = nil) {
        (name, received) = (settings.name, settings.shares)
        shares.set(received, of: name ?? "")
        for (other, share) in stored?.shares ?? [:] where other != name ?? "" { shares.set(share, of: other) }
    }

    var writesRegistry: Bool { name == nil }
    var availabilityTopic: Topic { name.map { .namedAvailability(aggregator: $0) } ?? .aggregatorAvailability }
    var infoTopic: Topic { name.map { .namedInfo(aggregator: $0) } ?? .aggregatorInfo }

    func locates(_ beacon: BeaconIdentity) -> Bool { (shares.holder(of: beacon) ?? "") == name ?? "" }

    /// Whether the record of an item is this aggregator's to publish and to clear.
    func publishes(item id: String, of registry: SiteRegistry) -> Bool {
        registry.items[id].map { locates($0.beacon) } ?? writesRegistry
    }

    /// Why nobody receives a beacon, as a sentence; `nil` if an aggregator does.
    func error(of beacon: BeaconIdentity) -> String? {
        guard received != nil, shares.holder(of: beacon) == nil else { return nil }
        return "No aggregator subscribes to the beacon \(beacon): write its uuid in a [[subscribe]]."
    }

    /// The items that nobody receives, as a sentence; `nil` if there are none.
    func orphans(among items: some Sequence<RegistryItem>) -> String? {
        guard received != nil, writesRegistry else { return nil }
        let ids = items.filter { shares.holder(of: $0.beacon) == nil }.map(\.id).sorted()
        guard !ids.isEmpty else { return nil }
        let list = ids.prefix(Self.mostNamed).joined(separator: ", ")
        let more = ids.count > Self.mostNamed ? " and \(ids.count - Self.mostNamed) more" : ""
        return "no aggregator subscribes to the beacons of \(list)\(more): write their uuid in a [[subscribe]]"
    }
}
