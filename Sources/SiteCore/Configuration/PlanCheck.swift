import Locating
import Settings

/// Checks that rooms, doors and gateways fit together, and notes each problem at the table's line.
struct PlanCheck {
    private(set) var rooms: [(settings: Site.Room, line: Int, table: SettingsTable)] = []
    private(set) var doors: [(settings: Site.Door, table: SettingsTable)] = []
    private(set) var gateways: [(settings: GatewaySettings, table: SettingsTable)] = []
    private var roomNames = UniqueNames()
    private var gatewayIDs = UniqueNames()
    /// Whether all rooms have valid names. A room without one may be any room that another table names.
    private var allRoomsAreKnown = true

    /// Outlines are accurate to about 5 cm, so an overlap of that width is ignored.
    private static let drawingTolerance = 0.05
    /// A gateway may hang on either side of a wall, whose thickness the plan does not have.
    private static let wallTolerance = 0.3
    /// The position of a door is approximate.
    private static let doorTolerance = 1.0

    mutating func add(_ room: Site.Room?, _ table: SettingsTable) {
        guard let room else { return allRoomsAreKnown = false }
        roomNames.check(room.name, "name", in: table)
        rooms.append((room, table.line ?? 0, table))
    }

    mutating func add(_ door: Site.Door?, _ table: SettingsTable) {
        if let door { doors.append((door, table)) }
    }

    mutating func add(_ gateway: GatewaySettings?, _ table: SettingsTable) {
        guard let gateway else { return }
        gatewayIDs.check(gateway.id, "id", in: table)
        gateways.append((gateway, table))
    }

    /// Whether there is an outline, a door, or a position.
    var hasPlan: Bool {
        !doors.isEmpty || rooms.contains { $0.settings.polygon != nil }
            || gateways.contains { $0.settings.position != nil }
    }

    /// Adds a plan that was drawn on the page. A room or gateway that is there already gets its outline or position.
    mutating func complete(with drawn: SettingsTable) {
        var (names, ids) = (UniqueNames(), UniqueNames())
        for table in drawn.tables("room") {
            // What is beyond the limit is read, but not compared with all the others.
            guard let room = Site.Room(table), rooms.count <= SiteConfiguration.mostRooms else { continue }
            names.check(room.name, "name", in: table)
            if let index = rooms.firstIndex(where: { $0.settings.name == room.name }) {
                (rooms[index].settings.floor, rooms[index].settings.polygon) = (room.floor, room.polygon)
                rooms[index].table = table
            } else {
                rooms.append((room, table.line ?? 0, table))
            }
        }
        for table in drawn.tables("door") { add(Site.Door(table), table) }
        for table in drawn.tables("gateway") {
            guard let gateway = GatewaySettings(table), gateways.count <= GatewayRecord.most else { continue }
            ids.check(gateway.id, "id", in: table)
            if let index = gateways.firstIndex(where: { $0.settings.id == gateway.id }) {
                (gateways[index].settings.floor, gateways[index].settings.position) = (gateway.floor, gateway.position)
                gateways[index].table = table
            } else {
                gateways.append((gateway, table))
            }
        }
    }

    /// - Parameter top: the top of the file that has the plan.
    func run(notingExcessIn top: SettingsTable) {
        let outlines = rooms.count { $0.settings.polygon != nil }
        if rooms.count > SiteConfiguration.mostRooms {
            return top.note("room", "is written \(rooms.count) times: at most \(SiteConfiguration.mostRooms)")
        }
        if outlines > SiteConfiguration.mostOutlines {
            return top.note(
                "room", "tables: \(outlines) rooms have an outline: at most \(SiteConfiguration.mostOutlines)")
        }
        if gateways.count > GatewayRecord.most {
            return top.note("gateway", "is written \(gateways.count) times: at most \(GatewayRecord.most)")
        }
        checkOverlaps()
        for door in doors { check(door.settings, door.table) }
        for gateway in gateways { check(gateway.settings, gateway.table) }
    }

    // Each room is reported once at most, with the first room that it overlaps.
    private func checkOverlaps() {
        for (index, room) in rooms.enumerated() {
            guard let polygon = room.settings.polygon else { continue }
            for other in rooms[..<index] where other.settings.floor == room.settings.floor {
                guard let area = other.settings.polygon?.overlap(with: polygon, tolerance: Self.drawingTolerance) else {
                    continue
                }
                room.table.note(
                    "polygon_m",
                    "of \"\(room.settings.name)\" overlaps that of \"\(other.settings.name)\" (line \(other.line)) by "
                        + "\(rounded(area)) m²: correct one of them")
                break
            }
        }
    }

    private func check(_ door: Site.Door, _ table: SettingsTable) {
        guard checkNames([door.from, door.to], "between", table) else { return }
        if door.from == door.to {
            table.note("between", "has \"\(door.from)\" twice: write two rooms")
            return
        }
        for name in [door.from, door.to] {
            guard let at = door.at, let polygon = room(name)?.polygon else { continue }
            let distance = polygon.distance(to: at)
            if distance > Self.doorTolerance {
                table.note("at_m", "is \(rounded(distance)) m from \"\(name)\": write a position between the two rooms")
                return
            }
        }
    }

    private func check(_ gateway: GatewaySettings, _ table: SettingsTable) {
        let room = gateway.room.flatMap(room)
        let names = (gateway.room.map { [$0] } ?? []) + gateway.otherRooms
        if !checkNames(names, table.has("rooms") ? "rooms" : "room", table) { return }
        // A gateway whose room has no outline may hang anywhere.
        guard let position = gateway.position, room == nil || room?.polygon != nil else { return }
        let floor = gateway.floor ?? room?.floor ?? 0
        let distances = rooms.filter { $0.settings.floor == floor }.compactMap {
            $0.settings.polygon?.distance(to: position)
        }
        guard let least = distances.min(), least > Self.wallTolerance else { return }
        table.note(
            "position_m",
            "of \"\(gateway.id)\" is \(rounded(least)) m outside every room of floor \(floor): correct it, or floor")
    }

    // Without any [[room]], every name is valid.
    private func checkNames(_ names: [String], _ key: String, _ table: SettingsTable) -> Bool {
        guard allRoomsAreKnown, !rooms.isEmpty else { return true }
        let unknown = names.filter { room($0) == nil }
        for name in unknown { table.noteUnknown(key, name, as: "[[room]]", among: rooms.map(\.settings.name)) }
        return unknown.isEmpty
    }

    private func room(_ name: String) -> Site.Room? {
        rooms.first { $0.settings.name == name }?.settings
    }

    // To the centimetre.
    private func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }
}
