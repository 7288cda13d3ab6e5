import Beacons
import Messages
import Testing

@testable import Locating
@testable import SiteCore

/// What items cost while nothing changes: looks, steps of the filter and messages are counted.
@Suite("Items at rest")
struct RestTests {
    private static func beacon(_ number: Int) -> BeaconIdentity {
        BeaconIdentity(uuid: TestSite.bag.uuid, major: 7, minor: UInt16(number))
    }

    /// A site of so many items in a room; the gateways of two rooms publish nothing yet.
    private static func site(items: Int) -> TestSite {
        let entries = (0..<items).map {
            "[[item]]\nname = \"Item \($0)\"\nuuid = \"\(TestSite.bag.uuid)\"\nmajor = 7\nminor = \($0)\n"
        }
        var site = TestSite("[home_assistant]\ndiscovery = false\n" + entries.joined())
        for gateway in ["kitchen", "hall"] { site.gateway(gateway, room: gateway) }
        return site
    }

    /// Lets minutes pass in which the kitchen's gateway publishes a state of each item each `period`.
    private static func pass(_ minutes: Int, in site: inout TestSite, items: Int, period: Int) {
        for second in 0..<60 * minutes {
            if second % 20 == 0 { for gateway in ["kitchen", "hall"] { site.heartbeat(gateway, room: gateway) } }
            for item in stride(from: second % period, to: items, by: period) {
                let state = RangedState(
                    gateway: "kitchen", proximity: .near, accuracy: 1.5, rssi: -60, sightings: 9, addresses: 1,
                    stamp: site.stamp(at: site.now), validFor: UInt32(period * 5 / 2))
                site.deliver(.proximity(beacon(item), gateway: "kitchen"), state.bytes)
            }
            site.advance(to: site.now + 1)
        }
    }

    @Test(arguments: [10, 60])
    func `items at rest are looked at less than four times a minute, unless the rooms are learned from them`(
        period: Int
    ) throws {
        let count = 30
        var site = Self.site(items: count)
        Self.pass(1, in: &site, items: count, period: period)
        // Other items have filled the history already.
        let locator = try #require(site.pipeline.items.table["item-0"]?.locator)
        var past = TrainingHistory()
        for number in 0..<500 { past.add(locator, of: "other-\(number)", at: TestSite.moment(site.now).instant) }
        site.pipeline.reports.items.study.restore(past: past, surveys: [])
        Self.pass(6, in: &site, items: count, period: period)
        let before = site.pipeline.items.counts.looks
        Self.pass(5, in: &site, items: count, period: period)
        #expect(site.pipeline.items.counts.looks - before < 5 * 4 * count)
    }

    @Test(arguments: [10, 60])
    func `an item at rest costs about one step of the filter for each look and message`(period: Int) throws {
        var site = Self.site(items: 1)
        Self.pass(20, in: &site, items: 1, period: period)
        let looks = site.pipeline.items.counts.looks
        let steps = try #require(site.pipeline.items.table["item-0"]?.locator?.steps)
        Self.pass(10, in: &site, items: 1, period: period)
        let after = try #require(site.pipeline.items.table["item-0"]?.locator?.steps)
        #expect(Int(after - steps) <= (site.pipeline.items.counts.looks - looks) + 2 * 600 / period)
    }

    @Test func `the confidence of an item at rest does not fade between the states of a gateway that publishes rarely`()
        throws
    {
        var site = Self.site(items: 1)
        Self.pass(10, in: &site, items: 1, period: 60)
        site.forgetOutputs()
        Self.pass(10, in: &site, items: 1, period: 60)
        let published = site.published(on: .itemLocation(item: "item-0")).count
        #expect(published <= 11, "last_seen_at is renewed each minute, and nothing else changes")
        #expect(try #require(site.location(of: "item-0")?.confidence) > 0.9)
    }
}
