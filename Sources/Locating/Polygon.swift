/// A room's outline on its floor: a closed chain of at least three corners, in metres, either way round.
public struct Polygon: Hashable, Sendable {
    /// A point on a floor, in metres from the plan's origin.
    public struct Point: Hashable, Sendable {
        /// Metres along the plan's first axis.
        public var x: Double
        /// Metres along the plan's second axis.
        public var y: Double

        /// The point at `x`, `y`.
        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }

        /// Metres between two points.
        func distance(to other: Point) -> Double {
            let (dx, dy) = (x - other.x, y - other.y)
            return (dx * dx + dy * dy).squareRoot()
        }
    }

    /// Its corners in order; the last is joined to the first.
    public let corners: [Point]

    /// An outline; `nil` with fewer than three corners, a coordinate that is no number or beyond 10 km, or no area.
    public init?(corners: [Point]) {
        guard corners.count >= 3, corners.allSatisfy({ abs($0.x) <= 1e4 && abs($0.y) <= 1e4 }) else { return nil }
        self.corners = corners
        guard area > 1e-6 else { return nil }
    }

    /// Square metres.
    public var area: Double {
        abs(edges.reduce(0) { $0 + $1.from.x * $1.to.y - $1.to.x * $1.from.y }) / 2
    }

    /// Whether the point lies inside; on the outline it may be either (the even-odd rule).
    public func contains(_ point: Point) -> Bool {
        var isInside = false
        for (a, b) in edges where (a.y > point.y) != (b.y > point.y) {
            if point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x { isInside.toggle() }
        }
        return isInside
    }

    /// The smallest upright rectangle around it.
    var bounds: (low: Point, high: Point) {
        var (low, high) = (corners[0], corners[0])
        for corner in corners {
            low = Point(x: min(low.x, corner.x), y: min(low.y, corner.y))
            high = Point(x: max(high.x, corner.x), y: max(high.y, corner.y))
        }
        return (low, high)
    }

    private var edges: some Sequence<(from: Point, to: Point)> {
        zip(corners, corners.dropFirst() + corners.prefix(1)).lazy.map { (from: $0, to: $1) }
    }
}
