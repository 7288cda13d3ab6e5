import Locating

/// What the advice on placement is worth in generated houses: which of the confused rooms it finds, and what its moves gain.
struct PlacementStudy: Sendable {
    /// One room: whether another gateway receives most of it better, and whether the advice finds it.
    private struct Room {
        var isConfused: Bool
        var isFoundByPlan: Bool
        var isFoundBySurvey: Bool
    }

    /// One house: the share of right seconds before the moves, and after each of them.
    private struct House {
        var seed: UInt64
        var gains: [Double]
        var names: [Double]
        var plan: [Double]
    }

    private var rooms: [Room] = []
    private var houses: [House] = []

    /// Studies the houses of some seeds, as many at a time as there are processors.
    static func run(_ seeds: [UInt64]) async -> PlacementStudy {
        await withTaskGroup(of: PlacementStudy.self) { group in
            for seed in seeds { group.addTask { PlacementStudy(of: seed) } }
            var all = PlacementStudy()
            for await study in group {
                all.rooms += study.rooms
                all.houses += study.houses
            }
            all.houses.sort { $0.seed < $1.seed }
            return all
        }
    }

    private init() {}

    private init(of seed: UInt64) {
        let house = GeneratedHouse(seed: seed)
        let walk = house.surveyed(20, seconds: 60)
        let surveys = walk.recording.surveys(site: house.plan, truth: walk.truth).compactMap {
            $0.elsewhere(site: house.plan)
        }
        guard let byPlan = Placement(site: house.plan), let bySurvey = Placement(site: house.plan, surveys: surveys)
        else {
            return
        }
        let confused = house.confusedRooms
        rooms = bySurvey.rooms.map { room in
            Room(
                isConfused: confused.contains(room.room),
                isFoundByPlan: byPlan.confused.contains { $0.room == room.room }, isFoundBySurvey: room.isConfused)
        }
        let stages = (0...bySurvey.moves.count).map { house.moving(bySurvey.moves.prefix($0)) }
        func shares(_ site: (GeneratedHouse) -> Site) -> [Double] {
            stages.map { stage in
                let model = LocatorModel(site: site(stage))
                return Evaluation.score((0..<2).map { stage.carried($0, seconds: 1800) }) { Evaluation.rows(model, $0) }
                    .accuracy
            }
        }
        houses = [House(seed: seed, gains: bySurvey.moves.map(\.gain), names: shares(\.names), plan: shares(\.plan))]
    }

    /// Prints both.
    func print() {
        let confused = rooms.count { $0.isConfused }
        Swift.print("Placement in \(houses.count) generated houses: \(confused) of \(rooms.count) rooms are confused.")
        func line(_ name: String, _ isFound: (Room) -> Bool) {
            let found = rooms.filter(isFound)
            let right = Double(found.count { $0.isConfused })
            Swift.print(
                "\(name): found", Table.thousandths(right / Double(max(1, confused))), "right",
                Table.thousandths(right / Double(max(1, found.count))))
        }
        line("plan", \.isFoundByPlan)
        line("plan and a survey of 60 s", \.isFoundBySurvey)
        for count in 1...Placement.mostMoves {
            func gain(_ shares: (House) -> [Double]) -> String {
                let gains = houses.map { house in
                    let shares = shares(house)
                    return shares[min(count, shares.count - 1)] - shares[0]
                }
                return "\(Mean(gains).text), worse by more than .010 in \(gains.count { $0 < -0.01 })"
            }
            let moving = houses.count { $0.gains.count >= count }
            Swift.print("\(count) moves (in \(moving) houses): names", gain(\.names), " plan", gain(\.plan))
        }
    }
}
