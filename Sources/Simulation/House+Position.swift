import Glibc

extension House {
    /// A point in metres: x and y in the plan, z above the ground floor's floor.
    public struct Position: Hashable, Sendable {
        /// Metres, along the hall away from the front door in a generated house.
        public var x: Double
        /// Metres, across the hall.
        public var y: Double
        /// Metres above the ground floor's floor.
        public var z: Double

        /// A point from its coordinates in metres.
        @inlinable
        public init(x: Double, y: Double, z: Double) {
            self.x = x
            self.y = y
            self.z = z
        }

        /// Metres between the two points, through the air.
        @inlinable
        public func distance(to other: Position) -> Double {
            let (dx, dy, dz) = (other.x - x, other.y - y, other.z - z)
            return (dx * dx + dy * dy + dz * dz).squareRoot()
        }

        /// The point `share` of the way to `other`.
        func towards(_ other: Position, share: Double) -> Position {
            Position(x: x + (other.x - x) * share, y: y + (other.y - y) * share, z: z + (other.z - z) * share)
        }

        /// The point `height` metres above.
        func raised(by height: Double) -> Position { Position(x: x, y: y, z: z + height) }
    }
}
