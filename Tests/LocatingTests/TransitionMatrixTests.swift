import Testing

@testable import Locating

/// Ways from room to room that were learned.
@Suite struct TransitionMatrixTests {
    private static let rooms = ["a", "b", "c"]
    /// Taken often from a to b and back, and never to c.
    private let transitions = TransitionMatrix(rooms: rooms, counts: [0, 40, 0, 40, 0, 0, 0, 0, 0])

    @Test func `a room that is new is gone to from each room, and left to each alike`() {
        let shares = transitions.shares(among: ["b", "new", "a"])
        #expect(abs(shares[0...2].reduce(0, +) - 1) < 1e-9)
        #expect(shares[1] > 0.2)
        #expect(shares[2] > shares[1])
        #expect(abs(shares[3] - shares[5]) < 1e-9 && shares[4] == 0)
    }

    @Test func `a belief spreads as ways were taken, and stays a belief`() {
        let motion = Motion(rooms: [0, 1, 2], edges: []).using(transitions, names: Self.rooms)
        var belief = [1.0, 0, 0]
        motion.move(&belief, seconds: 1)
        #expect(abs(belief.reduce(0, +) - 1) < 1e-9)
        #expect(belief[1] > 10 * belief[2])
        #expect(belief[2] > 0)
    }

    @Test func `backwards weighs what forwards moves`() {
        let motion = Motion(rooms: [0, 1, 2], edges: []).using(transitions, names: Self.rooms)
        let (belief, likelihood) = ([0.5, 0.3, 0.2], [0.1, 0.7, 0.4])
        var (later, earlier) = (belief, likelihood)
        motion.move(&later, seconds: 0.7)
        motion.moveBack(&earlier, seconds: 0.7)
        let forwards = zip(later, likelihood).reduce(0) { $0 + $1.0 * $1.1 }
        let backwards = zip(belief, earlier).reduce(0) { $0 + $1.0 * $1.1 }
        #expect(abs(forwards - backwards) < 1e-12)
    }

    @Test func `ways taken are counted by the belief before and what came after`() {
        let motion = Motion(rooms: [0, 1, 2], edges: [])
        var counts = Array(repeating: 0.0, count: 9)
        motion.addTransitions(from: [1, 0, 0], to: [0, 0, 1], seconds: 0.3, into: &counts)
        #expect(abs(counts[2] - 1) < 1e-9, "it was in the first place and is in the third")
        #expect(counts.reduce(0, +) - counts[2] < 1e-9)
    }

    @Test func `a learned transition matrix has no effect on a plan`() {
        let stateSpace = StateSpace(site: Row(rooms: 3).plan)
        let motion = stateSpace.motion.using(transitions, names: stateSpace.names)
        var (one, other) = (stateSpace.prior, stateSpace.prior)
        one[0] += 1
        other[0] += 1
        stateSpace.motion.move(&one, seconds: 1)
        motion.move(&other, seconds: 1)
        #expect(one == other)
    }
}
