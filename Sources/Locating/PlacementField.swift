import Glibc

/// What each gateway of a plan should receive in the rooms around it.
struct PlacementField {
    /// A gateway, and what it receives.
    struct Antenna {
        var gateway: Site.Gateway
        let room: Int
        let served: Set<Int>
        /// dBm by room that is near, in the order of the room's cells.
        var rssiValues: [Int: [Double]]
    }

    /// Metres between two cells, the most cells of a room, and of the rectangle around it: a larger room has a coarser grid.
    private static let (finest, mostCells, mostPoints) = (0.3, 60.0, 2000.0)
    /// The most rooms in which a gateway counts: its own, and those nearest to it.
    private static let mostNear = 12
    /// Metres by which the next storey is farther than a room beside this one.
    private static let storey = 5.0
    /// Metres between two spots along a wall, metres from the wall, and the most spots of a room.
    private static let (step, offWall, mostSpots) = (0.8, 0.15, 48.0)

    let rooms: [Site.Room]
    private(set) var antennas: [Antenna] = []
    private let plan: Plan
    private let cells: [[Plan.Cell]]
    /// By room, the rooms nearest to it, itself the first.
    private let near: [[Int]]
    /// By room, the gateways that count there.
    private var receivers: [[Int]]

    /// The field of a site; `nil` if it has no plan.
    init?(_ site: Site) {
        guard let plan = Plan(site: site) else { return nil }
        let rooms = site.everyRoom
        (self.rooms, self.plan) = (rooms, plan)
        cells = rooms.indices.map { Self.cells(of: rooms[$0], number: $0) }
        near = Self.near(rooms)
        receivers = rooms.map { _ in [] }
        let frame = SiteFrame(site)
        for (gateway, served) in zip(frame.gateways, frame.served) {
            guard let position = gateway.position else { continue }
            let floor = site.floor(of: gateway)
            // A gateway whose room nobody has named is in the room that is drawn around it.
            let room =
                gateway.room.flatMap { frame.roomIndices[$0] }
                ?? rooms.firstIndex { $0.floor == floor && $0.polygon?.contains(position) == true }
            guard let room, rooms[room].polygon != nil else { continue }
            for other in near[room] { receivers[other].append(antennas.count) }
            antennas.append(
                Antenna(
                    gateway: gateway, room: room, served: Set(served + [room]),
                    rssiValues: rssiValues(of: gateway, in: room)))
        }
    }

    /// dBm of a gateway of a room in the rooms near that.
    func rssiValues(of gateway: Site.Gateway, in room: Int) -> [Int: [Double]] {
        Dictionary(
            uniqueKeysWithValues: near[room].map { other in
                (other, cells[other].map { plan.rssi(of: gateway, from: $0) ?? -.infinity })
            })
    }

    mutating func move(_ antenna: Int, to spot: (point: Polygon.Point, rssiValues: [Int: [Double]])) {
        antennas[antenna].gateway.position = spot.point
        antennas[antenna].rssiValues = spot.rssiValues
    }

    /// The share of a room that its own gateways receive best, as expected with the spread of a predicted RSSI; `nil` if the room has none.
    ///
    /// - Parameter changed: what one gateway receives instead.
    func clarity(of room: Int, changed: (antenna: Int, rssiValues: [Int: [Double]])? = nil) -> Double? {
        var own: [[Double]] = []
        var others: [[Double]] = []
        for antenna in receivers[room] {
            let received = antenna == changed?.antenna ? changed?.rssiValues : antennas[antenna].rssiValues
            guard let values = received?[room] else { continue }
            if antennas[antenna].served.contains(room) { own.append(values) } else { others.append(values) }
        }
        guard !own.isEmpty else { return nil }
        var sum = 0.0
        for cell in cells[room].indices {
            let best = own.reduce(-.infinity) { max($0, $1[cell]) }
            sum += others.reduce(1) { $0 * Self.probability(of: best, above: $1[cell]) }
        }
        return sum / Double(cells[room].count)
    }

    /// By how much a move changes the mean clarity of the rooms around, and the room that gains most.
    func gain(
        _ antenna: Int, _ rssiValues: [Int: [Double]], over clarities: [Int: Double]
    ) -> (mean: Double, room: Int, before: Double, after: Double) {
        var gain = (mean: 0.0, room: antennas[antenna].room, before: 0.0, after: -Double.infinity)
        let judged = near[antennas[antenna].room].filter { clarities[$0] != nil }
        for room in judged {
            guard let before = clarities[room], let after = clarity(of: room, changed: (antenna, rssiValues)) else {
                continue
            }
            gain.mean += (after - before) / Double(judged.count)
            if after - before > gain.after - gain.before {
                (gain.room, gain.before, gain.after) = (room, before, after)
            }
        }
        return gain
    }

    /// The clarity of each room that has a gateway.
    func clarities() -> [Int: Double] {
        Dictionary(
            uniqueKeysWithValues: rooms.indices.compactMap { room in clarity(of: room).map { (room, $0) } })
    }

    /// The share of a room in which a gateway of another room receives better than the best of the room's own, by gateway.
    func rivals(in room: Int) -> [(antenna: Int, share: Double)] {
        let own = receivers[room].filter { antennas[$0].served.contains(room) }.compactMap {
            antennas[$0].rssiValues[room]
        }
        guard !own.isEmpty else { return [] }
        return receivers[room].filter { !antennas[$0].served.contains(room) }.map { antenna in
            let values = antennas[antenna].rssiValues[room] ?? []
            let shares = values.indices.map { cell in
                Self.probability(of: values[cell], above: own.reduce(-.infinity) { max($0, $1[cell]) })
            }
            return (antenna, shares.reduce(0, +) / Double(max(1, shares.count)))
        }
    }

    /// The gateways, first those for which most rooms are unclear: their own, and those that they receive too well.
    func byHarm(_ clarities: [Int: Double]) -> [Int] {
        var harm = antennas.map { 1 - (clarities[$0.room] ?? 1) }
        for room in clarities.keys { for rival in rivals(in: room) { harm[rival.antenna] += rival.share } }
        return antennas.indices.sorted { (harm[$1], antennas[$0].gateway.id) < (harm[$0], antennas[$1].gateway.id) }
    }

    /// Where a gateway may be at the walls of its room, and what it receives there.
    func spots(for antenna: Int) -> [(point: Polygon.Point, rssiValues: [Int: [Double]])] {
        var gateway = antennas[antenna].gateway
        let room = antennas[antenna].room
        guard let polygon = rooms[room].polygon else { return [] }
        return Self.spots(in: polygon).map { point in
            gateway.position = point
            return (point, rssiValues(of: gateway, in: room))
        }
    }

    /// The probability that one of two RSSI values is the greater.
    private static func probability(of own: Double, above other: Double) -> Double {
        0.5 * erfc((other - own) / (Plan.spread * 2.0.squareRoot()))
    }

    private static func spots(in polygon: Polygon) -> [Polygon.Point] {
        let corners = polygon.corners
        let walls = corners.indices.map { (from: corners[$0], to: corners[($0 + 1) % corners.count]) }
        let perimeter = walls.reduce(0) { $0 + $1.from.distance(to: $1.to) }
        let step = max(Self.step, perimeter / mostSpots)
        var spots: [Polygon.Point] = []
        var next = step / 2
        for (from, to) in walls {
            let length = from.distance(to: to)
            defer { next -= length }
            while next < length {
                let (ux, uy) = ((to.x - from.x) / length, (to.y - from.y) / length)
                let sides = [offWall, -offWall].map {
                    Polygon.Point(x: from.x + next * ux - $0 * uy, y: from.y + next * uy + $0 * ux)
                }
                if let inside = sides.first(where: polygon.contains) { spots.append(inside) }
                next += step
            }
        }
        return spots
    }

    private static func cells(of room: Site.Room, number: Int) -> [Plan.Cell] {
        guard let polygon = room.polygon else { return [] }
        let (low, high) = polygon.bounds
        let (width, depth) = (high.x - low.x, high.y - low.y)
        let edge = max(
            finest, (polygon.area / mostCells).squareRoot(), (width * depth / mostPoints).squareRoot(),
            (width + depth) / mostPoints)
        var cells: [Plan.Cell] = []
        for x in stride(from: low.x + edge / 2, to: high.x, by: edge) {
            for y in stride(from: low.y + edge / 2, to: high.y, by: edge)
            where polygon.contains(Polygon.Point(x: x, y: y)) {
                cells.append(Plan.Cell(room: number, floor: room.floor, point: Polygon.Point(x: x, y: y)))
            }
        }
        return cells.isEmpty ? [Plan.Cell(room: number, floor: room.floor, point: polygon.corners[0])] : cells
    }

    private static func near(_ rooms: [Site.Room]) -> [[Int]] {
        let middles = rooms.map { room in
            room.polygon.map {
                Polygon.Point(x: ($0.bounds.low.x + $0.bounds.high.x) / 2, y: ($0.bounds.low.y + $0.bounds.high.y) / 2)
            }
        }
        let drawn = rooms.indices.filter { middles[$0] != nil }
        return rooms.indices.map { room in
            guard let middle = middles[room] else { return [] }
            let distances = drawn.map { other in
                let rise = storey * abs(Double(rooms[other].floor) - Double(rooms[room].floor))
                return (room: other, metres: other == room ? -1 : middle.distance(to: middles[other] ?? middle) + rise)
            }
            return distances.sorted { ($0.metres, $0.room) < ($1.metres, $1.room) }.prefix(mostNear).map(\.room)
        }
    }
}
