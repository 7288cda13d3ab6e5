import Locating

/// What has become of a site's rooms, as their gateways show it.
///
/// A new name does not show whether a room was renamed or its gateway was carried to another room. This decides:
/// - A room is renamed if its name is gone, the new name is new, and all of its gateways have the new name.
/// - A gateway that no longer serves its room, although that was not renamed, was carried elsewhere.
struct RoomChanges: Hashable, Sendable {
    /// The present names of the rooms that were renamed.
    private(set) var renamed: [String: String] = [:]
    /// The rooms in which the items of other ones are now: rooms that were renamed, that are gone, or that have exchanged their names.
    private(set) var heirs: [String: String] = [:]
    /// The gateways that were carried elsewhere.
    private(set) var carried: Set<String> = []

    /// No change.
    init() {}

    /// Compares a site with what it was. Rooms and gateways count, and their places on a plan do not.
    init(from former: Site, to present: Site) {
        heirs = present.heirs(of: former)
        let served = Dictionary(present.gateways.map { ($0.id, $0.rooms) }) { first, _ in first }
        let gateways = former.gateways.compactMap { gateway in
            served[gateway.id].map { (id: gateway.id, former: gateway.rooms, present: $0) }
        }
        let (before, now) = (Self.names(in: former), Self.names(in: present))
        renamed = heirs.filter { name, heir in
            !now.contains(name) && !before.contains(heir)
                && gateways.allSatisfy { !$0.former.contains(name) || $0.present.contains(heir) }
        }
        for gateway in gateways {
            guard let room = gateway.former.first else { continue }
            if !gateway.present.contains(renamed[room] ?? room) { carried.insert(gateway.id) }
        }
    }

    static func names(in site: Site) -> Set<String> { Set(site.rooms.map(\.name) + site.gateways.flatMap(\.rooms)) }
}
