/// The outlines of one floor in a grid of squares, so that the room at a point is found among the few that are near.
struct RoomGrid: Sendable {
    /// Squares along the longer side.
    private static let count = 32

    private let outlines: [(room: Int, polygon: Polygon)]
    private let low: Polygon.Point
    private let high: Polygon.Point
    /// Metres: the edge of a square.
    private let edge: Double
    private let columns: Int
    /// The outlines that may reach into each square, in their order.
    private var squares: [[Int]]

    init(_ outlines: [(room: Int, polygon: Polygon)]) {
        self.outlines = outlines
        let bounds = outlines.map(\.polygon.bounds)
        let (xs, ys) = (bounds.flatMap { [$0.low.x, $0.high.x] }, bounds.flatMap { [$0.low.y, $0.high.y] })
        let low = Polygon.Point(x: xs.min() ?? 0, y: ys.min() ?? 0)
        high = Polygon.Point(x: xs.max() ?? 0, y: ys.max() ?? 0)
        let edge = max(high.x - low.x, high.y - low.y, 1e-3) / Double(Self.count)
        columns = Int((high.x - low.x) / edge) + 1
        squares = Array(repeating: [], count: columns * (Int((high.y - low.y) / edge) + 1))
        for (index, box) in bounds.enumerated() {
            for row in Int((box.low.y - low.y) / edge)...Int((box.high.y - low.y) / edge) {
                for column in Int((box.low.x - low.x) / edge)...Int((box.high.x - low.x) / edge) {
                    squares[row * columns + column].append(index)
                }
            }
        }
        (self.low, self.edge) = (low, edge)
    }

    /// The first room whose outline has a point inside; `nil` if there is none.
    func room(at point: Polygon.Point) -> Int? {
        guard point.x >= low.x, point.x <= high.x, point.y >= low.y, point.y <= high.y else { return nil }
        let square = Int((point.y - low.y) / edge) * columns + Int((point.x - low.x) / edge)
        return squares[square].first { outlines[$0].polygon.contains(point) }.map { outlines[$0].room }
    }
}
