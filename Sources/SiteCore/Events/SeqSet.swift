/// Numbers from 1, as the few ranges that they nearly always are.
///
/// At most `most` ranges are held: beyond, the lowest gap counts as filled, so that what is missed longest is given up first.
struct SeqSet: Hashable, Sendable {
    static let most = 64

    private var numbers = RangeSet<UInt64>()

    /// Ascending, none touching the next.
    var ranges: [ClosedRange<UInt64>] { numbers.ranges.map { ClosedRange($0) } }

    /// The greatest of them; 0 when there is none.
    var last: UInt64 { numbers.ranges.last.map { $0.upperBound - 1 } ?? 0 }

    func contains(_ seq: UInt64) -> Bool { numbers.contains(seq) }

    mutating func insert(_ seq: UInt64) { insert(seq...seq) }

    mutating func insert(_ new: ClosedRange<UInt64>) {
        numbers.insert(contentsOf: Range(new))
        guard numbers.ranges.count > Self.most else { return }
        numbers.insert(contentsOf: numbers.ranges[0].upperBound..<numbers.ranges[1].lowerBound)
    }

    /// The lowest numbers within `requested` that are not in it, as far as they follow each other.
    func firstGap(in requested: ClosedRange<UInt64>) -> ClosedRange<UInt64>? {
        let first = numbers.ranges.first { $0.contains(requested.lowerBound) }?.upperBound ?? requested.lowerBound
        guard first <= requested.upperBound else { return nil }
        let next = numbers.ranges.first { $0.lowerBound > first }?.lowerBound ?? .max
        return first...min(requested.upperBound, next - 1)
    }
}
