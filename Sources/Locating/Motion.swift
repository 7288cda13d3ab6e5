import Glibc

/// How a belief over places spreads while nothing is heard: what the item may have done meanwhile.
///
/// On a plan it walks from cell to neighbouring cell, from room to room only through a door. A room without an outline is one
/// place, and may follow any other: all alike, or as often as was learned.
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
    /// Of all ways from a place, the share to another, row by row; `nil`: all alike.
    private var shares: [Double]?

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

    /// The same with learned ways from place to place; of no effect where a plan says how one walks.
    func following(_ ways: Ways?, names: [String]) -> Motion {
        guard let ways, edges.isEmpty, names.count > 1, names.count == members.count else { return self }
        var motion = self
        motion.shares = ways.shares(among: names)
        return motion
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

    /// Any room may follow any other.
    private func mix(_ belief: inout [Double], seconds: Double) {
        if let shares {
            let leaving = leaving(seconds)
            let count = belief.count
            withUnsafeTemporaryAllocation(of: Double.self, capacity: count) { coming in
                coming.initialize(repeating: 0)
                for from in 0..<count {
                    let share = belief[from]
                    for to in 0..<count { coming[to] += share * shares[from * count + to] }
                }
                for place in 0..<count { belief[place] += leaving * (coming[place] - belief[place]) }
            }
            return
        }
        // Where all ways are alike: the exact solution, whatever the time.
        let count = Double(members.count)
        guard count > 1 else { return }
        let staying = exp(-leave * count / (count - 1) * seconds)
        let coming = (1 - staying) / count
        for room in members {
            let each = coming / Double(room.count)
            for place in room { belief[place] = belief[place] * staying + each }
        }
    }

    /// How likely it is that a place is left within a time that is short against a stay.
    private func leaving(_ seconds: Double) -> Double { 1 - exp(-leave * seconds) }

    /// Adds to `taken` how likely each way from place to place was taken within a time, given the belief before it and the likelihood of all that
    /// came after; row by row. Of no effect where a plan says how one walks.
    func addWays(from belief: [Double], to likelihood: [Double], seconds: Double, into taken: inout [Double]) {
        let count = belief.count
        guard edges.isEmpty, count > 1, taken.count == count * count else { return }
        let leaving = leaving(seconds)
        var ways = Array(repeating: 0.0, count: count * count)
        var sum = 0.0
        for from in 0..<count {
            sum += belief[from] * (1 - leaving) * likelihood[from]
            for to in 0..<count where to != from {
                let share = shares?[from * count + to] ?? 1 / Double(count - 1)
                ways[from * count + to] = belief[from] * leaving * share * likelihood[to]
                sum += ways[from * count + to]
            }
        }
        guard sum > 0 else { return }
        for way in ways.indices { taken[way] += ways[way] / sum }
    }

    /// The likelihood of what is yet to come, `seconds` earlier: `move` the other way round.
    func moveBack(_ likelihood: inout [Double], seconds: Double) {
        if let shares {
            let leaving = leaving(seconds)
            let later = likelihood
            for from in later.indices {
                var elsewhere = 0.0
                for to in later.indices { elsewhere += shares[from * later.count + to] * later[to] }
                likelihood[from] += leaving * (elsewhere - later[from])
            }
            return
        }
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
