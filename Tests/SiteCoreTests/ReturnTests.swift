import Beacons
import Messages
import Simulation
import SimulationTestSupport
import Testing

/// An item that is received weakly shortly after it left: is it back, or on its way out?
struct ReturnTests {
    private static let notified =
        TestSite.bagItem + "\n[item.notify]\nreturned = true\nafter = \"10s\"\n"

    /// A gateway in the hall that receives the bag as a test wants, and exits it after a silence of 11 s.
    private struct Hall {
        var site: TestSite
        private var lastSeen: Double?
        /// The sightings since the last message, and when that was.
        private var sightings = 0
        private var publishedAt = 0.0
        private var lastRSSI = 0.0

        init(_ toml: String = TestSite.bagItem) {
            site = TestSite(toml)
            site.gateway("hall", room: "Hall")
            for _ in 0..<20 { pass(rssi: -60) }
        }

        /// Seconds pass, in which the bag is received with this RSSI, or not at all.
        mutating func pass(rssi: Double? = nil) {
            site.advance(to: site.now + 1)
            if Int(site.now) % 20 == 0 { site.heartbeat("hall", room: "Hall") }
            if let rssi {
                if lastSeen == nil { site.event(.enter, at: "hall", rssi: rssi) }
                lastSeen = site.now
                sightings += 1
                if abs(rssi - lastRSSI) > 10 { publishedAt = 0 }
                lastRSSI = rssi
            }
            guard let seen = lastSeen else { return }
            if site.now - seen >= 11 {
                site.event(.exit, at: "hall", lastSeen: seen, rssi: lastRSSI)
                site.cleared(at: "hall")
                (lastSeen, sightings, publishedAt) = (nil, 0, 0)
            } else if site.now - publishedAt >= 8, sightings == 0 {
                site.silent(at: "hall", since: seen, perDay: nil)
            } else if site.now - publishedAt >= 8 {
                site.ranged(at: "hall", rssi: lastRSSI, validFor: 75, sightings: sightings)
                (sightings, publishedAt) = (0, site.now)
            }
        }

        mutating func pass(_ seconds: Int, rssi: Double? = nil) { for _ in 0..<seconds { pass(rssi: rssi) } }

        /// The bag leaves, and is away for so many seconds.
        mutating func leave(for seconds: Int = 9) {
            pass(12)
            pass(seconds)
        }

        var notifications: [String] {
            site.published(on: .itemNotificationEvent(item: "laptop-bag")).compactMap {
                try? NotificationEvent(parsing: Array($0.utf8)).notification.kind.rawValue
            }
        }
    }

    @Test func `an item that is received at 10 % for a minute while it leaves has left once`() {
        var returns = 0
        for seed in 0..<100 as Range<UInt64> {
            var (hall, random) = (Hall(), Xoshiro256(seed: seed))
            for _ in 0..<60 { hall.pass(rssi: random.uniform(in: 0...1) < 0.1 ? random.uniform(in: -97 ... -88) : nil) }
            hall.pass(60)
            #expect(hall.site.story.last == "left Hall" && hall.site.location?.presence == .away)
            returns += hall.site.story.count { $0.hasPrefix("returned") }
        }
        // Each sighting after the first exit was a return: 1.5 in each departure.
        #expect(returns <= 10, "\(returns)")
    }

    @Test func `an item that returns with a good signal has returned at once, however shortly it was away`() throws {
        for rssi in [-60.0, -84] {
            var hall = Hall()
            hall.leave()
            hall.pass(rssi: rssi)
            #expect(hall.site.story == ["left Hall", "returned Hall"])
        }
        // The signal becomes good while its owner comes nearer; the return has the time of the first sighting.
        var hall = Hall()
        hall.leave()
        hall.pass(3, rssi: -92)
        #expect(hall.site.story == ["left Hall"] && hall.site.location?.presence == .away)
        hall.pass(rssi: -70)
        #expect(hall.site.story == ["left Hall", "returned Hall"] && hall.site.location?.presence == .home)
        #expect(hall.site.events.last?.stamp.at == TestSite.start + .seconds(hall.site.now - 3))
        #expect(hall.site.events.last?.cause?.gateway == "hall")
    }

    @Test
    func `an item that stays at the edge of the range has returned after half a minute, with the time of its enter`()
        throws
    {
        var hall = Hall(Self.notified)
        for times in 1...2 {
            hall.leave(for: 5)
            let enter = hall.site.now + 1
            hall.pass(30, rssi: -92)
            #expect(hall.site.story.count == 2 * times - 1)
            hall.pass(2, rssi: -92)
            #expect(hall.site.story.suffix(2) == ["left Hall", "returned Hall"], "time \(times)")
            #expect(hall.site.events.last?.stamp.at == TestSite.start + .seconds(enter))
            // It was away for less than `after`, and nobody was notified while that was open.
            #expect(hall.notifications == [])
        }
    }

    @Test func `an item whose slow tag is weak, but still received after half a minute, has returned, each time`() {
        var site = TestSite()
        site.gateway("hall", room: "Hall")
        func receive(_ times: Int) {
            for _ in 0..<times {
                site.heartbeat("hall", room: "Hall")
                site.ranged(at: "hall", rssi: -88, sightings: 1)
                site.advance(to: site.now + 10)
            }
        }
        site.event(.enter, at: "hall", rssi: -88)
        receive(3)
        for time in 1...2 {
            site.event(.exit, at: "hall", lastSeen: site.now - 10, rssi: -88)
            site.cleared(at: "hall")
            site.advance(to: site.now + 5)
            #expect(site.story.count == 2 * time - 1 && site.location?.presence == .away)
            let enter = site.now
            site.event(.enter, at: "hall", rssi: -88)
            receive(4)
            #expect(site.story.count == 2 * time - 1)
            receive(1)
            #expect(site.story.suffix(2) == ["left Hall", "returned Hall"], "time \(time)")
            #expect(site.events.last?.stamp.at == TestSite.start + .seconds(enter))
        }
    }

    @Test func `a weak sighting that nothing follows delays the notification of left, and no more`() {
        var hall = Hall(Self.notified)
        hall.leave(for: 5)
        hall.pass(rssi: -92)
        hall.pass(10)
        #expect(hall.notifications == [])
        hall.pass(3)
        #expect(hall.notifications == ["left"] && hall.site.story == ["left Hall"])
    }

    @Test func `a sighting at a gateway that had not exited the item is no return while it is weak`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.gateway("hall", room: "Hall")
        for gateway in ["kitchen", "hall"] { site.event(.enter, at: gateway) }
        for gateway in ["kitchen", "hall"] { site.ranged(at: gateway) }
        let last = site.now
        site.advance(to: last + 8)
        for gateway in ["kitchen", "hall"] { site.silent(at: gateway, since: last, perDay: 0.5) }
        site.advance(to: last + 11)
        site.event(.exit, at: "kitchen", lastSeen: last)
        site.cleared(at: "kitchen")
        site.advance(to: last + 15)
        #expect(site.story == ["left Kitchen"])
        site.ranged(at: "hall", rssi: -93)
        site.advance(to: last + 20)
        #expect(site.story == ["left Kitchen"])
        site.ranged(at: "hall", rssi: -75)
        site.advance(to: last + 21)
        #expect(site.story == ["left Kitchen", "returned Hall"])
    }

    @Test func `an item that was away for two minutes has returned with the first sighting, however weak`() {
        var hall = Hall()
        hall.leave(for: 121)
        hall.pass(rssi: -95)
        #expect(hall.site.story == ["left Hall", "returned Hall"])
    }

    @Test
    func `an enter that arrives after the item has left, and is of before that, is no return, the second time too`() {
        var site = TestSite()
        var story: [String] = []
        for _ in 1...2 {
            site.gateway("kitchen", room: "Kitchen")
            site.gateway("hall", room: "Hall")
            let start = site.now
            site.event(.enter, at: "hall")
            site.ranged(at: "hall")
            site.advance(to: start + 20)
            site.event(.exit, at: "hall")
            site.cleared(at: "hall")
            site.advance(to: start + 50)
            story = site.story
            #expect(story.last == "left Hall")
            site.event(.enter, at: "kitchen", when: start + 5)
            site.event(.exit, at: "kitchen", when: start + 15)
            site.advance(to: start + 52)
            #expect(site.story == story)
            site.advance(to: start + 300)
        }
        // A gateway that still has the item inside reports it.
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen", when: site.now - 285)
        #expect(site.story == story)
        site.ranged(at: "kitchen")
        site.advance(to: site.now + 5)
        #expect(site.location?.presence == .home)
    }
}
