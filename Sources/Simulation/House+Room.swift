extension House {
    /// A rectangle of one floor, with a name.
    public struct Room: Hashable, Sendable {
        /// What people call it.
        public var name: String
        /// 0 is the ground floor.
        public var floor: Int
        /// Metres.
        public var x: ClosedRange<Double>
        /// Metres.
        public var y: ClosedRange<Double>

        /// A room with all its properties.
        public init(name: String, floor: Int = 0, x: ClosedRange<Double>, y: ClosedRange<Double>) {
            self.name = name
            self.floor = floor
            self.x = x
            self.y = y
        }

        /// The name made an id: `living-room`. Names of the house are ASCII; all else becomes a hyphen.
        public var id: String { House.id(of: name) }

        /// Whether the point is in it, walls included.
        public func contains(_ position: Position) -> Bool {
            x.contains(position.x) && y.contains(position.y) && Plan.floor(of: position) == floor
        }

        /// The point `height` above its floor, this share of the way along each side.
        package func point(_ alongX: Double, _ alongY: Double, height: Double = 0) -> Position {
            Position(
                x: x.lowerBound + (x.upperBound - x.lowerBound) * alongX,
                y: y.lowerBound + (y.upperBound - y.lowerBound) * alongY,
                z: Double(floor) * Plan.storey + height)
        }

        /// A point on its floor where somebody may stand, 0.4 m or more from the walls.
        func place(_ u: Double, _ v: Double) -> Position {
            let marginX = min(0.4 / (x.upperBound - x.lowerBound), 0.5)
            let marginY = min(0.4 / (y.upperBound - y.lowerBound), 0.5)
            return point(marginX + (1 - 2 * marginX) * u, marginY + (1 - 2 * marginY) * v)
        }
    }

    /// An ASCII name made an id as the reference's page Identifiers has it: lower case, every run of other characters a hyphen, trimmed.
    static func id(of name: String) -> String {
        let words = name.lowercased().unicodeScalars.split { scalar in
            switch scalar {
            case "a"..."z", "0"..."9": false
            default: true
            }
        }
        return words.map(String.init).joined(separator: "-")
    }
}
