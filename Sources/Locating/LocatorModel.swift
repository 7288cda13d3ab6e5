/// All that is known of a site, ready to weigh evidence with: shared by the beliefs of all items, never changed.
///
/// When the site changes (a gateway appears, a room is renamed, something was learned) a new one is made, and each `Locator` adopts it.
public final class LocatorModel: Sendable {
    /// The site it was made of.
    public let site: Site
    /// The gateways' ids, in the order of their indices.
    public let gateways: [String]
    /// The rooms' names, in the order of their indices.
    public let rooms: [String]

    let signatures: Signatures
    let motion: Motion
    let evidence: Evidence
    let tuning: Tuning
    let start: [Double]
    let offsets: [Double]
    private let indices: [String: Int]

    /// The model of a site. Of gateways with one id the first counts.
    public init(site: Site, learned: Learned? = nil, surveys: [Survey] = []) {
        var indices: [String: Int] = [:]
        var gateways: [Site.Gateway] = []
        for gateway in site.gateways where indices[gateway.id] == nil {
            indices[gateway.id] = gateways.count
            gateways.append(gateway)
        }
        let rooms = site.everyRoom.map(\.name)
        let roomIndices = Dictionary(uniqueKeysWithValues: rooms.enumerated().map { ($1, $0) })
        var signatures = Signatures(gateways: gateways.count)
        let owners = gateways.map { $0.room.flatMap { roomIndices[$0] } }
        NamesSignatures.signatures(rooms: owners, into: &signatures) { _ in true }
        self.site = site
        self.gateways = gateways.map(\.id)
        self.rooms = rooms
        self.indices = indices
        self.offsets = gateways.map(\.rssiOffset)
        self.signatures = signatures
        tuning = .names
        motion = Motion(rooms: signatures.rooms, edges: [], leave: tuning.leave, wander: tuning.wander)
        evidence = Evidence(signatures, offset: tuning.offset, clip: tuning.clip)
        start = motion.start
    }

    /// The index of a gateway; `nil` for one that the site does not have.
    public func index(ofGateway id: String) -> Int? { indices[id] }
}
