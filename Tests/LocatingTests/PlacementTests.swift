import Beacons
import Testing

@testable import Locating

@Suite struct PlacementTests {
    private static func room(_ name: String, x: Double, width: Double = 4, depth: Double = 4) -> Site.Room {
        let corners = [(x, 0.0), (x + width, 0), (x + width, depth), (x, depth)].map { Polygon.Point(x: $0.0, y: $0.1) }
        return Site.Room(name: name, polygon: Polygon(corners: corners))
    }

    private static func gateway(_ room: String, _ x: Double, _ y: Double) -> Site.Gateway {
        Site.Gateway(id: room.lowercased(), room: room, position: Polygon.Point(x: x, y: y), height: 1.5)
    }

    /// Hall's gateway is at the wall to the kitchen, whose own is at the far end.
    private static let confusing = Site(
        rooms: [room("Hall", x: 0), room("Kitchen", x: 4, width: 8), room("Office", x: 12)],
        gateways: [gateway("Hall", 3.9, 2), gateway("Kitchen", 11.9, 3.9), gateway("Office", 14, 2)])

    @Test func `a move towards the room's middle is advised if another gateway is at its wall`() throws {
        let placement = try #require(Placement(site: Self.confusing))
        let kitchen = try #require(placement.rooms.first)
        #expect(kitchen.room == "Kitchen" && kitchen.byPlan > 0.4)
        let move = try #require(placement.moves.first)
        #expect(move.gain >= Placement.leastGain && move.after > move.before)
        var moved = Self.confusing
        let index = try #require(moved.gateways.firstIndex { $0.id == move.gateway })
        moved.gateways[index].position = move.to
        let better = try #require(Placement(site: moved)?.rooms.first { $0.room == move.gainingRoom })
        #expect(abs(1 - better.byPlan - move.after) < 1e-9)
    }

    @Test func `nothing is advised for rooms whose gateways are in the middle and far from each other`() throws {
        let site = Site(
            rooms: [Self.room("Hall", x: 0), Self.room("Kitchen", x: 20)],
            gateways: [Self.gateway("Hall", 2, 2), Self.gateway("Kitchen", 22, 2)])
        let placement = try #require(Placement(site: site))
        #expect(placement.confused.isEmpty && placement.moves.isEmpty)
    }

    @Test func `a gateway without a room belongs to the room that is drawn around it`() throws {
        var site = Self.confusing
        for index in site.gateways.indices { site.gateways[index].room = nil }
        #expect(Placement(site: site)?.moves == Placement(site: Self.confusing)?.moves)
    }

    @Test func `there is no advice without two rooms that have an outline and a gateway`() {
        #expect(Placement(site: Site(gateways: [Self.gateway("Hall", 0, 0)])) == nil)
        var site = Self.confusing
        site.gateways.removeLast(2)
        #expect(Placement(site: site) == nil)
        #expect(Placement(site: Self.confusing)?.roomsWithoutGateway == [])
        site = Self.confusing
        site.gateways.removeLast()
        #expect(Placement(site: site)?.roomsWithoutGateway == ["Office"])
    }

    @Test func `a survey confuses a room that the plan does not, and a short one counts for nothing`() throws {
        func isConfused(_ seconds: Double, _ share: Double) throws -> Bool {
            let survey = Survey.Elsewhere(room: "Office", seconds: seconds, share: share, other: "Kitchen")
            let placement = try #require(Placement(site: Self.confusing, surveys: [survey]))
            return placement.confused.contains { $0.room == "Office" && $0.other == "Kitchen" }
        }
        #expect(try isConfused(60, 1))
        #expect(try !isConfused(60, 0.1))
        #expect(try !isConfused(20, 1))
    }

    @Test func `of many gateways those that do most harm are moved`() throws {
        let rooms = (0..<36).map { Self.room("Room \($0)", x: Double($0), width: 1, depth: 1) }
        let gateways = (0..<36).map { Self.gateway("Room \($0)", Double($0) + 0.95, 0.5) }
        let placement = try #require(Placement(site: Site(rooms: rooms, gateways: gateways)))
        #expect(placement.gateways == 36 && placement.examinedGateways == Placement.mostExamined)
        #expect(placement.moves.count <= Placement.mostMoves)
    }

    @Test func `the share of a survey that is received best elsewhere is counted over means of 5 s`() throws {
        var history = RSSIHistory(gateways: ["hall", "kitchen", "porch"])
        for second in 0..<60 {
            // The kitchen's gateway is better for the last 15 s; a gateway without a room is not in the comparison.
            let hall: Float = second < 45 ? -60 : -80
            history.append(
                RSSIHistory.Sample(at: Instant(milliseconds: Int64(second) * 1000), rssiValues: [hall, -70, -40]))
        }
        let site = Site(gateways: [
            Site.Gateway(id: "hall", room: "Hall"), Site.Gateway(id: "kitchen", room: "Kitchen"),
            Site.Gateway(id: "porch", room: nil),
        ])
        let elsewhere = try #require(Survey(room: "Hall", history: history).elsewhere(site: site))
        #expect(elsewhere.other == "Kitchen" && elsewhere.share > 0.15 && elsewhere.share < 0.25)
        #expect(Survey(room: "Attic", history: history).elsewhere(site: site) == nil)
    }
}
