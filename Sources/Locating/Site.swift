/// What is known of a place before anything was heard: its rooms, its doors, and its gateways.
///
/// Names alone suffice; positions and polygons make it better. Rooms that only a gateway names belong to it too.
public struct Site: Hashable, Sendable {
    /// A named place. One or several gateways serve it, or none.
    public struct Room: Hashable, Sendable {
        /// What people call it.
        public var name: String
        /// The storey; rooms of different storeys may lie over each other.
        public var floor: Int
        /// Its outline, where there is a plan.
        public var polygon: Polygon?

        /// A room; without `polygon`, a name.
        public init(name: String, floor: Int = 0, polygon: Polygon? = nil) {
            self.name = name
            self.floor = floor
            self.polygon = polygon
        }
    }

    /// A way between two rooms.
    public struct Door: Hashable, Sendable {
        /// One side.
        public var from: String
        /// The other side.
        public var to: String
        /// Where it is; `nil`: anywhere along the common wall.
        public var at: Polygon.Point?

        /// A door between two rooms.
        public init(from: String, to: String, at: Polygon.Point? = nil) {
            self.from = from
            self.to = to
            self.at = at
        }
    }

    /// A process that hears with one adapter.
    public struct Gateway: Hashable, Sendable {
        /// Its id, as in topics.
        public var id: String
        /// The room that it serves; a gateway without one still helps to tell rooms apart once they were surveyed or lived in.
        public var room: String?
        /// The other rooms that it serves, if it is between rooms: by names its levels state only that an item is in one of them.
        public var otherRooms: [String]
        /// Where it is on its floor.
        public var position: Polygon.Point?
        /// Metres above its floor.
        public var height: Double
        /// Its storey; `nil`: that of its room, or 0.
        public var floor: Int?
        /// Added to each RSSI it reports, in dB: positive for one that hears badly.
        public var rssiOffset: Double

        /// A gateway; without `position`, a name.
        public init(
            id: String, room: String?, otherRooms: [String] = [], position: Polygon.Point? = nil, height: Double = 2,
            floor: Int? = nil, rssiOffset: Double = 0
        ) {
            self.id = id
            self.room = room
            self.otherRooms = otherRooms
            self.position = position
            self.height = height
            self.floor = floor
            self.rssiOffset = rssiOffset
        }

        /// All rooms that it serves.
        var rooms: [String] { (room.map { [$0] } ?? []) + otherRooms }
    }

    /// The rooms that were named by themselves.
    public var rooms: [Room]
    /// The ways between them.
    public var doors: [Door]
    /// Who listens.
    public var gateways: [Gateway]

    /// A site of rooms, doors and gateways.
    public init(rooms: [Room] = [], doors: [Door] = [], gateways: [Gateway] = []) {
        self.rooms = rooms
        self.doors = doors
        self.gateways = gateways
    }

    /// All rooms, those only named by gateways last, each once.
    var everyRoom: [Room] {
        var known = Set<String>()
        var all: [Room] = []
        for room in rooms where known.insert(room.name).inserted { all.append(room) }
        for gateway in gateways {
            for name in gateway.rooms where known.insert(name).inserted {
                all.append(Room(name: name, floor: gateway.floor ?? 0))
            }
        }
        return all
    }

    /// The storey of a gateway.
    func floor(of gateway: Gateway) -> Int {
        gateway.floor ?? rooms.first { $0.name == gateway.room }?.floor ?? 0
    }
}
