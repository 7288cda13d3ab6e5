import Testing

@testable import Locating

@Suite struct SiteTests {
    @Test func `a site that is drawn well has no problems`() {
        #expect(Row(rooms: 4).plan.problems().isEmpty)
        #expect(Row(rooms: 4).site.problems().isEmpty)
    }

    @Test func `every problem of a plan is named`() {
        var site = Row(rooms: 4).plan
        site.rooms[1].polygon = site.rooms[0].polygon
        site.rooms[3].name = "room 2"
        site.gateways[0].position = Polygon.Point(x: 100, y: 100)
        site.gateways[2].room = "room 0"
        site.gateways[3].id = "g2"
        site.doors[0].at = Polygon.Point(x: 9, y: 2)
        site.doors[1].to = "cellar"
        site.doors[2].to = "room 2"
        let problems = site.problems()
        #expect(problems.contains(.doubleRoom("room 2")))
        #expect(problems.contains(.doubleGateway("g2")))
        #expect(problems.contains(.overlap("room 0", "room 1", squareMetres: 16)))
        #expect(problems.contains(.doorToNowhere("cellar")))
        #expect(problems.contains(.doorWithin("room 2")))
        #expect(problems.contains(.doorAway(from: "room 0", to: "room 1", metres: 5)))
        #expect(problems.contains(.gatewayOutside("g0")))
        #expect(problems.contains(.gatewayElsewhere("g2", serves: "room 0", standsIn: "room 2")))
    }

    @Test func `an outline needs three corners, an area, and numbers`() {
        func polygon(_ corners: [(Double, Double)]) -> Polygon? {
            Polygon(corners: corners.map { Polygon.Point(x: $0.0, y: $0.1) })
        }
        #expect(polygon([(0, 0), (1, 1)]) == nil)
        #expect(polygon([(0, 0), (1, 1), (2, 2)]) == nil)
        #expect(polygon([(0, 0), (.nan, 1), (2, 0)]) == nil)
        #expect(polygon([(0, 0), (1e9, 1), (2, 0)]) == nil)
        #expect(polygon([(0, 0), (0, 2), (2, 0)])?.area == 2)
    }
}
