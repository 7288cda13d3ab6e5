import Beacons
import Testing

@testable import Locating

@Suite struct PlanTests {
    /// Square rooms of 3 m in rows of 25.
    private static func rooms(_ count: Int) -> [Site.Room] {
        (0..<count).map { number in
            let (x, y) = (Double(number % 25) * 3, Double(number / 25) * 3)
            let corners = [(x, y), (x + 3, y), (x + 3, y + 3), (x, y + 3)].map { Polygon.Point(x: $0.0, y: $0.1) }
            return Site.Room(name: "room \(number)", polygon: Polygon(corners: corners))
        }
    }

    // Without an end of the raster's loop, this test does not end either.
    @Test(arguments: [Plan.limit, Plan.limit + 1, 2000])
    func `a plan of many rooms has a cell in each`(count: Int) throws {
        let plan = try #require(Plan(site: Site(rooms: Self.rooms(count))))
        #expect(Set(plan.cells.map(\.room)).count == count)
        #expect(plan.cells.count == count)
    }

    @Test func `a plan of long narrow rooms is made from few points`() throws {
        // A corridor of 28 km, 1 mm wide: as far as outlines may reach, with hardly any area.
        let rooms = (0..<Plan.limit).map { number in
            let corners = [(-1e4, -1e4), (1e4, 1e4 - 0.01), (1e4, 1e4)].map { Polygon.Point(x: $0.0, y: $0.1) }
            return Site.Room(name: "corridor \(number)", floor: number, polygon: Polygon(corners: corners))
        }
        let plan = try #require(Plan(site: Site(rooms: rooms)))
        #expect(Set(plan.cells.map(\.room)).count == rooms.count && plan.cells.count <= Plan.limit)
    }

    @Test func `a plan of small rooms with many doors has its edges soon`() throws {
        // All rooms are within one edge of a cell, so each pair of cells is looked at.
        let rooms = (0..<Plan.limit).map { number in
            let x = Double(number) * 0.002
            let corners = [(x, 0), (x + 0.1, 0), (x + 0.1, 0.2)].map { Polygon.Point(x: $0.0, y: $0.1) }
            return Site.Room(name: "cupboard \(number)", floor: number, polygon: Polygon(corners: corners))
        }
        let doors = (0..<30_000).map {
            Site.Door(from: "cupboard \($0 % 399)", to: "cupboard \($0 % 399 + 1)")
        }
        let plan = try #require(Plan(site: Site(rooms: rooms, doors: doors)))
        #expect(plan.edges().count == 2 * 399)
    }

    @Test func `the room at a point is the first whose outline has it inside`() {
        var generator = SplitMix64(seed: 4)
        let outlines = Self.rooms(60).enumerated().compactMap { index, room in
            room.polygon.map { (room: index + 7, polygon: $0) }
        }
        let lone = [(room: 3, polygon: outlines[0].polygon)]
        for grid in [outlines, outlines + outlines.reversed(), lone] {
            let index = RoomGrid(grid)
            var found = 0
            for _ in 0..<2000 {
                let point = Polygon.Point(
                    x: Double.random(in: -2...80, using: &generator), y: Double.random(in: -2...12, using: &generator))
                let room = grid.first { $0.polygon.contains(point) }?.room
                #expect(index.room(at: point) == room)
                found += room == nil ? 0 : 1
            }
            #expect(found > 10)
        }
    }

    @Test(arguments: [(60, 61), (-20, -19), (199, 200)])
    func `a storey attenuates a signal, however high the house is`(low: Int, high: Int) throws {
        let square = Polygon(corners: [(0, 0), (3, 0), (3, 3), (0, 3)].map { Polygon.Point(x: $0.0, y: $0.1) })
        let rooms = [low, high].map { Site.Room(name: "room \($0)", floor: $0, polygon: square) }
        let gateway = Site.Gateway(id: "g", room: "room \(low)", position: Polygon.Point(x: 1, y: 1))
        let plan = try #require(Plan(site: Site(rooms: rooms, gateways: [gateway])))
        let rssi = rooms.map { room in
            plan.cells.filter { $0.floor == room.floor }.compactMap { plan.rssi(of: gateway, from: $0) }.max() ?? 0
        }
        #expect(rssi[0] - rssi[1] > 10)
    }

    @Test func `the position of an item stays with each newer model of the same plan`() throws {
        let row = Row(rooms: 3, noise: 0)
        var site = row.plan
        var locator = Locator(model: LocatorModel(site: site))
        for second in 0..<60 {
            for (gateway, rssi) in [-58.0, -66, -75].enumerated() {
                locator.report(gateway: gateway, rssi: rssi, at: Instant(milliseconds: Int64(second) * 1000))
            }
        }
        let now = Instant(milliseconds: 59_000)
        let before = try #require(locator.estimate(at: now).position)
        for _ in 1...2 {
            site.gateways[2].rssiOffset += 0.5
            locator.adopt(LocatorModel(site: site))
            let after = try #require(locator.estimate(at: now).position)
            #expect(after.point.distance(to: before.point) < 0.01)
            #expect(abs(after.accuracy - before.accuracy) < 0.01)
        }
        // With another gateway, the places are the same.
        site.gateways.append(Site.Gateway(id: "new", room: "room 2", position: Polygon.Point(x: 9, y: 1)))
        locator.adopt(LocatorModel(site: site))
        #expect(try #require(locator.estimate(at: now).position).point.distance(to: before.point) < 0.01)
    }

    @Test func `on a plan an item has a position in its room`() throws {
        var row = Row(rooms: 3, noise: 2)
        var locator = Locator(model: LocatorModel(site: row.plan))
        for second in 0..<30 {
            for gateway in 0..<3 {
                let at = Instant(milliseconds: Int64(second) * 1000)
                locator.report(gateway: gateway, rssi: row.rssi(gateway, from: 1), at: at)
            }
        }
        let estimate = locator.estimate(at: Instant(milliseconds: 30_000))
        let position = try #require(estimate.position)
        #expect(estimate.room == "room 1")
        #expect((4...8).contains(position.point.x))
        #expect((0...4).contains(position.point.y))
        #expect((0.1...4).contains(position.accuracy))
    }

    @Test func `the position of an item is in the estimated room, also while the posterior moves to the next room`()
        throws
    {
        var row = Row(rooms: 3)
        let rooms = row.plan.rooms
        var locator = Locator(model: LocatorModel(site: row.plan))
        var outside = 0
        for step in 0..<600 {
            let at = Instant(milliseconds: Int64(step) * 200)
            for gateway in 0..<3 {
                locator.report(gateway: gateway, rssi: row.rssi(gateway, from: step / 100 % 2), at: at)
            }
            let estimate = locator.estimate(at: at)
            let position = try #require(estimate.position)
            let room = try #require(rooms.first { $0.name == estimate.room })
            if room.polygon?.contains(position.point) != true { outside += 1 }
        }
        #expect(outside == 0)
    }

    @Test func `the position of an item in a room with a corner does not lie beyond the corner`() throws {
        func polygon(_ corners: [(Double, Double)]) -> Polygon? {
            Polygon(corners: corners.map { Polygon.Point(x: $0.0, y: $0.1) })
        }
        let hall = try #require(polygon([(0, 0), (8, 0), (8, 1), (1, 1), (1, 8), (0, 8)]))
        let gateways = [(0.5, 7.5), (7.5, 0.5)].enumerated().map {
            Site.Gateway(id: "g\($0)", room: "hall", position: Polygon.Point(x: $1.0, y: $1.1))
        }
        var locator = Locator(
            model: LocatorModel(site: Site(rooms: [Site.Room(name: "hall", polygon: hall)], gateways: gateways)))
        for gateway in 0..<2 { locator.report(gateway: gateway, rssi: -60, at: .zero) }
        let position = try #require(locator.estimate(at: .zero).position)
        #expect(hall.contains(position.point))
    }

    @Test func `the position of an item is asked of another room than the estimated one`() throws {
        var row = Row(rooms: 3, noise: 2)
        var locator = Locator(model: LocatorModel(site: row.plan))
        for gateway in 0..<3 { locator.report(gateway: gateway, rssi: row.rssi(gateway, from: 1), at: .zero) }
        _ = locator.estimate(at: .zero)
        let position = try #require(locator.position(in: "room 2"))
        #expect((8...12).contains(position.point.x))
        #expect(locator.position(in: "garden") == nil)
    }

    @Test func `the position on the plan is no more certain than the room`() throws {
        let corners = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)].map { Polygon.Point(x: $0.0, y: $0.1) }
        let gateways = [(3.0, 3.0), (7.0, 3.0), (3.0, 7.0), (7.0, 7.0)].enumerated().map {
            Site.Gateway(id: "g\($0)", room: "loft", position: Polygon.Point(x: $1.0, y: $1.1))
        }
        let loft = Site(rooms: [Site.Room(name: "loft", polygon: Polygon(corners: corners))], gateways: gateways)
        var locator = Locator(model: LocatorModel(site: loft))
        for second in 0..<30 {
            for gateway in 0..<4 {
                locator.report(gateway: gateway, rssi: -58, at: Instant(milliseconds: Int64(second) * 1000))
            }
        }
        let position = try #require(locator.estimate(at: Instant(milliseconds: 30_000)).position)
        let cells = try #require(locator.model.stateSpace.plan).cells
        var believed = 0.0
        for (cell, share) in zip(cells, locator.belief) {
            let distance = cell.point.distance(to: position.point)
            believed += share * distance * distance
        }
        #expect(position.accuracy > 1.05 * believed.squareRoot())
        #expect(position.accuracy < 2 * believed.squareRoot())
    }

    @Test func `one gets from room to room only through a door`() {
        var site = Row(rooms: 3).plan
        /// The belief in the last room, a while after the item was surely in the first.
        func arrived() -> Double {
            let stateSpace = StateSpace(site: site)
            var belief = stateSpace.places.map { $0 == 0 ? 1.0 : 0 }
            for place in belief.indices { belief[place] /= Double(stateSpace.places.count { $0 == 0 }) }
            stateSpace.motion.move(&belief, seconds: 30)
            return zip(stateSpace.places, belief).reduce(0) { $1.0 == 2 ? $0 + $1.1 : $0 }
        }
        let open = arrived()
        site.doors[1].at = nil
        site.doors[1].to = "room 0"
        let closed = arrived()
        #expect(open > 0.1)
        #expect(closed < 0.1)
    }

    @Test func `moving keeps the belief a belief`() {
        let stateSpace = StateSpace(site: Row(rooms: 4).plan)
        for seconds in [0.1, 1, 60] {
            var belief = stateSpace.places.indices.map { $0 == 7 ? 1.0 : 0 }
            stateSpace.motion.move(&belief, seconds: seconds)
            #expect(abs(belief.reduce(0, +) - 1) < 1e-9)
            #expect(belief.allSatisfy { $0 >= 0 })
        }
    }

    @Test func `a large site has no more cells than the limit`() {
        let corners = [(0.0, 0.0), (90.0, 0.0), (90.0, 70.0), (0.0, 70.0)].map { Polygon.Point(x: $0.0, y: $0.1) }
        let site = Site(rooms: [Site.Room(name: "field", polygon: Polygon(corners: corners))])
        #expect((300...Plan.limit).contains(Plan(site: site)!.cells.count))
    }

    @Test func `a room too small for a cell has one all the same`() {
        let corners = [(0.0, 0.0), (0.2, 0.0), (0.2, 0.2), (0.0, 0.2)].map { Polygon.Point(x: $0.0 + 1, y: $0.1 + 1) }
        var site = Row(rooms: 2).plan
        site.rooms.append(Site.Room(name: "cupboard", floor: 1, polygon: Polygon(corners: corners)))
        #expect(Plan(site: site)!.cells.count { $0.room == 2 } == 1)
    }

    @Test func `a room without an outline and a gateway without a position work beside a plan`() {
        var row = Row(rooms: 4, noise: 3)
        var site = row.plan
        site.rooms[3].polygon = nil
        site.gateways[2].position = nil
        site.gateways[3].position = nil
        let rooms = replayed(LocatorModel(site: site), row.recording([(0, 40), (3, 40), (2, 40)])).map(\.room)
        #expect([rooms[35], rooms[75], rooms[115]] == ["room 0", "room 3", "room 2"])
    }

    @Test func `of two storeys the one is reported whose gateways receive better`() {
        var site = Row(rooms: 2).plan
        for index in 0..<2 {
            var room = site.rooms[index]
            room.name = "upper \(index)"
            room.floor = 1
            site.rooms.append(room)
            var gateway = site.gateways[index]
            gateway.id = "u\(index)"
            gateway.room = room.name
            site.gateways.append(gateway)
        }
        var locator = Locator(model: LocatorModel(site: site))
        for second in 0..<30 {
            for (gateway, rssi) in [(0, -75.0), (1, -80.0), (2, -52.0), (3, -66.0)] {
                locator.report(gateway: gateway, rssi: rssi, at: Instant(milliseconds: Int64(second) * 1000))
            }
        }
        let estimate = locator.estimate(at: Instant(milliseconds: 30_000))
        #expect(estimate.room == "upper 0")
        #expect(estimate.position?.floor == 1)
    }
}
