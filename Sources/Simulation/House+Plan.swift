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
}
