import Beacons
import Simulation
import SimulationTestSupport
import Testing

struct HousePositionsTests {
    /// 2026-11-21T05:40:00Z.
    private let morning = HouseTime(WallTime(milliseconds: 1_795_239_600_000))

    @Test(arguments: [5, 12]) func `nobody runs, and walls are passed at doors alone`(rooms: Int) {
        for seed in UInt64(1)...2 {
            let house = House.generated(rooms: rooms, gateways: 1, tags: 12, seed: seed)
            let walls = house.plan.walls.filter { $0.kind != .frontDoor }
            var positions = HousePositions(house)
            var last: [House.Position]?
            // Forty minutes: everybody passes the end of a period.
            for step in 0..<4800 {
                let time = morning + .milliseconds(Int64(step) * 500)
                let now = house.tags.indices.map { positions.position(ofTag: $0, at: time) }
                defer { last = now }
                guard let last else { continue }
                let moves = Array(zip(last, now)).filter { $0 != $1 }
                let fastest = moves.map { $0.distance(to: $1) / 0.5 }.max() ?? 0
                #expect(fastest < 2, "seed \(seed), step \(step)")
                let through = moves.first { move in walls.contains { $0.crosses(from: move.0, to: move.1) } }
                #expect(through == nil, "seed \(seed), step \(step)")
            }
        }
    }

    @Test func `a place is the same whoever asks, in whatever order`() {
        let house = House(seed: 5)
        let times = (0..<200).map { morning + .seconds(Double($0) * 17) }
        var forwards = HousePositions(house)
        var backwards = HousePositions(house)
        let there = times.map { forwards.position(ofTag: 0, at: $0) }
        let back = times.reversed().map { backwards.position(ofTag: 0, at: $0) }
        #expect(there == back.reversed())
        #expect(Set(there).count > 20)
        #expect(house.room(ofTag: 2, at: morning) == house.room(ofTag: 2, at: morning + .seconds(1e6)))
    }

    @Test func `in any two minutes something changes rooms, and in any five minutes something leaves or returns`() {
        for seed in UInt64(1)...5 {
            let house = House(seed: seed)
            var positions = HousePositions(house)
            let rows = (0..<1440).map { step in
                house.tags.indices.map {
                    positions.room(ofTag: $0, at: morning + .seconds(Double(step) * 5))
                }
            }
            func change(after step: Int, within steps: Int, _ counts: (Int?, Int?) -> Bool) -> Bool {
                (step..<step + steps).contains { at in zip(rows[at], rows[at + 1]).contains { counts($0, $1) } }
            }
            for step in stride(from: 0, to: 1380, by: 12) {
                let moved = change(after: step, within: 24) { $0 != nil && $1 != nil && $0 != $1 }
                let came = change(after: step, within: 59) { ($0 == nil) != ($1 == nil) }
                #expect(moved, "seed \(seed), step \(step)")
                #expect(came, "seed \(seed), step \(step)")
            }
        }
    }

    @Test func `people who go out are away for minutes, and all others stay`() {
        let house = House(seed: 3)
        var positions = HousePositions(house)
        var away = [Int](repeating: 0, count: house.tags.count)
        var longest = away
        var current = away
        for step in 0..<3600 {
            for tag in house.tags.indices {
                let isAway = positions.room(ofTag: tag, at: morning + .seconds(Double(step) * 2)) == nil
                current[tag] = isAway ? current[tag] + 1 : 0
                away[tag] += isAway ? 1 : 0
                longest[tag] = max(longest[tag], current[tag])
            }
        }
        for (tag, subject) in house.tags.enumerated() {
            switch subject.transmitter.motion {
            case .carried(let person, _, _) where house.people[person].goesOut:
                #expect((360...2800).contains(away[tag]), "\(subject.name)")
                // 90 to 150 s at the end of the street, and the way there and back.
                #expect((88...175).contains(longest[tag]), "\(subject.name)")
            default: #expect(away[tag] == 0, "\(subject.name)")
            }
        }
    }
}
