import Glibc

/// How a belief over places spreads while nothing is heard: what the item may have done meanwhile.
///
/// On a plan it walks from cell to neighbouring cell, from room to room only through a door. Elsewhere any room may follow
/// any other, and the places within a room are alike.
struct Motion: Sendable {
    /// Metres per square root of a second: how far a random walk gets.
    static let pace = 0.8
    /// Seconds: the longest single step of the walk over cells; beyond it the scheme would not stay positive.
    private static let stride = 0.1
    /// Steps over cells at most; after a longer silence the rest is taken as time enough to be anywhere.
    private static let strides = 50

    /// The place after `from`, and the rate in 1/s at which it is taken.
    struct Edge: Sendable {
        var from: Int
        var to: Int
        var rate: Double
    }

    private let rooms: [Int]
    private let members: [[Int]]
    private let edges: [Edge]
    private let leave: Double
    private let wander: Double

    /// `edges` join the cells of a plan; where there is none, rooms are left at rate `leave`, and places within them at `wander`.
    init(rooms: [Int], edges: [Edge], leave: Double, wander: Double) {
        self.rooms = rooms
        self.edges = edges
        self.leave = leave
        self.wander = wander
        var members = Array(repeating: [Int](), count: (rooms.max() ?? -1) + 1)
        for (place, room) in rooms.enumerated() { members[room].append(place) }
        self.members = members.filter { !$0.isEmpty }
    }

    /// The belief before anything was heard: each room alike, each place of a room alike.
    var start: [Double] {
        var start = Array(repeating: 0.0, count: rooms.count)
        for places in members {
            for place in places { start[place] = 1 / Double(places.count * members.count) }
        }
        return start
    }

    /// The belief `seconds` later.
    func move(_ belief: inout [Double], seconds: Double) {
        if edges.isEmpty {
            mix(&belief, seconds: seconds, leave: leave, wander: wander)
        } else {
            walk(&belief, seconds: seconds)
        }
    }

    /// The exact solution for rooms that are all joined, and places within them likewise.
    private func mix(_ belief: inout [Double], seconds: Double, leave: Double, wander: Double) {
        guard members.count > 0 else { return }
        let count = Double(members.count)
        let staying = count > 1 ? exp(-leave * count / (count - 1) * seconds) : 1
        let keeping = exp(-(leave + wander) * seconds)
        for places in members {
            var mass = 0.0
            for place in places { mass += belief[place] }
            let before = mass / Double(places.count)
            let after = (1 / count + (mass - 1 / count) * staying) / Double(places.count)
            for place in places { belief[place] = after + (belief[place] - before) * keeping }
        }
    }

    private func walk(_ belief: inout [Double], seconds: Double) {
        let wanted = Int((min(seconds, 1e6) / Self.stride).rounded(.up))
        let steps = min(max(wanted, 1), Self.strides)
        let step = min(seconds / Double(steps), Self.stride)
        for _ in 0..<steps {
            var flow = Array(repeating: 0.0, count: belief.count)
            for edge in edges {
                let moved = belief[edge.from] * edge.rate * step
                flow[edge.from] -= moved
                flow[edge.to] += moved
            }
            for place in belief.indices { belief[place] += flow[place] }
        }
        let rest = seconds - step * Double(steps)
        mix(&belief, seconds: step * Double(steps), leave: 0.002, wander: 0)
        if rest > 0 { mix(&belief, seconds: rest, leave: 0.02, wander: 0.02) }
    }
}
