import Beacons
@testable import Messages
import Testing

private let one = BeaconUUID("00000000-0000-0000-0000-000000000001")!
private let two = BeaconUUID("00000000-0000-0000-0000-000000000002")!

@Suite struct SiteSharesTests {
    private func beacon(_ uuid: BeaconUUID, _ major: UInt16) -> BeaconIdentity {
        BeaconIdentity(uuid: uuid, major: major, minor: 9)
    }

    @Test func `a beacon belongs to the aggregator whose share has its uuid and major`() {
        var shares = SiteShares()
        shares.set([BeaconShare(uuid: one, major: 1)], of: "north")
        shares.set([BeaconShare(uuid: one, major: 2), BeaconShare(uuid: two)], of: "south")
        #expect(shares.holder(of: beacon(one, 1)) == "north")
        #expect(shares.holder(of: beacon(one, 2)) == "south")
        #expect(shares.holder(of: beacon(two, 77)) == "south")
        #expect(shares.holder(of: beacon(one, 3)) == nil)
        #expect(["north", "south"].allSatisfy { shares.overlaps(of: $0).isEmpty })
    }

    @Test func `of two shares that overlap the more specific one wins, and of equal ones the lower name`() {
        var shares = SiteShares()
        shares.set([BeaconShare(uuid: one)], of: "a")
        shares.set([BeaconShare(uuid: one, major: 1), BeaconShare(uuid: two)], of: "b")
        shares.set([BeaconShare(uuid: two)], of: "")
        #expect(shares.holder(of: beacon(one, 1)) == "b")
        #expect(shares.holder(of: beacon(one, 2)) == "a")
        #expect(shares.holder(of: beacon(two, 1)) == "", "the aggregator without a name comes first")
        let special = SiteShares.Overlap(holder: "b", other: "a", share: BeaconShare(uuid: one, major: 1))
        let equal = SiteShares.Overlap(holder: "", other: "b", share: BeaconShare(uuid: two))
        #expect(shares.overlaps(of: "a") == [special])
        #expect(shares.overlaps(of: "b") == [special, equal])
        #expect(shares.overlaps(of: "") == [equal])
    }

    @Test func `the holder of every beacon does not depend on the order in which the shares arrive`() {
        let all: [(String, [BeaconShare])] = [
            ("a", [BeaconShare(uuid: one)]), ("b", [BeaconShare(uuid: one), BeaconShare(uuid: two, major: 3)]),
            ("c", [BeaconShare(uuid: two), BeaconShare(uuid: one, major: 3)]),
        ]
        var holders: Set<[String?]> = []
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            var shares = SiteShares()
            for index in order { shares.set(all[index].1, of: all[index].0) }
            holders.insert([one, two].flatMap { uuid in (0...4).map { shares.holder(of: beacon(uuid, $0)) } })
        }
        #expect(holders.count == 1)
    }

    @Test func `an aggregator that gives its shares up holds nothing`() {
        var shares = SiteShares()
        let changes = [[BeaconShare(uuid: one)], [BeaconShare(uuid: one)], nil].map { shares.set($0, of: "a") }
        #expect(changes == [true, false, true])
        #expect(shares.holder(of: beacon(one, 1)) == nil && shares.byName.isEmpty)
    }

    @Test func `the shares of a limited number of aggregators are remembered`() {
        var shares = SiteShares()
        for number in 0..<100 { shares.set([BeaconShare(uuid: one, major: UInt16(number))], of: "a\(number)") }
        #expect(shares.byName.count == SiteShares.mostAggregators)
    }

    @Test func `every aggregator's overlaps are found where 64 aggregators have 256 equal shares`() {
        var shares = SiteShares()
        let all = (0..<256).map { BeaconShare(uuid: one, major: UInt16($0)) }
        for number in 0..<SiteShares.mostAggregators { shares.set(all, of: "a\(number)") }
        let found = shares.overlaps(of: "a7")
        #expect(found.count == 256 * 63)
        #expect(found.allSatisfy { $0.holder == min("a7", $0.holder == "a7" ? $0.other : $0.holder) })
    }
}
