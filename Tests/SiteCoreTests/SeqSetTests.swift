import Beacons
import Testing

@testable import SiteCore

@Suite("Numbers in ranges")
struct SeqSetTests {
    @Test func `consecutive numbers are one range`() {
        var set = SeqSet()
        for seq: UInt64 in [1, 2, 3, 7, 5, 6, 4] { set.insert(seq) }
        #expect(set.ranges == [1...7])
        #expect(set.last == 7)
    }

    @Test func `a range swallows those that it touches`() {
        var set = SeqSet()
        for range: ClosedRange<UInt64> in [1...2, 10...12, 20...30, 40...40] { set.insert(range) }
        set.insert(12...39)
        #expect(set.ranges == [1...2, 10...40])
        set.insert(3...9)
        #expect(set.ranges == [1...40])
    }

    @Test(arguments: [
        (requested: 1...30 as ClosedRange<UInt64>, gap: 1...4 as ClosedRange<UInt64>?), (5...30, 11...19),
        (12...15, 12...15), (5...10, nil),
        (20...40, 31...40), (50...60, 50...60),
    ])
    func `the first gap is the lowest requested number that is missing`(
        requested: ClosedRange<UInt64>, gap: ClosedRange<UInt64>?
    ) {
        var set = SeqSet()
        set.insert(5...10)
        set.insert(20...30)
        #expect(set.firstGap(in: requested) == gap)
    }

    @Test func `any order of insertion agrees with a plain set`() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<200 {
            var set = SeqSet()
            var plain: Set<UInt64> = []
            for _ in 0..<30 {
                let from = UInt64.random(in: 1...60, using: &generator)
                let to = from + UInt64.random(in: 0...4, using: &generator)
                set.insert(from...to)
                plain.formUnion(from...to)
            }
            #expect((1...70).allSatisfy { set.contains($0) == plain.contains($0) })
            #expect(set.ranges.allSatisfy { range in !plain.contains(range.upperBound + 1) })
            #expect(set.firstGap(in: 1...70)?.lowerBound == (1...70).first { !plain.contains($0) })
        }
    }

    @Test func `beyond its limit the lowest gap is given up`() {
        var set = SeqSet()
        for seq in stride(from: UInt64(2), through: UInt64(SeqSet.most) * 2 + 2, by: 2) { set.insert(seq) }
        #expect(set.ranges.count == SeqSet.most)
        #expect(set.ranges.first == 2...4)
    }
}
