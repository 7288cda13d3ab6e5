import Testing

@testable import Locating

@Suite struct SiteTests {
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
