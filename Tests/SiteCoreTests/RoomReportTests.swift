import Beacons
import HomeAssistant
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

    @Test
    func `an item that comes back has returned at once, and is in a room once all gateways had the time to report`()
        throws
    {
        var site = away()
        let at = TestSite.start + .seconds(site.now)
        site.event(.enter, at: "porch")
        #expect(site.story.suffix(1) == ["returned -"], "\(site.story)")
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
        #expect(site.story.suffix(1) == ["returned -"], "the first room is no move")
        #expect(site.location?.room == "Hall")
        #expect(site.location?.since == at, "the item has been there since its return")
        #expect(try #require(site.events.last).stamp.at == at)
    }

    @Test
    func
        `an item is in the room of the gateway with the best current RSSI, and of earlier gateways with the best mean`()
    {
        for (moved, still) in [(-45.0 as Double?, -85.0 as Double?), (nil, nil)] {
            var site = TestSite()
            for (gateway, room) in [("hall", "Hall"), ("kitchen", "Kitchen")] { site.gateway(gateway, room: room) }
            site.advance(to: site.now + 5)
            for gateway in ["hall", "kitchen"] { site.event(.enter, at: gateway) }
            for _ in 0..<10 {
                site.ranged(at: "hall", rssi: -50, currentRSSI: still)
                site.ranged(at: "kitchen", rssi: -80, currentRSSI: moved)
                site.advance(to: site.now + 1)
            }
            #expect(site.location?.room == (moved == nil ? "Hall" : "Kitchen"))
            #expect(site.location?.nearest.rssi == (moved ?? -50))
        }
    }

    @Test func `a room that gets another name is no move of its items, each time`() {
        var site = TestSite()
        for (gateway, room) in [("hall", "Hall"), ("stairs", "Hall"), ("kitchen", "Kitchen"), ("porch", "Porch")] {
            site.gateway(gateway, room: room)
        }
        site.advance(to: site.now + 5)
        for gateway in ["hall", "stairs", "kitchen", "porch"] { site.event(.enter, at: gateway) }
        func live(for seconds: Int) {
            for _ in 0..<seconds {
                for (gateway, rssi) in [("hall", -60), ("stairs", -63), ("kitchen", -66), ("porch", -75)]
                    as [(String, Double)]
                {
                    site.ranged(at: gateway, rssi: rssi)
                }
                site.advance(to: site.now + 1)
            }
        }
        live(for: 40)
        let (story, since) = (site.story, site.location?.since)
        #expect(site.location?.room == "Hall")
        for name in ["Parlour", "Hall", "Atrium"] {
            site.heartbeat("hall", room: name)
            // The second gateway of the room follows a while later.
            live(for: 2)
            site.heartbeat("stairs", room: name)
            live(for: 2)
            #expect(site.location?.room == name)
            live(for: 60)
            #expect(site.location?.room == name)
            #expect(site.location?.since == since)
            #expect(site.story == story)
        }
    }

    @Test(arguments: [0.3, 0.5, 0.8])
    func `an item that a farther gateway receives first is in the room of the nearer one since its return, each time`(
        later: Double
    ) {
        var site = TestSite()
        for (gateway, room) in [("hall", "Hall"), ("kitchen", "Kitchen")] { site.gateway(gateway, room: room) }
        site.advance(to: site.now + 5)
        for _ in 1...3 {
            let at = TestSite.start + .seconds(site.now)
            site.event(.enter, at: "hall")
            site.ranged(at: "hall", rssi: -80)
            site.advance(to: site.now + later)
            site.event(.enter, at: "kitchen")
            site.ranged(at: "kitchen", rssi: -50)
            for _ in 0..<8 {
                site.advance(to: site.now + 1)
                site.ranged(at: "hall", rssi: -80)
                site.ranged(at: "kitchen", rssi: -50)
            }
            #expect(site.location?.room == "Kitchen" && site.location?.since == at)
            for gateway in ["kitchen", "hall"] {
                site.event(.exit, at: gateway)
                site.cleared(at: gateway)
            }
            site.advance(to: site.now + 12)
        }
    }

    @Test(arguments: [true, false])
    func `the rooms of Home Assistant stay over each restart, and only one that is gone is cleared`(isCaughtUp: Bool)
        throws
    {
        var home = SitePeopleTests.Home()
        home.begin()
        func rooms(_ home: SitePeopleTests.Home) -> [ForeignMessage] {
            home.site.messagesElsewhere.filter { $0.topic.contains("forgetmenot_room_") }
        }
        let hall = try #require(rooms(home).first)
        let gone = Device(room: "Attic", id: "attic", under: .standard)
        let former = gone.payload(by: .aggregator, version: "1")
        let topic = "homeassistant/device/forgetmenot_room_attic/config"
        for _ in 1...2 {
            home = SitePeopleTests.Home(
                stored: try StoredSite(parsing: home.site.pipeline.stored.bytes), settling: false)
            home.site.deliverElsewhere(hall.topic, String(decoding: hall.payload, as: UTF8.self), retained: true)
            home.site.deliverElsewhere(topic, String(decoding: former, as: UTF8.self), retained: true)
            if !isCaughtUp { home.missed(["keys"], after: 0) }
            home.advance(by: 60, ["keys", "phone", "violin"])
            #expect(rooms(home).filter { $0.payload.isEmpty }.map(\.topic) == [topic])
        }
    }

    @Test func `each return of an item is an event at once`() {
        var site = away()
        for round in 1...3 {
            site.event(.enter, at: "porch")
            #expect(site.story.count == 2 * round, "\(site.story)")
            #expect(site.story.last == "returned -")
            site.advance(to: site.now + 10)
            site.event(.exit, at: "porch")
            site.cleared(at: "porch")
            site.advance(to: site.now + 10)
        }
    }

    @Test func `an item that returns to a site of one room has returned there`() {
        var site = TestSite()
        site.gateway("hall", room: "Hall")
        site.advance(to: site.now + 5)
        site.event(.enter, at: "hall")
        site.advance(to: site.now + 5)
        site.event(.exit, at: "hall")
        site.advance(to: site.now + 5)
        site.event(.enter, at: "hall")
        #expect(site.story == ["left Hall", "returned Hall"])
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

    @Test func `an unknown item is in no room before its estimate, whichever gateway received it first`() {
        var site = TestSite()
        for (gateway, room) in [("hall", "Hall"), ("kitchen", "Kitchen")] { site.gateway(gateway, room: room) }
        site.event(.enter, at: "hall")
        #expect(site.location?.presence == .home && site.location?.room == nil)
        lie(in: &site, seconds: 60)
        #expect(site.location?.room == "Kitchen")
        #expect(site.story == [])
    }

    @Test func `a return is followed by the room without a move if the item is still`() {
        var site = away()
        let former = site.story
        site.event(.enter, at: "porch")
        site.advance(to: site.now + 5)
        lie(in: &site, seconds: 120)
        #expect(site.location?.room == "Kitchen")
        #expect(site.story == former + ["returned -"])
    }

    /// An aggregator that starts with what another one stored.
    private func restarted(_ site: TestSite, published: [ItemEvent] = []) throws -> TestSite {
        let stored = try StoredSite(parsing: site.pipeline.stored.bytes)
        var again = TestSite(stored: stored, settling: false)
        again.pipeline.recall(published)
        for (gateway, room) in [("hall", "Hall"), ("kitchen", "Kitchen"), ("porch", "Porch")] {
            again.gateway(gateway, room: room)
        }
        return again
    }

    @Test(arguments: [true, false])
    func `a return is an event once, whether the aggregator is killed before or after it was published`(
        isPublished: Bool
    ) throws {
        var site = away()
        let before = site
        site.event(.enter, at: "porch")
        #expect(site.story == ["left Hall", "returned -"])
        let returned = try #require(site.events.last)
        var again = try restarted(before, published: isPublished ? [returned] : [])
        again.event(.enter, at: "porch", when: site.now, seq: 1)
        again.ranged(at: "porch")
        again.advance(to: 20)
        #expect(again.story == (isPublished ? [] : ["returned Porch"]), "\(again.story)")
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
