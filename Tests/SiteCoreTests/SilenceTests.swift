import Beacons
import Messages
import Testing

@testable import SiteCore

/// An item that is silent at all gateways at once leaves before the last of them has exited it.
@Suite("Silence of an item")
struct SilenceTests {
    /// Kitchen and hall are alive and have the bag inside, which the kitchen received last at that second, and the hall a second earlier.
    private func home() -> (site: TestSite, last: Double) {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.gateway("hall", room: "Hall")
        receive(&site)
        return (site, site.now)
    }

    /// The bag is received at both gateways for some seconds.
    private func receive(_ site: inout TestSite) {
        for gateway in ["kitchen", "hall"] { site.event(.enter, at: gateway) }
        for _ in 0..<5 {
            site.advance(to: site.now + 1)
            site.ranged(at: "kitchen")
            site.ranged(at: "hall", rssi: -75)
        }
    }

    /// The kitchen exits the bag after 11 s, and the hall has reported its own silence.
    private func leave(_ site: inout TestSite, since last: Double, ofHall: Double? = nil, perDay: Double? = 40) {
        site.advance(to: last + 8)
        site.silent(at: "kitchen", since: last, perDay: 3)
        site.silent(at: "hall", since: ofHall ?? last - 1, perDay: perDay)
        site.advance(to: last + 11)
        site.event(.exit, at: "kitchen", lastSeen: last)
        site.cleared(at: "kitchen")
        site.advance(to: last + 12)
    }

    @Test func `an item leaves once one gateway has exited it and it is silent for unusually long at the others`()
        throws
    {
        var (site, last) = home()
        leave(&site, since: last)
        #expect(site.story == ["left Kitchen"])
        #expect(site.location?.presence == .away)
        let left = try #require(site.events.first)
        #expect(left.stamp.at == TestSite.start + .seconds(last + 11))
        #expect(left.cause?.gateway == "kitchen")
    }

    @Test func `the late exits of other gateways change nothing, and the next departure counts as well`() {
        var (site, last) = home()
        for round in 1...3 {
            leave(&site, since: last)
            site.silent(at: "hall", since: last - 1, perDay: 2)
            site.silent(at: "hall", since: last - 1, perDay: nil)
            site.advance(to: last + 30)
            #expect(site.location?.presence == .away)
            site.event(.exit, at: "hall", lastSeen: last - 1)
            site.cleared(at: "hall")
            site.advance(to: last + 40)
            #expect(site.story.count == 2 * round - 1)
            for (id, room) in [("kitchen", "Kitchen"), ("hall", "Hall")] { site.heartbeat(id, room: room) }
            receive(&site)
            last = site.now
            site.advance(to: last + 1)
            #expect(site.story.count == 2 * round, "\(site.story)")
            #expect(site.location?.presence == .home)
        }
    }

    @Test func `a gateway that receives the item again brings it back without an enter`() {
        var (site, last) = home()
        leave(&site, since: last)
        site.advance(to: last + 20)
        site.ranged(at: "hall")
        site.advance(to: last + 24)
        #expect(site.story == ["left Kitchen", "returned -"])
        #expect(site.location?.presence == .home)
    }

    @Test func `an item that only left a gateway's range has not left the house`() {
        var (site, last) = home()
        for _ in 0..<10 {
            site.advance(to: site.now + 1)
            site.ranged(at: "hall")
        }
        site.event(.exit, at: "kitchen", when: last + 11, lastSeen: last)
        site.cleared(at: "kitchen")
        site.advance(to: last + 20)
        site.silent(at: "hall", since: last + 10, perDay: 0.5)
        site.advance(to: last + 22)
        #expect(site.story.isEmpty)
        #expect(site.location?.presence == .home)
    }

    @Test func `an item does not leave before its silence is rare at the gateway that received it last`() {
        var (site, last) = home()
        leave(&site, since: last, ofHall: last + 1)
        #expect(site.story.isEmpty)
        #expect(site.location?.presence == .home)
        site.silent(at: "hall", since: last + 1, perDay: 0.9)
        site.advance(to: last + 14)
        #expect(site.story == ["left Kitchen"])
    }

    @Test func `a gateway that does not report silences has to exit the item`() {
        var (site, last) = home()
        leave(&site, since: last, perDay: nil)
        #expect(site.story.isEmpty)
        site.event(.exit, at: "hall", lastSeen: last - 1)
        site.cleared(at: "hall")
        site.advance(to: last + 14)
        #expect(site.story == ["left Kitchen"])
    }

    @Test func `a silent gateway that is down makes nobody away`() {
        var (site, last) = home()
        site.advance(to: last + 8)
        site.silent(at: "hall", since: last - 1, perDay: 40)
        site.offline("hall")
        site.event(.exit, at: "kitchen", when: last + 11, lastSeen: last)
        site.cleared(at: "kitchen")
        site.advance(to: last + 14)
        #expect(site.story.isEmpty)
        #expect(site.location?.presence == .unknown)
    }

    @Test func `the probability of having left is published in steps while the item is silent`() {
        var (site, last) = home()
        site.forgetOutputs()
        var published: [Double?] = []
        for (after, perDay) in [(6.0, 90.0), (8, 9), (9, 8.5), (10, 0.9)] {
            site.advance(to: last + after)
            for gateway in ["kitchen", "hall"] { site.silent(at: gateway, since: last, perDay: perDay) }
            site.advance(to: last + after + 0.9)
            published.append(site.location?.awayProbability)
        }
        #expect(published == [nil, 0.18, 0.18, 0.69])
        #expect(site.published(on: .itemLocation(item: "laptop-bag")).filter { $0.contains("away_prob") }.count == 2)
        site.advance(to: last + 12)
        site.ranged(at: "hall")
        site.advance(to: last + 14)
        #expect(site.location?.awayProbability == nil)
        #expect(site.location?.presence == .home)
    }

    @Test func `an item that one gateway receives has not left, however silent it is at another`() {
        var (site, last) = home()
        site.advance(to: last + 8)
        site.silent(at: "kitchen", since: last, perDay: 0.1)
        site.ranged(at: "hall")
        #expect(site.pipeline.items.table["laptop-bag"]?.awayProbability == 0)
    }
}
