import Glibc

/// How a belief over places spreads while nothing is heard: what the item may have done meanwhile.
///
/// On a plan it walks from cell to neighbouring cell, from room to room only through a door. A room without an outline is one
/// place, and may follow any other.
struct Motion: Sendable {
    /// m²/s, towards each of the neighbours: over all eight it spreads by 0.8 m along each axis in the first second, as somebody does
    /// who walks at a metre a second and often stands still.
    static let diffusion = 0.12
    /// Per second: how often a drawn room is left for any other than through a door. No plan is complete.
    private static let leak = 0.005

    /// A way from one place to a neighbouring one, and the rate in 1/s at which it is taken.
    struct Edge: Sendable {
        var from: Int
        var to: Int
        var rate: Double
    }

    /// The places of each room.
    private let members: [[Int]]
    private let edges: [Edge]
    private let leave: Double
    /// Seconds: the longest step of the walk that stays positive and true.
    private let stride: Double

    /// `rooms` of each place; `edges` join the cells of a plan.
    init(rooms: [Int], edges: [Edge]) {
        var members = Array(repeating: [Int](), count: (rooms.max() ?? -1) + 1)
        for (place, room) in rooms.enumerated() { members[room].append(place) }
        self.members = members.filter { !$0.isEmpty }
        self.edges = edges
        leave = members.allSatisfy { $0.count > 1 } ? Self.leak : Tuning.leave
        var out = Array(repeating: 0.0, count: rooms.count)
        for edge in edges { out[edge.from] += edge.rate }
        stride = 0.5 / max(out.max() ?? 0, 0.5)
    }

    /// The belief before anything was heard: each room alike, each place of a room alike.
    func start(places: Int) -> [Double] {
        var start = Array(repeating: 0.0, count: places)
        for room in members {
            for place in room { start[place] = 1 / Double(room.count * members.count) }
        }
        return start
    }

    /// The belief `seconds` later.
    func move(_ belief: inout [Double], seconds: Double) {
        if !edges.isEmpty { walk(&belief, seconds: seconds) }
        mix(&belief, seconds: seconds)
    }

    /// Any room may follow any other: the exact solution, whatever the time.
    private func mix(_ belief: inout [Double], seconds: Double) {
        let count = Double(members.count)
        guard count > 1 else { return }
        let staying = exp(-leave * count / (count - 1) * seconds)
        let coming = (1 - staying) / count
        for room in members {
            let each = coming / Double(room.count)
            for place in room { belief[place] = belief[place] * staying + each }
        }
    }

    /// The likelihood of what is yet to come, `seconds` earlier: `move` the other way round.
    func moveBack(_ likelihood: inout [Double], seconds: Double) {
        let count = Double(members.count)
        if count > 1 {
            let staying = exp(-leave * count / (count - 1) * seconds)
            let coming = (1 - staying) / count
            var anywhere = 0.0
            for room in members {
                var sum = 0.0
                for place in room { sum += likelihood[place] }
                anywhere += coming * sum / Double(room.count)
            }
            for place in likelihood.indices { likelihood[place] = likelihood[place] * staying + anywhere }
        }
        // Ways are as wide in one direction as in the other.
        if !edges.isEmpty { walk(&likelihood, seconds: seconds) }
    }

    private func walk(_ belief: inout [Double], seconds: Double) {
        let steps = (seconds / stride).rounded(.up)
        let step = seconds / steps
        for _ in 0..<Int(steps) {
            withUnsafeTemporaryAllocation(of: Double.self, capacity: belief.count) { before in
                _ = before.initialize(from: belief)
                belief.withUnsafeMutableBufferPointer { after in
                    for edge in edges {
                        let moved = before[edge.from] * edge.rate * step
                        after[edge.from] -= moved
                        after[edge.to] += moved
                    }
                }
            }
        }
    }
}
