extension House {
    /// A straight piece of wall along the x or the y axis, one floor high; where a door stands open there is none.
    public struct Wall: Hashable, Sendable {
        /// What the radio has to pass.
        public enum Kind: Hashable, Sendable {
            /// Between two rooms.
            case inner
            /// Between a room and the outside.
            case outer
            /// The shut front door, through which people walk.
            case frontDoor
        }

        /// What the radio has to pass.
        public var kind: Kind
        /// The floor on which it stands.
        public var floor: Int
        /// Whether all its points have one x (`true`) or one y.
        public var hasOneX: Bool
        /// That x or y, in metres.
        public var line: Double
        /// From where to where on the other axis, in metres.
        public var span: ClosedRange<Double>

        /// Whether the straight line from `start` to `end` goes through the wall.
        public func crosses(from start: Position, to end: Position) -> Bool {
            guard let share = crossingInPlan(from: start, to: end) else { return false }
            let storeys = (start.z + (end.z - start.z) * share) / Plan.storey - Double(floor)
            return storeys >= 0 && storeys < 1
        }

        /// Where the straight line from `start` to `end` meets the wall in the plan, whatever the floor: 0 at `start`, 1 at `end`, `nil` nowhere.
        public func crossingInPlan(from start: Position, to end: Position) -> Double? {
            let (before, after) = hasOneX ? (start.x - line, end.x - line) : (start.y - line, end.y - line)
            guard (before < 0) != (after < 0) else { return nil }
            let share = before / (before - after)
            let other = hasOneX ? start.y + (end.y - start.y) * share : start.x + (end.x - start.x) * share
            return span.contains(other) ? share : nil
        }
    }
}
