import Testing

@testable import Locating

/// Outlines on a plan.
struct PolygonTests {
    private func polygon(_ corners: (Double, Double)...) -> Polygon {
        Polygon(corners: corners.map { Polygon.Point(x: $0.0, y: $0.1) })!
    }

    private var square: Polygon { polygon((0, 0), (2, 0), (2, 2), (0, 2)) }
    // An L: the square of 4 m without its upper right quarter.
    private var corner: Polygon { polygon((0, 0), (4, 0), (4, 2), (2, 2), (2, 4), (0, 4)) }

    @Test func `an area does not depend on the direction of the corners`() {
        #expect(square.area == 4 && corner.area == 12)
        #expect(Polygon(corners: corner.corners.reversed())?.area == 12)
    }

    @Test func `a point inside a polygon has the distance 0`() {
        #expect(corner.contains(Polygon.Point(x: 1, y: 3)) && !corner.contains(Polygon.Point(x: 3, y: 3)))
        #expect(corner.distance(to: Polygon.Point(x: 1, y: 1)) == 0)
        #expect(corner.distance(to: Polygon.Point(x: 3, y: 2.5)) == 0.5)
        #expect(square.distance(to: Polygon.Point(x: 5, y: 6)) == 5)
    }

    @Test func `an outline that meets itself is found`() {
        #expect(!square.crossesItself && !corner.crossesItself)
        #expect(polygon((0, 0), (2, 2), (2, 0), (0, 3)).crossesItself)
        #expect(polygon((0, 0), (2, 0), (2, 0), (0, 2)).crossesItself)  // a corner twice
        #expect(polygon((0, 0), (4, 0), (2, 0), (2, 2)).crossesItself)  // back along its own edge
        #expect(polygon((0, 0), (2, 0), (1, 1), (2, 2), (0, 2), (1, 1)).crossesItself)  // touches a corner
        #expect(!polygon((0, 0), (1, 0), (2, 0), (2, 2), (0, 2)).crossesItself)  // a corner on a straight wall
    }

    @Test func `an overlap has its exact area`() throws {
        #expect(square.overlap(with: corner, tolerance: 0.05) == 4)
        // Turned by 45 degrees about the square's upper right corner: a quarter of its 2 m² is in the square.
        let diamond = polygon((2, 1), (3, 2), (2, 3), (1, 2))
        let overlap = try #require(square.overlap(with: diamond, tolerance: 0.05))
        #expect(abs(overlap - 0.5) < 1e-9)
        #expect(abs(try #require(diamond.overlap(with: square, tolerance: 0.05)) - 0.5) < 1e-9)
        // In the notch of the L, and in the L.
        #expect(corner.overlap(with: polygon((2, 2), (4, 2), (4, 4), (2, 4)), tolerance: 0.05) == nil)
        #expect(corner.overlap(with: polygon((0.5, 0.5), (1, 0.5), (1, 1), (0.5, 1)), tolerance: 0.05) == 0.25)
    }

    @Test func `an inaccuracy of drawing is no overlap, and a strip that is wider is one`() {
        #expect(square.overlap(with: polygon((1.95, 0), (4, 0), (4, 2), (1.95, 2)), tolerance: 0.05) == nil)
        #expect(square.overlap(with: polygon((1.9, 0), (4, 0), (4, 2), (1.9, 2)), tolerance: 0.05) != nil)
        #expect(square.overlap(with: polygon((2, 0), (4, 0), (4, 2), (2, 2)), tolerance: 0) == nil)
        #expect(square.overlap(with: square, tolerance: 0.05) == 4)
    }
}
