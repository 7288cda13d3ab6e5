/// A site as the user describes it: its rooms, its doors, and its gateways.
///
/// Names alone suffice; positions and polygons improve the location. Rooms that only a gateway names belong to the site, too.
package struct Site: Hashable, Sendable {
    /// A named room. One or several gateways serve the room, or none.
    package struct Room: Hashable, Sendable {
        package var name: String
        /// The storey. Rooms of different storeys may overlap.
        package var floor: Int
        /// The outline, if the room is drawn.
        package var polygon: Polygon?

        /// A room; without `polygon`, a name only.
        package init(name: String, floor: Int = 0, polygon: Polygon? = nil) {
            self.name = name
            self.floor = floor
            self.polygon = polygon
        }
    }

    package struct Door: Hashable, Sendable {
        /// The room on one side.
        package var from: String
        /// The room on the other side.
        package var to: String
        /// The door's position; `nil`: anywhere along the common wall.
        package var at: Polygon.Point?

        package init(from: String, to: String, at: Polygon.Point? = nil) {
            self.from = from
            self.to = to
            self.at = at
        }
    }

    /// A gateway: a process with one adapter.
    package struct Gateway: Hashable, Sendable {
        package var id: String
        /// The room that the gateway serves. A gateway without a room still helps to distinguish rooms, once fingerprints were learned.
        package var room: String?
        /// The other rooms that the gateway serves, if it is between rooms. Before learning, its RSSI shows only that an item is in one of
        /// its rooms.
        package var otherRooms: [String]
        package var position: Polygon.Point?
        /// Metres above the floor.
        package var height: Double
        /// The gateway's storey; `nil`: that of its room, or 0.
        package var floor: Int?
        /// dB added to each RSSI of the gateway; positive for a gateway that receives badly.
        package var rssiOffset: Double

        /// A gateway; without `position`, a name only.
        package init(
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

        package var rooms: [String] { (room.map { [$0] } ?? []) + otherRooms }
    }

    /// The rooms that are listed themselves.
    package var rooms: [Room]
    package var doors: [Door]
    package var gateways: [Gateway]

    package init(rooms: [Room] = [], doors: [Door] = [], gateways: [Gateway] = []) {
        self.rooms = rooms
        self.doors = doors
        self.gateways = gateways
    }

    /// All rooms, each once. Rooms that only gateways name are last.
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

    func floor(of gateway: Gateway) -> Int {
        gateway.floor ?? rooms.first { $0.name == gateway.room }?.floor ?? 0
    }
}
