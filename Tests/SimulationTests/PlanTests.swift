@testable import Simulation
import Testing

struct PlanTests {
    @Test(arguments: 3...12) func `rooms of any number do not overlap and are all reached`(count: Int) {
        for seed in UInt64(0)..<20 {
            let plan = House.generated(rooms: count, gateways: 1, tags: 1, seed: seed).plan
            #expect(plan.rooms.count == count)
            for (index, room) in plan.rooms.enumerated() {
                for other in plan.rooms[..<index] where other.floor == room.floor {
                    let isApart =
                        room.x.lowerBound >= other.x.upperBound || other.x.lowerBound >= room.x.upperBound
                        || room.y.lowerBound >= other.y.upperBound || other.y.lowerBound >= room.y.upperBound
                    #expect(isApart, "\(room) and \(other) of seed \(seed)")
                }
                #expect(room.x.upperBound - room.x.lowerBound > 1.5 && room.y.upperBound - room.y.lowerBound > 1.5)
            }
            var reached: Set<Int> = [0]
            for _ in plan.rooms {
                for door in plan.doors {
                    guard let to = door.to else { continue }
                    if reached.contains(door.from) || reached.contains(to) { reached.formUnion([door.from, to]) }
                }
            }
            #expect(reached.count == count)
            #expect(plan.frontDoor != nil)
        }
    }

    @Test func `a house of eight rooms has two floors and stairs`() {
        let plan = House.generated(rooms: 8, gateways: 1, tags: 1, seed: 1).plan
        #expect(plan.rooms.filter { $0.floor == 1 }.map(\.name) == ["Bedroom", "Bathroom", "Nursery", "Landing"])
        #expect(plan.doors.count { $0.kind == .stairs } == 1)
        #expect(House.generated(rooms: 7, gateways: 1, tags: 1, seed: 1).plan.rooms.allSatisfy { $0.floor == 0 })
    }

    /// Two rooms side by side with a door between them, and a front door on the left.
    private let two = House.Plan(
        rooms: [
            House.Room(name: "Left", x: 0...4, y: 0...3), House.Room(name: "Right", x: 4...8, y: 0...3),
        ],
        doors: [
            House.Door(
                kind: .open, from: 0, to: 1, near: House.Position(x: 3.65, y: 1, z: 0),
                at: House.Position(x: 4, y: 1, z: 0), far: House.Position(x: 4.35, y: 1, z: 0)),
            House.Door(
                kind: .front, from: 0, to: nil, near: House.Position(x: 0.35, y: 2, z: 0),
                at: House.Position(x: 0, y: 2, z: 0), far: House.Position(x: -0.35, y: 2, z: 0)),
        ])

    private func crossed(from start: (Double, Double, Double), to end: (Double, Double, Double)) -> [House.Wall.Kind] {
        let (from, to) = (
            House.Position(x: start.0, y: start.1, z: start.2), House.Position(x: end.0, y: end.1, z: end.2)
        )
        return two.walls.filter { $0.crosses(from: from, to: to) }.map(\.kind)
    }

    @Test func `walls stand where rooms end, each once, and gaps where doors are`() {
        #expect(crossed(from: (2, 2, 1), to: (6, 2, 1)) == [.inner])
        #expect(crossed(from: (2, 1, 1), to: (6, 1, 1)) == [])
        #expect(crossed(from: (2, 1, 1), to: (2, 9, 1)) == [.outer])
        #expect(crossed(from: (2, 2, 1), to: (-2, 2, 1)) == [.frontDoor])
        #expect(crossed(from: (2, 1, 1), to: (-2, 1, 1)) == [.outer])
        #expect(crossed(from: (-2, 0.2, 1), to: (10, 0.2, 1)).count == 3)
        // A floor higher there are no rooms.
        #expect(crossed(from: (2, 2, 3), to: (6, 2, 3)) == [])
    }

    @Test func `a place knows its room`() {
        #expect(two.room(at: House.Position(x: 1, y: 1, z: 1)) == 0)
        #expect(two.room(at: House.Position(x: 5, y: 1, z: 1)) == 1)
        #expect(two.room(at: House.Position(x: 5, y: 1, z: 3)) == nil)
        #expect(two.room(at: House.Position(x: -1, y: 1, z: 1)) == nil)
    }
}
