/// Finds the walls of rectangular rooms: what two of them share is an inner wall, all else an outer one.
enum WallBuilder {
    private struct Side {
        var floor: Int
        var hasOneX: Bool
        var line: Double
        var span: ClosedRange<Double>

        func isOnLine(of other: Side) -> Bool {
            floor == other.floor && hasOneX == other.hasOneX && abs(line - other.line) < 0.001
        }
    }

    static func walls(of rooms: [House.Room], doors: [House.Door]) -> [House.Wall] {
        var rest = rooms.flatMap(sides)
        var walls: [House.Wall] = []
        while let first = rest.first {
            let line = rest.filter(first.isOnLine)
            rest.removeAll(where: first.isOnLine)
            walls += pieces(of: line).flatMap { cut($0, by: doors) }
        }
        return walls
    }

    private static func sides(of room: House.Room) -> [Side] {
        [
            Side(floor: room.floor, hasOneX: true, line: room.x.lowerBound, span: room.y),
            Side(floor: room.floor, hasOneX: true, line: room.x.upperBound, span: room.y),
            Side(floor: room.floor, hasOneX: false, line: room.y.lowerBound, span: room.x),
            Side(floor: room.floor, hasOneX: false, line: room.y.upperBound, span: room.x),
        ]
    }

    /// The walls along one line: between two neighbouring ends, two sides make an inner wall and one an outer.
    private static func pieces(of line: [Side]) -> [House.Wall] {
        let ends = line.flatMap { [$0.span.lowerBound, $0.span.upperBound] }.sorted()
        return zip(ends, ends.dropFirst()).compactMap { low, high in
            guard high - low > 0.001 else { return nil }
            let middle = (low + high) / 2
            let count = line.count { $0.span.contains(middle) }
            guard count > 0 else { return nil }
            return House.Wall(
                kind: count > 1 ? .inner : .outer, floor: line[0].floor, hasOneX: line[0].hasOneX, line: line[0].line,
                span: low...high)
        }
    }

    /// What doors leave of a wall: a gap for an open one, and the door itself for the front door.
    private static func cut(_ wall: House.Wall, by doors: [House.Door]) -> [House.Wall] {
        var walls = [wall]
        for door in doors where door.kind != .stairs && House.Plan.floor(of: door.at) == wall.floor {
            let (line, middle) = wall.hasOneX ? (door.at.x, door.at.y) : (door.at.y, door.at.x)
            guard abs(line - wall.line) < 0.001 else { continue }
            let gap = middle - House.Door.width / 2...middle + House.Door.width / 2
            walls = walls.flatMap { piece -> [House.Wall] in
                guard piece.kind != .frontDoor, piece.span.overlaps(gap) else { return [piece] }
                var parts: [House.Wall] = []
                func keep(_ low: Double, _ high: Double, _ kind: House.Wall.Kind) {
                    guard high - low > 0.001 else { return }
                    var part = piece
                    (part.kind, part.span) = (kind, low...high)
                    parts.append(part)
                }
                keep(piece.span.lowerBound, gap.lowerBound, piece.kind)
                keep(gap.upperBound, piece.span.upperBound, piece.kind)
                if door.kind == .front {
                    keep(
                        max(gap.lowerBound, piece.span.lowerBound), min(gap.upperBound, piece.span.upperBound),
                        .frontDoor)
                }
                return parts
            }
        }
        return walls
    }
}
