import Glibc

/// The cells of a site's floor plan: where an item may be, which RSSI the gateways should receive from there, and where an item can move
/// to.
struct Plan: Sendable {
    struct Cell: Hashable, Sendable {
        var room: Int
        var floor: Int
        var point: Polygon.Point
    }

    /// Metres: the edge of a cell, unless the site is so large that it would have more than `limit` of them.
    static let finest = 0.6
    /// Cells at most; a larger site gets larger ones.
    static let limit = 400
    /// Points of the raster that are looked at, at most: a long narrow room has few cells for its many points.
    private static let mostPoints = 100 * limit
    /// Metres: an outline reaches 10 km from the origin, so no room has two cells of this edge. A site of more than `limit` rooms has more than
    /// `limit` cells even then.
    private static let coarsest = 4e4

    /// dBm at 1 m. `TagPower` has the difference of a tag from it.
    static let atOneMetre = -45.0
    /// The path loss exponent of furnished rooms.
    private static let exponent = 2.2
    /// dB lost in a wall between two rooms, as in plaster or brick.
    private static let wall = 3.0
    /// dB lost in a floor.
    private static let slab = 12.0
    /// Metres above the floor at which items are carried.
    private static let carried = 1.3
    /// Metres from storey to storey.
    private static let storey = 2.8
    /// Metres around a door within which cells of its two rooms are connected.
    private static let doorway = 0.9
    /// dB: the standard deviation of a predicted RSSI.
    static let spread = 6.0

    /// The cells, room by room.
    let cells: [Cell]
    /// Metres: the edge of a cell.
    let edge: Double

    private let site: Site
    private let rooms: [Site.Room]
    private let floors: [Int: RoomGrid]

    /// The plan of a site; `nil` if no room has an outline.
    init?(site: Site) {
        let rooms = site.everyRoom
        let area = rooms.reduce(0) { $0 + ($1.polygon?.area ?? 0) }
        guard area > 0 else { return nil }
        let outlines = rooms.enumerated().compactMap { room, drawn in drawn.polygon.map { (room: room, polygon: $0) } }
        floors = Dictionary(grouping: outlines) { rooms[$0.room].floor }.mapValues { RoomGrid($0) }
        var rectangles = 0.0
        for (low, high) in outlines.map(\.polygon.bounds) {
            rectangles += (high.x - low.x + 1) * (high.y - low.y + 1)
        }
        var edge = max(
            Self.finest, (area / Double(Self.limit)).squareRoot(), (rectangles / Double(Self.mostPoints)).squareRoot())
        var cells = Self.cells(of: rooms, edge: edge)
        while cells.count > Self.limit, edge < Self.coarsest {
            edge *= 1.05
            cells = Self.cells(of: rooms, edge: edge)
        }
        self.cells = cells
        self.edge = edge
        self.site = site
        self.rooms = rooms
    }

    /// The storey of a room that is drawn; `nil` for one that is not.
    func floor(of room: Int) -> Int? { rooms[room].polygon == nil ? nil : rooms[room].floor }

    /// Whether a point is in a room that is drawn.
    func contains(_ point: Polygon.Point, room: Int) -> Bool { rooms[room].polygon?.contains(point) ?? false }

    private static func cells(of rooms: [Site.Room], edge: Double) -> [Cell] {
        var cells: [Cell] = []
        for (room, drawn) in rooms.enumerated() {
            guard let polygon = drawn.polygon else { continue }
            let before = cells.count
            let (low, high) = polygon.bounds
            // One raster for all rooms, so that cells of neighbouring rooms lie beside each other.
            var x = ((low.x / edge).rounded(.down) + 0.5) * edge
            while x < high.x, cells.count <= limit {
                var y = ((low.y / edge).rounded(.down) + 0.5) * edge
                while y < high.y, cells.count <= limit {
                    let point = Polygon.Point(x: x, y: y)
                    if polygon.contains(point) { cells.append(Cell(room: room, floor: drawn.floor, point: point)) }
                    y += edge
                }
                x += edge
            }
            if cells.count == before {
                let middle = Polygon.Point(x: (low.x + high.x) / 2, y: (low.y + high.y) / 2)
                cells.append(Cell(room: room, floor: drawn.floor, point: middle))
            }
        }
        return cells
    }

    /// dBm of a gateway that is not on the plan, in its own room and in another: what the law gives at 4 m and at 9 m through two walls.
    static let withoutPosition = (own: -58.0, other: -72.0)

    /// dBm that a gateway should receive from a cell; `nil` of a gateway without a position.
    func rssi(of gateway: Site.Gateway, from cell: Cell) -> Double? {
        guard let position = gateway.position, position.distance(to: cell.point).isFinite, gateway.height.isFinite
        else { return nil }
        let (rises, isOverflow) = site.floor(of: gateway).subtractingReportingOverflow(cell.floor)
        let storeys = isOverflow ? 3 : min(3, rises.magnitude)
        let rise = gateway.height - Self.carried + Double(storeys) * Self.storey
        let flat = cell.point.distance(to: position)
        let distance = max(1, (flat * flat + rise * rise).squareRoot())
        let walls = storeys == 0 ? Double(wallsBetween(cell.point, position, floor: cell.floor)) : 0
        return Self.atOneMetre - 10 * Self.exponent * log10(distance) - Self.wall * walls
            - Self.slab * Double(storeys)
    }

    /// The changes of room on the straight line between two points.
    private func wallsBetween(_ a: Polygon.Point, _ b: Polygon.Point, floor: Int) -> Int {
        let samples = 40
        var walls = 0
        var last: Int?
        guard let grid = floors[floor] else { return 0 }
        for index in 0..<samples {
            let share = 0.01 + 0.98 * Double(index) / Double(samples - 1)
            let point = Polygon.Point(x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y))
            guard let room = grid.room(at: point) else { continue }
            if let last, room != last { walls += 1 }
            last = room
        }
        return walls
    }

    /// The connections between neighbouring cells. If the site has doors, rooms are connected only near them, and storeys only where a door
    /// joins two rooms that overlap.
    func edges() -> [Motion.Edge] {
        let doors = Dictionary(grouping: site.doors) { Set([$0.from, $0.to]) }
        var edges: [Motion.Edge] = []
        for (from, a) in cells.enumerated() {
            for (to, b) in cells.enumerated() where from != to {
                let distance = a.point.distance(to: b.point)
                guard distance < 1.5 * edge, a.room == b.room || isOpen(from: a, to: b, doors) else { continue }
                let rate = Motion.diffusion / (edge * max(distance, 0.5 * edge))
                edges.append(Motion.Edge(from: from, to: to, rate: rate))
            }
        }
        return edges
    }

    private func isOpen(from a: Cell, to b: Cell, _ doors: [Set<String>: [Site.Door]]) -> Bool {
        if doors.isEmpty { return a.floor == b.floor }
        guard let joining = doors[[rooms[a.room].name, rooms[b.room].name]] else { return false }
        let middle = Polygon.Point(x: (a.point.x + b.point.x) / 2, y: (a.point.y + b.point.y) / 2)
        return joining.contains { $0.at.map { $0.distance(to: middle) < max(Self.doorway, edge) } ?? true }
    }
}
