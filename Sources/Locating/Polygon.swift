/// An outline on a floor, in metres: at least three corners in their order, in either direction, the first not repeated.
package struct Polygon: Hashable, Sendable {
    /// A point on a floor, in metres from the plan's origin.
    package struct Point: Hashable, Sendable {
        /// Metres along the plan's first axis.
        package var x: Double
        /// Metres along the plan's second axis.
        package var y: Double

        package init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }

        /// Metres between two points.
        func distance(to other: Point) -> Double {
            let (dx, dy) = (x - other.x, y - other.y)
            return (dx * dx + dy * dy).squareRoot()
        }
    }

    /// The corners, three or more. An edge joins the last one to the first.
    package let corners: [Point]

    /// An outline; `nil` with fewer than three corners, a coordinate that is no number or beyond 10 km, or no area.
    package init?(corners: [Point]) {
        guard corners.count >= 3, corners.allSatisfy({ abs($0.x) <= 1e4 && abs($0.y) <= 1e4 }) else { return nil }
        self.corners = corners
        guard area > 1e-6 else { return nil }
    }

    /// Its area in m²; valid only if it does not cross itself.
    package var area: Double {
        abs(edges.reduce(0) { $0 + ($1.from.x * $1.to.y - $1.to.x * $1.from.y) }) / 2
    }

    /// Whether two edges that are not neighbours meet, or two that are neighbours overlap.
    package var crossesItself: Bool {
        let edges = edges
        for (index, edge) in edges.enumerated() {
            if edge.from == edge.to || edge.turnsBack(into: edges[(index + 1) % edges.count]) { return true }
            for other in edges.indices where other > index + 1 && (index > 0 || other < edges.count - 1) {
                if edge.meets(edges[other]) { return true }
            }
        }
        return false
    }

    /// Whether `point` is inside; on the outline it may be either (the even-odd rule).
    package func contains(_ point: Point) -> Bool {
        var isInside = false
        var last = corners[corners.count - 1]
        for corner in corners {
            let edge = Edge(from: last, to: corner)
            if edge.crosses(y: point.y), edge.x(at: point.y) > point.x { isInside.toggle() }
            last = corner
        }
        return isInside
    }

    /// The smallest upright rectangle around the outline.
    var bounds: (low: Point, high: Point) {
        var (low, high) = (corners[0], corners[0])
        for corner in corners {
            low = Point(x: min(low.x, corner.x), y: min(low.y, corner.y))
            high = Point(x: max(high.x, corner.x), y: max(high.y, corner.y))
        }
        return (low, high)
    }

    /// The distance from `point` to the polygon, in metres; 0 inside.
    package func distance(to point: Point) -> Double {
        contains(point) ? 0 : edges.map { $0.distance(to: point) }.min() ?? .infinity
    }

    private var edges: [Edge] {
        corners.indices.map { Edge(from: corners[$0], to: corners[($0 + 1) % corners.count]) }
    }

    /// The area in m² that both cover; `nil` if there is none, or it is a strip no wider than `tolerance`.
    ///
    /// Between two heights at which neither has a corner and no two edges cross, both are trapezoids: the width that they share at
    /// half the height is the mean.
    package func overlap(with other: Polygon, tolerance: Double) -> Double? {
        let (box, otherBox) = (bounds, other.bounds)
        guard box.low.x <= otherBox.high.x, otherBox.low.x <= box.high.x, box.low.y <= otherBox.high.y,
            otherBox.low.y <= box.high.y
        else { return nil }
        let (mine, theirs) = (edges, other.edges)
        var heights = corners.map(\.y) + other.corners.map(\.y)
        for edge in mine { heights += theirs.compactMap { edge.crossing(with: $0)?.y } }
        heights.sort()
        var area = 0.0
        var extent: (x: ClosedRange<Double>, y: ClosedRange<Double>)?
        for (low, high) in zip(heights, heights.dropFirst()) where high > low {
            for shared in sharedSpans(mine, theirs, at: (low + high) / 2) {
                area += (shared.upperBound - shared.lowerBound) * (high - low)
                extent = extent.map { (union($0.x, shared), union($0.y, low...high)) } ?? (shared, low...high)
            }
        }
        guard let extent else { return nil }
        let length = (extent.x.upperBound - extent.x.lowerBound) + (extent.y.upperBound - extent.y.lowerBound)
        return area > tolerance * length ? area : nil
    }
}

// The parts of a horizontal line at this height that are inside of both.
private func sharedSpans(_ left: [Edge], _ right: [Edge], at y: Double) -> [ClosedRange<Double>] {
    spans(left, at: y).flatMap { span in
        spans(right, at: y).compactMap { other in
            let (low, high) = (max(span.lowerBound, other.lowerBound), min(span.upperBound, other.upperBound))
            return low < high ? low...high : nil
        }
    }
}

// The parts of a horizontal line at this height that are inside: between its first and second crossing, its third and fourth ...
private func spans(_ edges: [Edge], at y: Double) -> [ClosedRange<Double>] {
    let xs = edges.filter { $0.crosses(y: y) }.map { $0.x(at: y) }.sorted()
    return stride(from: 0, to: xs.count - 1, by: 2).map { xs[$0]...xs[$0 + 1] }
}

private func union(_ left: ClosedRange<Double>, _ right: ClosedRange<Double>) -> ClosedRange<Double> {
    min(left.lowerBound, right.lowerBound)...max(left.upperBound, right.upperBound)
}

private struct Edge {
    var from: Polygon.Point
    var to: Polygon.Point

    /// Whether the edge crosses the height `y`. Of its two ends only the lower counts, so that each corner counts once.
    func crosses(y: Double) -> Bool { (from.y > y) != (to.y > y) }

    /// The x at which the edge crosses the height `y`; requires `crosses(y:)`.
    func x(at y: Double) -> Double { from.x + (y - from.y) / (to.y - from.y) * (to.x - from.x) }

    /// Twice the area of the triangle of the edge and `point`; positive if the point is on the left.
    func side(of point: Polygon.Point) -> Double {
        (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x)
    }

    func distance(to point: Polygon.Point) -> Double {
        let (dx, dy) = (to.x - from.x, to.y - from.y)
        let length = dx * dx + dy * dy
        let along = length > 0 ? max(0, min(1, ((point.x - from.x) * dx + (point.y - from.y) * dy) / length)) : 0
        let (ex, ey) = (point.x - from.x - along * dx, point.y - from.y - along * dy)
        return (ex * ex + ey * ey).squareRoot()
    }

    func meets(_ other: Edge) -> Bool {
        let (a, b) = (side(of: other.from), side(of: other.to))
        let (c, d) = (other.side(of: from), other.side(of: to))
        if a * b < 0 && c * d < 0 { return true }
        return (a == 0 && spans(other.from)) || (b == 0 && spans(other.to))
            || (c == 0 && other.spans(from)) || (d == 0 && other.spans(to))
    }

    /// Whether `next`, which begins at the end of this edge, goes back along it.
    func turnsBack(into next: Edge) -> Bool {
        let forward = (to.x - from.x) * (next.to.x - next.from.x) + (to.y - from.y) * (next.to.y - next.from.y)
        return side(of: next.to) == 0 && forward < 0
    }

    /// The point where both edges cross; requires that neither is empty and that they are not parallel.
    func crossing(with other: Edge) -> Polygon.Point? {
        let (a, b) = (side(of: other.from), side(of: other.to))
        let (c, d) = (other.side(of: from), other.side(of: to))
        guard a * b < 0, c * d < 0 else { return nil }
        let along = a / (a - b)
        return Polygon.Point(
            x: other.from.x + along * (other.to.x - other.from.x), y: other.from.y + along * (other.to.y - other.from.y)
        )
    }

    // Whether a point on the edge's line is between the edge's ends.
    private func spans(_ point: Polygon.Point) -> Bool {
        min(from.x, to.x) <= point.x && point.x <= max(from.x, to.x)
            && min(from.y, to.y) <= point.y && point.y <= max(from.y, to.y)
    }
}
