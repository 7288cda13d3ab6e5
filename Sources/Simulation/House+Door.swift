extension House {
    /// A way from one room to another, or out of the house.
    public struct Door: Hashable, Sendable {
        /// What kind of way.
        public enum Kind: Hashable, Sendable {
            /// A gap of 0.9 m in a wall, always open.
            case open
            /// The front door: shut behind whoever passes.
            case front
            /// A flight of stairs from one floor to another.
            case stairs
        }

        /// What kind of way.
        public var kind: Kind
        /// Index of the room on this side.
        public var from: Int
        /// Index of the room on the other; `nil`: outside.
        public var to: Int?
        /// Where one stands before it, in `from`.
        public var near: Position
        /// Its middle, on the wall; halfway up the stairs.
        public var at: Position
        /// Where one stands behind it, in `to`.
        public var far: Position

        /// A way with all its properties.
        public init(kind: Kind, from: Int, to: Int?, near: Position, at: Position, far: Position) {
            self.kind = kind
            self.from = from
            self.to = to
            self.near = near
            self.at = at
            self.far = far
        }

        /// The piece of wall that is in the way where the door is shut. A flight of stairs has none.
        public var leaf: Wall? {
            guard kind != .stairs else { return nil }
            let hasOneX = abs(near.x - far.x) > abs(near.y - far.y)
            let (line, middle) = hasOneX ? (at.x, at.y) : (at.y, at.x)
            return Wall(
                kind: kind == .front ? .frontDoor : .inner, floor: Plan.floor(of: at), hasOneX: hasOneX, line: line,
                span: middle - Door.width / 2...middle + Door.width / 2)
        }

        /// The gap's width in metres.
        static let width = 0.9
        /// How far from the wall one turns towards the gap, in metres: nobody walks inside a wall.
        static let clearance = 0.35
    }
}
