import Beacons

/// Draws a plan: on each floor a corridor along x with a row of rooms on either side, each with a door to it; stairs at its far end.
struct PlanBuilder {
    /// The rooms of a house in the order in which a bigger one adds them; each floor's corridor stands where that floor begins to need one.
    static let names = [
        "Kitchen", "Hall", "Living room", "Bedroom", "Office", "Bathroom", "Nursery", "Landing", "Guest room",
        "Workshop", "Laundry", "Library",
    ]
    /// Fewer than three rooms are no house; more have no name.
    static let sizes = 3...names.count

    private static let corridors: Set<String> = ["Hall", "Landing"]
    private static let upstairs: Set<String> = ["Landing", "Bedroom", "Bathroom", "Nursery", "Guest room"]
    /// One room in so many has a second door, to its neighbour.
    private static let neighbourDoorChance = 0.4

    /// Rooms that stand side by side along one side of a corridor.
    private struct Row {
        var corridor: Int
        var isAbove: Bool
        var rooms: [Int]
        var widths: [Double]
    }

    private var chance: SplitMix64
    private var rooms: [House.Room]
    private var doors: [House.Door] = []

    static func plan(rooms count: Int, seed: Seed) -> House.Plan {
        precondition(sizes.contains(count), "a house has \(sizes) rooms")
        var builder = PlanBuilder(count: count, seed: seed)
        let rows = builder.rows()
        let length = rows.map { $0.widths.reduce(0, +) }.max() ?? 0
        builder.place(rows, along: length)
        builder.connect(rows, length: length)
        return House.Plan(rooms: builder.rooms, doors: builder.doors)
    }

    private init(count: Int, seed: Seed) {
        chance = seed.generator
        let names = PlanBuilder.names.prefix(count)
        let hasTwoFloors = names.contains("Landing")
        rooms = names.map { name in
            House.Room(
                name: name, floor: hasTwoFloors && PlanBuilder.upstairs.contains(name) ? 1 : 0, x: 0...1, y: 0...1)
        }
    }

    private mutating func rows() -> [Row] {
        var rows: [Row] = []
        for corridor in rooms.indices where PlanBuilder.corridors.contains(rooms[corridor].name) {
            let others = rooms.indices.filter { rooms[$0].floor == rooms[corridor].floor && $0 != corridor }
                .shuffled(using: &chance)
            let half = (others.count + 1) / 2
            for (isAbove, row) in [(true, others.prefix(half)), (false, others.dropFirst(half))] {
                let widths = row.map { chance.uniform(in: rooms[$0].name == "Living room" ? 4.5...6 : 2.6...4.5) }
                rows.append(Row(corridor: corridor, isAbove: isAbove, rooms: Array(row), widths: widths))
            }
        }
        return rows
    }

    /// Stretches every row to the length of the longest; floors stand on each other.
    private mutating func place(_ rows: [Row], along length: Double) {
        let corridorWidth = chance.uniform(in: 1.6...2.2)
        let above = corridorWidth...corridorWidth + chance.uniform(in: 3.0...4.5)
        let below = -chance.uniform(in: 3.0...4.5)...0
        for row in rows {
            rooms[row.corridor].x = 0...length
            rooms[row.corridor].y = 0...corridorWidth
            let stretch = length / row.widths.reduce(0, +)
            var start = 0.0
            for (room, width) in zip(row.rooms, row.widths) {
                let end = room == row.rooms.last ? length : start + width * stretch
                rooms[room].x = start...end
                rooms[room].y = row.isAbove ? above : below
                start = end
            }
        }
    }

    private mutating func connect(_ rows: [Row], length: Double) {
        for row in rows {
            for room in row.rooms {
                let x = chance.uniform(in: rooms[room].x.lowerBound + 0.7...rooms[room].x.upperBound - 0.7)
                let y = row.isAbove ? rooms[room].y.lowerBound : rooms[room].y.upperBound
                addDoor(from: row.corridor, to: room, x: x, y: y, alongX: 0, alongY: row.isAbove ? 1 : -1)
            }
            for (room, neighbour) in zip(row.rooms, row.rooms.dropFirst())
            where chance.chance(PlanBuilder.neighbourDoorChance) {
                let (low, high) = (rooms[room].y.lowerBound, rooms[room].y.upperBound)
                let y = chance.uniform(in: low + 0.8...high - 0.8)
                addDoor(from: room, to: neighbour, x: rooms[room].x.upperBound, y: y, alongX: 1, alongY: 0)
            }
        }
        guard let hall = rooms.firstIndex(where: { $0.name == "Hall" }) else { return }
        let middle = rooms[hall].y.upperBound / 2
        addDoor(.front, from: hall, to: nil, x: 0, y: middle, alongX: -1, alongY: 0)
        if let landing = rooms.firstIndex(where: { $0.name == "Landing" }) {
            let foot = House.Position(x: length - 4.2, y: middle, z: 0)
            let head = House.Position(x: length - 1, y: middle, z: House.Plan.storey)
            doors.append(
                House.Door(
                    kind: .stairs, from: hall, to: landing, near: foot, at: foot.towards(head, share: 0.5), far: head))
        }
    }

    /// A door at a point of a wall; one goes through it in the direction of (alongX, alongY).
    private mutating func addDoor(
        _ kind: House.Door.Kind = .open, from: Int, to: Int?, x: Double, y: Double, alongX: Double, alongY: Double
    ) {
        let at = House.Position(x: x, y: y, z: Double(rooms[from].floor) * House.Plan.storey)
        func stepped(_ step: Double) -> House.Position {
            House.Position(x: at.x + alongX * step, y: at.y + alongY * step, z: at.z)
        }
        doors.append(
            House.Door(
                kind: kind, from: from, to: to, near: stepped(-House.Door.clearance), at: at,
                far: stepped(House.Door.clearance)))
    }
}
