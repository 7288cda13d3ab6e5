import Beacons

/// A simulated house: rooms and walls, gateways, people who walk about, tags that they carry or leave lying, and all else that advertises.
///
/// Where everything is, what is sent and what is received are functions of the seed and of the time alone. Processes that share both live in
/// one house without a word between them. (They agree to the last bit on machines of one C library, and to the dB on all.)
public struct House: Hashable, Sendable {
    /// From this all its chance is drawn.
    public let seed: UInt64
    /// Rooms, doors, walls.
    public var plan: Plan
    /// The gateways, one adapter each.
    public var gateways: [Gateway]
    /// Who walks about.
    public var people: [Person]
    /// The beacons.
    public var tags: [Tag]
    /// What advertises and is no beacon.
    public var bystanders: [Bystander] = []
    /// How people spend their time.
    public var habits = Habits()
    /// What walls, bodies and chance do to the radio.
    public var channel = Channel()
}

extension House {
    /// The house of the `simulation` radio: Kitchen, Hall, Living room, Bedroom and Office, a gateway in each, and twelve tags.
    public init(seed: UInt64) {
        self = .generated(rooms: 5, gateways: 5, tags: 12, seed: seed)
    }

    /// The tags' and bystanders' transmitters in one row, the tags first.
    var transmitters: [Transmitter] { tags.map(\.transmitter) + bystanders.map(\.transmitter) }

    /// The position of one adapter, and how well it receives.
    public struct Gateway: Hashable, Sendable {
        /// The gateway's id, as it stands in topics.
        public var id: String
        /// The name of the room in which it is.
        public var room: String
        /// Where its antenna is.
        public var position: Position
        /// By how many dB its antenna and its RSSI differ from the average adapter's.
        public var offset = 0.0
    }

    /// The place for a gateway of any id, the same in every process.
    ///
    /// A gateway of the house is found by its id. Any other stands in the room whose name or id is `room` (in any case), else in the one whose id is
    /// `id`, else in one that a hash of `id` chooses; and there at a point of the wall which that hash chooses too.
    public func gateway(for id: String, room: String = "") -> Gateway {
        if let known = gateways.first(where: { $0.id == id }) { return known }
        let seed = Seed(seed)[.gateways][id]
        let named =
            plan.rooms.firstIndex { $0.name.lowercased() == room.lowercased() || $0.id == House.id(of: room) }
            ?? plan.rooms.firstIndex { $0.id == id }
        return gateway(id: id, in: named ?? Int(seed.bits % UInt64(plan.rooms.count)), seed: seed)
    }

    /// A gateway near the middle of a wall of the room, between 1 m and 2.2 m up.
    func gateway(id: String, in room: Int, seed: Seed) -> Gateway {
        var chance = seed.generator
        let along = chance.uniform(in: 0.3...0.7)
        let edge = chance.chance(0.5) ? 0.05 : 0.95
        let height = chance.uniform(in: 1.0...2.2)
        let room = plan.rooms[room]
        let position =
            chance.chance(0.5) ? room.point(along, edge, height: height) : room.point(edge, along, height: height)
        return Gateway(id: id, room: room.name, position: position, offset: 1.5 * chance.gaussian())
    }
}
