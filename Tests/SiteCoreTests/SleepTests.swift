import Beacons
import Messages
import Testing

@testable import SiteCore

/// Items whose beacons advertise only while the items move.
struct SleepTests {
    /// The bag sleeps, and was put down in the kitchen.
    private func home(sleeps: Bool = true) -> TestSite {
        var site = TestSite(TestSite.bagItem + (sleeps ? "\nsleeps = true" : ""))
        site.gateway("kitchen", room: "Kitchen")
        site.gateway("hall", room: "Hall")
        site.event(.enter, at: "kitchen")
        site.event(.enter, at: "hall")
        for _ in 0..<8 {
            site.ranged(at: "kitchen")
            site.ranged(at: "hall", rssi: -78)
            site.advance(to: site.now + 1)
        }
        return site
    }

    /// Both gateways lose the bag.
    private func silent(_ site: inout TestSite) {
        for gateway in ["hall", "kitchen"] {
            site.advance(to: site.now + 5)
            site.heartbeat("kitchen", room: "Kitchen")
            site.heartbeat("hall", room: "Hall")
            site.event(.exit, at: gateway)
            site.cleared(at: gateway)
        }
        site.advance(to: site.now + 2)
    }

    @Test func `an item that sleeps stays home in its room when it falls silent, still since it was received last`() {
        var site = home()
        let lastSeen = TestSite.start + .seconds(site.now - 1)
        let confidence = site.location?.confidence ?? 0
        silent(&site)
        #expect(site.story.isEmpty)
        #expect(site.location?.presence == .home && site.location?.room == "Kitchen")
        #expect(site.location?.restingSince == lastSeen && site.location?.lastSeenAt == lastSeen)
        #expect(abs((site.location?.confidence ?? 1) - confidence) < 0.15 && site.location?.nearest.gateway == nil)
    }

    @Test func `an item that does not sleep leaves with the same silence`() {
        var site = home(sleeps: false)
        silent(&site)
        #expect(site.story == ["left Kitchen"])
        #expect(site.location?.restingSince == nil)
    }

    @Test func `an item that wakes up does not return, and is no longer still`() {
        var site = home()
        silent(&site)
        site.event(.enter, at: "kitchen")
        for _ in 0..<5 {
            site.ranged(at: "kitchen")
            site.advance(to: site.now + 1)
        }
        #expect(site.story.isEmpty)
        #expect(site.location?.presence == .home && site.location?.restingSince == nil)
        #expect(site.location?.nearest.gateway == "kitchen")
    }

    @Test func `an item that sleeps leaves if it was carried out: it faded, and one gateway lost it before the other`()
    {
        var site = home()
        for step in 0..<20 {
            site.ranged(at: "hall", rssi: -50 - 2.2 * Double(step))
            site.advance(to: site.now + 1)
            guard step == 10 else { continue }
            site.event(.exit, at: "kitchen")
            site.cleared(at: "kitchen")
        }
        site.advance(to: site.now + 5)
        site.event(.exit, at: "hall")
        site.cleared(at: "hall")
        site.advance(to: site.now + 2)
        #expect(site.story.count { $0.hasPrefix("left") } == 1)
        #expect(site.location?.presence == .away)
        // The gateways restart: it stays away.
        for gateway in ["kitchen", "hall"] { site.offline(gateway) }
        site.advance(to: site.now + 2)
        #expect(site.location?.presence == .unknown)
        site.gateway("kitchen", room: "Kitchen")
        site.gateway("hall", room: "Hall")
        site.advance(to: site.now + 5)
        #expect(site.location?.presence == .away)
    }

    @Test func `a still item is unknown while a gateway that had it is down, and is still afterwards`() {
        var site = home()
        silent(&site)
        let since = site.location?.restingSince
        site.offline("kitchen")
        site.advance(to: site.now + 2)
        #expect(site.location?.presence == .unknown && site.location?.restingSince == nil)
        site.gateway("kitchen", room: "Kitchen")
        site.advance(to: site.now + 5)
        #expect(site.location?.presence == .home && site.location?.restingSince == since)
        #expect(site.story.isEmpty)
    }

    @Test func `a still item is still after a restart of the aggregator`() {
        var site = home()
        silent(&site)
        let stored = site.pipeline.stored
        var next = TestSite(TestSite.bagItem + "\nsleeps = true", stored: stored, settling: false)
        next.gateway("kitchen", room: "Kitchen")
        next.gateway("hall", room: "Hall")
        next.advance(to: 30)
        #expect(next.location?.presence == .home && next.location?.room == "Kitchen")
        #expect(next.location?.restingSince == site.location?.restingSince)
        #expect(next.story.isEmpty)
    }
}
