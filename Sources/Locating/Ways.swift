/// How one goes from room to room where no plan says it, as it was learned: most rooms of a house have no door to most others.
///
/// A way is as often taken in one direction as in the other, and none is ever closed.
struct Ways: Hashable, Sendable {
    /// What is known of a room before anything was seen: as much as so many ways taken from it, to all others alike.
    private static let doubt = 3.0

    private let rooms: [String]
    /// Of all ways from a room, the share to another; row by row, nothing from a room to itself.
    private let shares: [Double]

    /// `taken`: how often one went from each room to each other, row by row.
    init(rooms: [String], taken: [Double]) {
        let count = rooms.count
        precondition(taken.count == count * count)
        let guess = Self.doubt / Double(max(count - 1, 1))
        var shares = Array(repeating: 0.0, count: taken.count)
        for from in 0..<count {
            for to in 0..<count where to != from {
                shares[from * count + to] = guess + (taken[from * count + to] + taken[to * count + from]) / 2
            }
        }
        self.rooms = rooms
        self.shares = Self.normalised(shares, count: count)
    }

    /// The shares among some rooms of a site, row by row. Of a room that is new nothing is known: all its ways are alike.
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
