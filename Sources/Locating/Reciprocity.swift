/// Receiver offsets from what many items show: the path from the place of one gateway to that of another is as long as the way back.
///
/// An item beside gateway A shows how B receives from A's place, and the same item beside B shows how A receives from there. The two differ by the
/// two receivers. So an item that was beside both stands for a beacon at each of them.
struct Reciprocity {
    /// The share of an item's samples, the strongest at a gateway, that count as beside it.
    private static let beside = 0.1
    /// Samples beside each of two gateways before an item counts for the two; and how many count at most.
    private static let (fewest, most) = (15, 200)
    /// The share of samples beside a gateway in which it has to receive the item better than the other one, which has to receive it in as many.
    private static let certain = 0.7
    /// dB: less is none. Rooms of different size and furniture look like offsets of 2.7 dB (standard deviation in generated houses), and of up to 8.
    private static let least = 6.0
    /// dB that are taken off what is found.
    private static let doubt = 3.0
    /// dB at most.
    private static let limit = 15.0
    /// Pairs that agree on nothing weigh as much as this part of one that does.
    private static let anchor = 0.5
    private static let rounds = 100

    /// By gateway, for each other one: how much better it receives, and how many samples show that.
    private var pairs: [(better: Double, weight: Double)]
    private let gateways: Int

    /// What some histories show of gateways, given the column of each in each history.
    init(_ histories: [LevelHistory], gateways ids: [String]) {
        gateways = ids.count
        pairs = Array(repeating: (0, 0), count: gateways * gateways)
        for history in histories { add(history, columns: ids.map { history.gateways.firstIndex(of: $0) }) }
    }

    private mutating func add(_ history: LevelHistory, columns: [Int?]) {
        let moments = columns.map { column in column.map { besideMoments(of: $0, in: history) } ?? [] }
        for one in 0..<gateways {
            for other in 0..<one {
                guard let first = columns[one], let second = columns[other],
                    let there = Self.median(of: second, besides: first, at: moments[one], in: history),
                    let back = Self.median(of: first, besides: second, at: moments[other], in: history)
                else { continue }
                let weight = Double(min(moments[one].count, moments[other].count, Self.most))
                note(back - there, of: one, against: other, weight: weight)
                note(there - back, of: other, against: one, weight: weight)
            }
        }
    }

    private mutating func note(_ better: Double, of one: Int, against other: Int, weight: Double) {
        let pair = one * gateways + other
        pairs[pair].weight += weight
        pairs[pair].better += (better - pairs[pair].better) * weight / pairs[pair].weight
    }

    /// The samples of a history in which a gateway receives the item best.
    private func besideMoments(of column: Int, in history: LevelHistory) -> [Int] {
        let received = history.samples.indices.filter { history.samples[$0].levels[column].isFinite }
        let levels = received.map { history.samples[$0].levels[column] }.sorted()
        guard levels.count >= 2 * Self.fewest else { return [] }
        let least = levels[Int(Double(levels.count) * (1 - Self.beside))]
        return received.filter { history.samples[$0].levels[column] >= least }
    }

    /// dBm: how a gateway receives an item that is beside another one; `nil` where that is not certain.
    private static func median(of column: Int, besides nearest: Int, at moments: [Int], in history: LevelHistory)
        -> Double?
    {
        guard moments.count >= fewest else { return nil }
        var levels: [Float] = []
        var best = 0
        for moment in moments {
            let sample = history.samples[moment].levels
            guard sample[column].isFinite else { continue }
            levels.append(sample[column])
            if sample[nearest] > sample[column] { best += 1 }
        }
        let needed = certain * Double(moments.count)
        guard Double(levels.count) >= needed, Double(best) >= needed else { return nil }
        return Double(levels.sorted()[levels.count / 2])
    }

    /// dB to add to what each gateway receives, so that all receive alike: the least squares solution over all pairs, as far as it is certain.
    var offsets: [Double] {
        var better = Array(repeating: 0.0, count: gateways)
        for _ in 0..<Self.rounds {
            for one in 0..<gateways {
                var (sum, count) = (0.0, Self.anchor)
                for other in 0..<gateways where pairs[one * gateways + other].weight > 0 {
                    sum += better[other] + pairs[one * gateways + other].better
                    count += 1
                }
                better[one] = sum / count
            }
        }
        let middle = gateways == 0 ? 0 : better.sorted()[gateways / 2]
        return better.map { value in
            let excess = abs(value - middle) < Self.least ? 0 : abs(value - middle) - Self.doubt
            return (value > middle ? -1 : 1) * min(excess, Self.limit)
        }
    }
}
