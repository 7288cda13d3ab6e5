import Glibc

extension House {
    /// Rooms, doors, and the walls that follow from them.
    public struct Plan: Hashable, Sendable {
        /// Metres from one floor to the next.
        public static let storey = 2.8

        /// All rooms.
        public let rooms: [Room]
        /// All ways between them.
        public let doors: [Door]
        /// Every wall, each once, with gaps where doors are open.
        public let walls: [Wall]
        /// The next door on the shortest way from a room (row) to a room (column); the last row and column are the outside.
        private let nextDoor: [Int?]

        /// A house of these rooms and doors; every room must be reachable from every other.
        public init(rooms: [Room], doors: [Door]) {
            self.rooms = rooms
            self.doors = doors
            walls = WallBuilder.walls(of: rooms, doors: doors)
            nextDoor = Plan.nextDoors(rooms: rooms.count, doors: doors)
        }

        /// Which floor a point is on, basements being negative.
        public static func floor(of position: Position) -> Int {
            Int((max(-1000, min(1000, position.z)) / storey).rounded(.down))
        }

        /// Index of the room that a point is in; `nil`: outside.
        public func room(at position: Position) -> Int? {
            rooms.firstIndex { $0.contains(position) }
        }

        /// Index of the front door; `nil` for a house that nobody leaves.
        public var frontDoor: Int? { doors.firstIndex { $0.to == nil } }

        /// The corners of the way from room to room (`nil`: outside) through doors, without its two ends.
        func corners(from start: Int?, to end: Int?) -> [Position] {
            var corners: [Position] = []
            let goal = end ?? rooms.count
            var room = start ?? rooms.count
            while room != goal {
                guard let index = nextDoor[room * (rooms.count + 1) + goal] else {
                    preconditionFailure("no way from room \(room) to room \(goal)")
                }
                let door = doors[index]
                let isForward = door.from == room
                corners += isForward ? [door.near, door.at, door.far] : [door.far, door.at, door.near]
                room = isForward ? door.to ?? rooms.count : door.from
            }
            return corners
        }

        /// Breadth first from every goal: the fewest doors, ties to the lower index.
        private static func nextDoors(rooms: Int, doors: [Door]) -> [Int?] {
            let count = rooms + 1
            var next = [Int?](repeating: nil, count: count * count)
            for goal in 0..<count {
                var reached = [goal]
                var position = 0
                while position < reached.count {
                    let room = reached[position]
                    position += 1
                    for (index, door) in doors.enumerated() {
                        let sides = (door.from, door.to ?? rooms)
                        guard sides.0 == room || sides.1 == room else { continue }
                        let neighbour = sides.0 == room ? sides.1 : sides.0
                        guard neighbour != goal, next[neighbour * count + goal] == nil else { continue }
                        next[neighbour * count + goal] = index
                        reached.append(neighbour)
                    }
                }
            }
            return next
        }
    }

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

        func towards(_ other: Position, share: Double) -> Position {
            Position(x: x + (other.x - x) * share, y: y + (other.y - y) * share, z: z + (other.z - z) * share)
        }

        /// The point `height` metres above.
        func raised(by height: Double) -> Position { Position(x: x, y: y, z: z + height) }
    }

    /// A rectangle of one floor, with a name.
    public struct Room: Hashable, Sendable {
        /// What people call it.
        public var name: String
        /// 0 is the ground floor.
        public var floor = 0
        /// Metres.
        public var x: ClosedRange<Double>
        /// Metres.
        public var y: ClosedRange<Double>

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
        public var floor = 0
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
