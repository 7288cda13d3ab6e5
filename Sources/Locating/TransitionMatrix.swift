/// The learned probabilities of walking between rooms, for a site without a floor plan. Most rooms of a house have no door to most others.
///
/// Both directions between two rooms are equally frequent, and no probability is 0.
struct TransitionMatrix: Hashable, Sendable {
    /// Pseudocount: the prior of each row, in transitions, spread evenly over all other rooms.
    private static let doubt = 3.0

    private var rooms: [String]
    /// Row by row, the probability that a transition from one room leads to another one. The diagonal is 0.
    private let shares: [Double]

    /// - Parameter counts: How often each room followed each other room, row by row.
    init(rooms: [String], counts: [Double]) {
        let count = rooms.count
        precondition(counts.count == count * count)
        let guess = Self.doubt / Double(max(count - 1, 1))
        var shares = Array(repeating: 0.0, count: counts.count)
        for from in 0..<count {
            for to in 0..<count where to != from {
                shares[from * count + to] = guess + (counts[from * count + to] + counts[to * count + from]) / 2
            }
        }
        self.rooms = rooms
        self.shares = Self.normalised(shares, count: count)
    }

    /// The same, of rooms that have other names now.
    func renamed(by names: [String: String]) -> TransitionMatrix {
        var matrix = self
        matrix.rooms = rooms.map { names[$0] ?? $0 }
        return matrix
    }

    /// The probabilities among some rooms of a site, row by row. From and to a new room all transitions are equally probable.
    func shares(among names: [String]) -> [Double] {
        let count = names.count
        let known = names.map { rooms.firstIndex(of: $0) }
        var shares = Array(repeating: 0.0, count: count * count)
        for from in 0..<count {
            for to in 0..<count where to != from {
                let share = known[from].flatMap { from in known[to].map { self.shares[from * rooms.count + $0] } }
                shares[from * count + to] = share ?? 1 / Double(count - 1)
            }
        }
        return Self.normalised(shares, count: count)
    }

    private static func normalised(_ shares: [Double], count: Int) -> [Double] {
        var shares = shares
        for row in 0..<count {
            let columns = row * count..<(row + 1) * count
            let sum = shares[columns].reduce(0, +)
            if sum > 0 { for column in columns { shares[column] /= sum } }
        }
        return shares
    }
}
