import Beacons
import Delivery
import Messages

/// The registry as a gateway follows it, and the regions that it monitors for that reason.
struct RegistryFollowing: Sendable {
    /// How often a gateway checks for entries of the registry that did not arrive.
    private static let period = Interval.seconds(1)

    private(set) var replica = RegistryReplica()
    /// That entries of the registry do not arrive, as a sentence for `info`.
    private var problem: String?
    private var nextCheck: Instant

    init(at start: Instant) { nextCheck = start + Self.period }

    mutating func restore(_ stored: StoredRegistry) { replica.restore(stored) }

    /// Receives a retained message of the registry; returns whether another registry is in force now.
    mutating func receive(_ topic: Topic, _ payload: [UInt8], at now: Instant) throws(PayloadRefusal) -> Bool {
        try replica.receive(topic, payload, at: now)
    }

    mutating func connectionLost() { replica.connectionLost() }

    /// When to call `fetchMissing` next, while the broker is connected; `nil`: nothing is missing.
    var nextDeadline: Instant? { replica.isMissingEntries ? nextCheck : nil }

    /// Requests missing entries again. Returns the problem that `info` reported, and the one that it is to report, if that has changed.
    mutating func fetchMissing(_ effects: inout GatewayEffects) -> (former: String?, now: String?)? {
        let now = effects.now.instant
        guard now >= nextCheck else { return nil }
        nextCheck = now + Self.period
        for step in replica.fetchMissing(at: now) { effects.add(.fetch(step)) }
        let former = problem
        problem = replica.problem(of: "this gateway")
        guard problem != former else { return nil }
        if let problem { effects.note(problem) }
        return (former, problem)
    }

    /// The monitored regions: those of the configuration and those of the registry, items included.
    func regions(with configuration: GatewayConfiguration) -> [Region] {
        // Of two regions with one id the configuration's own counts: it was written for this gateway.
        var taken: Set<String> = []
        var regions = configuration.regions + replica.regions.values.sorted { $0.id < $1.id }
        regions = regions.filter { taken.insert($0.id).inserted }
        regions += replica.items.values.sorted { $0.id < $1.id }.map(\.region)
        // Gateways whose beacons have one UUID receive each other through this region.
        if let uuid = configuration.beacon?.identity.uuid {
            regions.append(Region(id: "gateways", identifier: "Gateways", scope: .uuid(uuid), isImplicit: true))
        }
        return regions
    }

    /// One sentence for each region of this gateway that has the id of an item. Events give both the same name.
    func idClashes(with configuration: GatewayConfiguration) -> [String] {
        configuration.regions.compactMap { region in
            replica.items[region.id].map {
                "The region \(region.identifier) of this gateway has the id of the item \($0.name) (\(region.id)): give the region another id"
            }
        }
    }
}
