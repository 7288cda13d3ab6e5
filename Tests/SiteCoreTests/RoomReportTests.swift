import Beacons
import Messages
import Testing

@testable import SiteCore

@Suite("What the site reports of rooms")
struct RoomReportTests {
    /// A bag that was away, and three gateways.
    private func away() -> TestSite {
        var site = TestSite()
        for (gateway, room) in [("hall", "Hall"), ("kitchen", "Kitchen"), ("porch", "Porch")] {
            site.gateway(gateway, room: room)
        }
        site.event(.enter, at: "hall")
        for _ in 0..<5 {
            site.ranged(at: "hall", rssi: -55)
            site.advance(to: site.now + 1)
        }
        site.event(.exit, at: "hall")
        site.cleared(at: "hall")
        site.advance(to: site.now + 10)
        return site
    }

    @Test func `an item that comes back is in no room before all gateways had the time to report, and did not move`() {
        var site = away()
        site.event(.enter, at: "porch")
        site.ranged(at: "porch", rssi: -75)
        #expect(site.location?.presence == .home)
        #expect(site.location?.room == nil)
        site.advance(to: site.now + 1)
        site.event(.enter, at: "hall")
        site.ranged(at: "hall", rssi: -52)
        for _ in 0..<8 {
            site.advance(to: site.now + 1)
            site.ranged(at: "hall", rssi: -52)
            site.ranged(at: "porch", rssi: -75)
        }
        #expect(site.story.suffix(1) == ["returned Hall"], "\(site.story)")
        #expect(site.location?.room == "Hall")
    }

    @Test func `a return that no gateway ranges is told within seconds, in the room where it was received first`() {
        var site = away()
        let at = site.now
        site.event(.enter, at: "porch")
        site.advance(to: at + 5)
        #expect(site.story.last == "returned Porch")
        #expect(site.events.last?.stamp.at == TestSite.start + .seconds(at))
    }

    @Test func `a return that was not told before a crash is told after it`() {
        var site = away()
        site.event(.enter, at: "porch")
        site.ranged(at: "porch")
        let kept = site.pipeline.kept.states.first { $0.id == "laptop-bag" }
        #expect(kept?.presence == .away)
        site.advance(to: site.now + 5)
        #expect(site.pipeline.kept.states.first { $0.id == "laptop-bag" }?.presence == .home)
    }

    @Test func `an item is not drawn into the room of a gateway that starts and does not receive it`() {
        var site = TestSite()
        site.gateway("hall", room: "Hall")
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "hall")
        var rooms: Set<String> = []
        for second in 0..<150 {
            if second == 30 { site.gateway("porch", room: "Porch", radio: .poweredOff) }
            if second == 60 { site.gateway("porch", room: "Porch") }
            if second % 20 == 0 {
                for (gateway, room) in [("hall", "Hall"), ("kitchen", "Kitchen")] {
                    site.heartbeat(gateway, room: room)
                }
                if second >= 60 { site.heartbeat("porch", room: "Porch") }
            }
            site.ranged(at: "hall", rssi: -85)
            site.ranged(at: "kitchen", rssi: -88)
            site.advance(to: site.now + 1)
            if let room = site.location?.room { rooms.insert(room) }
        }
        #expect(rooms == ["Hall"])
        #expect(site.story.isEmpty, "\(site.story)")
    }

    @Test
    func `the silence of a gateway that receives nothing of any item stops counting, and counts when it receives`() {
        var site = TestSite()
        let gateways = [("hall", "Hall"), ("kitchen", "Kitchen"), ("deaf", "Attic"), ("porch", "Porch")]
        for (gateway, room) in gateways { site.gateway(gateway, room: room) }
        site.event(.enter, at: "hall")
        for second in 0..<180 {
            if second % 20 == 0 { for (gateway, room) in gateways { site.heartbeat(gateway, room: room) } }
            for (index, gateway) in ["hall", "kitchen", "porch"].enumerated() {
                site.ranged(at: gateway, rssi: second / 50 % 3 == index ? -50 : -70)
            }
            site.advance(to: site.now + 1)
        }
        #expect(site.pipeline.reception.isDeaf("deaf"))
        #expect(!site.pipeline.reception.isDeaf("hall"))
        site.ranged(at: "deaf", rssi: -80)
        #expect(!site.pipeline.reception.isDeaf("deaf"))
    }
}
