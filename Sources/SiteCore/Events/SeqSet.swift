/// Numbers from 1, as the few ranges that they nearly always are.
///
/// At most `most` ranges are held: beyond, the lowest gap counts as filled, so that what is missed longest is given up first.
struct SeqSet: Hashable, Sendable {
    static let most = 64

    /// Ascending, none touching the next.
    private(set) var ranges: [ClosedRange<UInt64>] = []

    /// The greatest of them; 0 when there is none.
    var last: UInt64 { ranges.last?.upperBound ?? 0 }

    func contains(_ seq: UInt64) -> Bool {
        ranges.last { $0.lowerBound <= seq }?.contains(seq) ?? false
    }

    mutating func insert(_ seq: UInt64) { insert(seq...seq) }

    mutating func insert(_ new: ClosedRange<UInt64>) {
        // Nearly always the next one.
        if let last = ranges.last, last.upperBound &+ 1 == new.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound...new.upperBound
            return
        }
        let touching = ranges.indices.filter {
            ranges[$0].lowerBound <= new.upperBound &+ 1 && new.lowerBound <= ranges[$0].upperBound &+ 1
        }
        if let first = touching.first, let last = touching.last {
            let whole =
                min(new.lowerBound, ranges[first].lowerBound)...max(new.upperBound, ranges[last].upperBound)
            ranges.replaceSubrange(first...last, with: [whole])
        } else {
            ranges.insert(new, at: ranges.firstIndex { $0.lowerBound > new.upperBound } ?? ranges.endIndex)
        }
        if ranges.count > Self.most {
            ranges.replaceSubrange(0...1, with: [ranges[0].lowerBound...ranges[1].upperBound])
        }
    }

    /// The lowest numbers within `requested` that are not in it, as far as they follow each other.
    func firstGap(in requested: ClosedRange<UInt64>) -> ClosedRange<UInt64>? {
        var next = requested.lowerBound
        var end = requested.upperBound
        for range in ranges where range.upperBound >= next {
            if range.lowerBound > next {
                end = min(end, range.lowerBound - 1)
                break
            }
            next = range.upperBound + 1
        }
        return next <= end ? next...end : nil
    }
}
