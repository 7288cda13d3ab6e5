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

    /// Ranges the bag for some seconds, best in the kitchen, always with the same levels.
    private func lie(in site: inout TestSite, seconds: Int) {
        for second in 0..<seconds {
            if second % 30 == 0 {
                for (gateway, room) in [("hall", "Hall"), ("kitchen", "Kitchen")] {
                    site.heartbeat(gateway, room: room)
                }
            }
            site.ranged(at: "hall", rssi: -78)
            site.ranged(at: "kitchen", rssi: -52)
            site.advance(to: site.now + 1)
        }
    }

    @Test func `the room of the gateway that received an unknown item first is a guess, and its correction no move`() {
        var site = TestSite()
        for (gateway, room) in [("hall", "Hall"), ("kitchen", "Kitchen")] { site.gateway(gateway, room: room) }
        site.event(.enter, at: "hall")
        #expect(site.location?.room == "Hall")
        lie(in: &site, seconds: 60)
        #expect(site.location?.room == "Kitchen")
        #expect(site.story == [])
    }

    @Test func `a return to the room that received the item first is corrected without a move if the item is still`() {
        var site = away()
        let former = site.story
        site.event(.enter, at: "porch")
        site.advance(to: site.now + 5)
        #expect(site.story == former + ["returned Porch"])
        lie(in: &site, seconds: 120)
        #expect(site.location?.room == "Kitchen")
        #expect(site.story == former + ["returned Porch"])
    }

    @Test
    func `a return that no gateway ranges is published within seconds, in the room where the item was received first`()
    {
        var site = away()
        let at = site.now
        site.event(.enter, at: "porch")
        site.advance(to: at + 5)
        #expect(site.story.last == "returned Porch")
        #expect(site.events.last?.stamp.at == TestSite.start + .seconds(at))
    }

    /// An aggregator that starts with what another one stored while a return waited.
    private func restarted(_ site: TestSite, published: [ItemEvent] = []) throws -> TestSite {
        let stored = try StoredSite(parsing: site.pipeline.stored.bytes)
        var again = TestSite(stored: stored, settling: false)
        again.pipeline.reports.items.recall(published)
        for (gateway, room) in [("hall", "Hall"), ("kitchen", "Kitchen"), ("porch", "Porch")] {
            again.gateway(gateway, room: room)
        }
        return again
    }

    @Test func `a return that waits when the aggregator is killed is an event after the restart, before the departure`()
        throws
    {
        var site = away()
        site.event(.enter, at: "porch")
        let at = site.now
        site.ranged(at: "porch")
        site.advance(to: site.now + 1)
        #expect(site.story == ["left Hall"])
        var again = try restarted(site)
        again.event(.exit, at: "porch", when: at + 20, seq: 2)
        again.cleared(at: "porch")
        again.advance(to: 20)
        #expect(again.story == ["returned Porch", "left Porch"], "\(again.story)")
        #expect(again.events.first?.stamp.at == TestSite.start + .seconds(at))
        #expect(again.location?.presence == .away)
    }

    @Test func `a return that waits when the aggregator is killed is an event after the restart without another event`()
        throws
    {
        var site = away()
        site.event(.enter, at: "porch")
        var again = try restarted(site)
        again.advance(to: 10)
        #expect(again.story == ["returned Porch"], "\(again.story)")
        #expect(again.location?.presence == .home)
    }

    @Test func `a return that was written after the site was stored is no event again after the restart`() throws {
        var site = away()
        site.event(.enter, at: "porch")
        let waiting = site
        site.advance(to: site.now + 5)
        let returned = try #require(site.events.last)
        #expect(site.story.last == "returned Porch")
        var again = try restarted(waiting, published: [returned])
        again.advance(to: 10)
        #expect(again.story.isEmpty, "\(again.story)")
        #expect(again.location?.presence == .home)
    }

    @Test(arguments: [["hall", "kitchen"], ["kitchen", "hall"]], 2...6)
    func `an item whose exit one gateway reports first did not move to the other gateway's room before it left`(
        exits: [String], secondsInHall: Int
    ) {
        var site = TestSite()
        site.gateway("hall", room: "Hall")
        site.gateway("kitchen", room: "Kitchen")
        for gateway in ["hall", "kitchen"] { site.event(.enter, at: gateway) }
        for second in 0..<8 + secondsInHall {
            site.ranged(at: "kitchen", rssi: second < 8 ? -40 : -85)
            site.ranged(at: "hall", rssi: second < 8 ? -80 : -45)
            site.advance(to: site.now + 1)
        }
        let room = site.location?.room
        site.advance(to: site.now + 5)
        for gateway in exits {
            site.event(.exit, at: gateway)
            site.cleared(at: gateway)
            site.advance(to: site.now + 1)
        }
        site.advance(to: site.now + 5)
        #expect(site.story.last == "left \(room ?? "-")", "\(site.story)")
        #expect(site.location?.presence == .away)
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
        #expect(site.pipeline.items.surroundings.isDeaf("deaf"))
        #expect(!site.pipeline.items.surroundings.isDeaf("hall"))
        site.ranged(at: "deaf", rssi: -80)
        #expect(!site.pipeline.items.surroundings.isDeaf("deaf"))
    }
}
