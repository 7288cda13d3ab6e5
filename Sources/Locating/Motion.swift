import Glibc

/// The motion model of the filter: how a belief over places spreads as time passes.
///
/// On a plan an item walks from cell to neighbouring cell, and from room to room only through a door. A room without an outline is one
/// place. From one such place any other may follow, with equal probabilities or with those of a learned transition matrix.
struct Motion: Sendable {
    /// m²/s, towards each neighbour. Over all eight neighbours the belief spreads by 0.8 m along each axis in the first second, like a
    /// person who walks at 1 m/s and often stands still.
    static let diffusion = 0.12
    /// Per second: how often a drawn room is left for any other than through a door. No plan is complete.
    private static let leak = 0.005

    /// A connection from one place to a neighbouring one, with its rate in 1/s.
    struct Edge: Sendable {
        var from: Int
        var to: Int
        var rate: Double
    }

    /// The places of each room.
    private let members: [[Int]]
    private let edges: [Edge]
    private let leave: Double
    /// Seconds: the longest step for which the walk is numerically stable.
    private let stride: Double
    /// Row by row, the probability that a transition from one place leads to another one; `nil`: all are equal.
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

    /// A copy with a learned transition matrix. On a plan the matrix has no effect.
    func using(_ transitions: TransitionMatrix?, names: [String]) -> Motion {
        guard let transitions, edges.isEmpty, names.count > 1, names.count == members.count else { return self }
        var motion = self
        motion.shares = transitions.shares(among: names)
        return motion
    }

    /// The belief before any observation: all rooms are equally probable, and so are all places of a room.
    func prior(places: Int) -> [Double] {
        var prior = Array(repeating: 0.0, count: places)
        for room in members {
            for place in room { prior[place] = 1 / Double(room.count * members.count) }
        }
        return prior
    }

    func move(_ belief: inout [Double], seconds: Double) {
        if !edges.isEmpty { walk(&belief, seconds: seconds) }
        mix(&belief, seconds: seconds)
    }

    /// Spreads a belief from any room to any other.
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
        // With equal probabilities there is an exact solution for any time.
        let count = Double(members.count)
        guard count > 1 else { return }
        let staying = exp(-leave * count / (count - 1) * seconds)
        let coming = (1 - staying) / count
        for room in members {
            let each = coming / Double(room.count)
            for place in room { belief[place] = belief[place] * staying + each }
        }
    }

    /// The probability that a place is left within a time that is short compared with the time in a room.
    private func leaving(_ seconds: Double) -> Double { 1 - exp(-leave * seconds) }

    /// Adds the expected number of transitions within a time to `counts`, row by row. On a plan nothing is added.
    ///
    /// - Parameters:
    ///   - belief: The belief before that time.
    ///   - likelihood: The likelihood of all later observations.
    func addTransitions(from belief: [Double], to likelihood: [Double], seconds: Double, into counts: inout [Double]) {
        let count = belief.count
        guard edges.isEmpty, count > 1, counts.count == count * count else { return }
        let leaving = leaving(seconds)
        var transitions = Array(repeating: 0.0, count: count * count)
        var sum = 0.0
        for from in 0..<count {
            sum += belief[from] * (1 - leaving) * likelihood[from]
            for to in 0..<count where to != from {
                let share = shares?[from * count + to] ?? 1 / Double(count - 1)
                transitions[from * count + to] = belief[from] * leaving * share * likelihood[to]
                sum += transitions[from * count + to]
            }
        }
        guard sum > 0 else { return }
        for way in transitions.indices { counts[way] += transitions[way] / sum }
    }

    /// The likelihood of all later observations, `seconds` earlier: the adjoint of `move`.
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
        // Rates are symmetric.
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
