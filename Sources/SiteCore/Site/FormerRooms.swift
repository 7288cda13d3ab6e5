import Beacons
import Locating

/// The rooms that the gateways had when what is known of rooms was recorded, also over restarts. They show whether a room was renamed or a
/// gateway was carried elsewhere.
struct FormerRooms: Sendable {
    /// How long the other gateways of a room may take to get the room's new name, before those that have it count as carried elsewhere.
    static let patience = Interval.seconds(600)

    /// The rooms and gateways, without a plan.
    private(set) var site = Site()
    /// The gateways that may be the first ones of a room that gets a new name, each with the time since when.
    private var first: [String: Instant] = [:]
    /// Whether something may be decided without a change of the site.
    private(set) var isOpen = false

    init() {}

    /// Continues with what a former process stored.
    init(_ stored: StoredSite) {
        site.gateways = stored.gateways.compactMap { gateway in
            gateway.rooms.first.map {
                Site.Gateway(id: gateway.id, room: $0, otherRooms: Array(gateway.rooms.dropFirst()))
            }
        }
    }

    /// The rooms of a gateway, as they are to be stored.
    func rooms(of id: String) -> [String] { site.gateways.first { $0.id == id }?.rooms ?? [] }

    /// Compares the site with the former one, and takes its place where it is clear what has happened.
    ///
    /// - Parameters:
    ///   - isKnown: whether the aggregator has a record of a gateway.
    ///   - isSettled: whether the gateways had the time to report their rooms.
    mutating func follow(
        _ newer: Site, isKnown: (String) -> Bool, isSettled: Bool, at now: Instant
    ) -> RoomChanges {
        let present = Dictionary(newer.gateways.map { ($0.id, $0.rooms) }) { first, _ in first }
        let former = Dictionary(site.gateways.map { ($0.id, $0) }) { first, _ in first }
        let absent = site.gateways.filter { present[$0.id] == nil && isKnown($0.id) }
        let names = RoomChanges.names(in: site)
        var expected = newer
        var waiting: [String: Instant] = [:]
        for index in expected.gateways.indices {
            let gateway = expected.gateways[index]
            guard let before = former[gateway.id], before.rooms != gateway.rooms, let room = before.room else {
                continue
            }
            let since = first[gateway.id] ?? now
            let mayBeFirst =
                gateway.room.map { !names.contains($0) } == true && !newer.rooms.contains { $0.name == room }
            // What the gateways of both rooms report decides.
            let isAwaited =
                !isSettled && absent.contains { !Set(before.rooms + gateway.rooms).isDisjoint(with: $0.rooms) }
            let isFollowed = site.gateways.contains {
                $0.id != gateway.id && $0.rooms.contains(room) && present[$0.id]?.contains(room) == true
            }
            guard isAwaited || mayBeFirst && isFollowed && now - since < Self.patience else { continue }
            waiting[gateway.id] = since
            (expected.gateways[index].room, expected.gateways[index].otherRooms) = (before.room, before.otherRooms)
        }
        if !isSettled { expected.gateways += absent }
        let changes =
            expected.gateways.contains { former[$0.id].map(\.rooms) ?? $0.rooms != $0.rooms }
            ? RoomChanges(from: site, to: expected) : RoomChanges()
        site = Site(
            rooms: isSettled ? newer.rooms.map { Site.Room(name: $0.name) } : site.rooms,
            gateways: expected.gateways.map { Site.Gateway(id: $0.id, room: $0.room, otherRooms: $0.otherRooms) })
        if isSettled {
            site.gateways += absent.map { gateway in
                var gateway = gateway
                gateway.room = gateway.room.map { changes.renamed[$0] ?? $0 }
                gateway.otherRooms = gateway.otherRooms.map { changes.renamed[$0] ?? $0 }
                return gateway
            }
        }
        first = waiting
        isOpen = !isSettled || !waiting.isEmpty
        return changes
    }
}
