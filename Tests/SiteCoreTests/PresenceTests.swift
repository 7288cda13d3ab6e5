import Beacons
import Messages
import Settings
import Testing

@testable import SiteCore

@Suite("Presence")
struct PresenceTests {
    /// Kitchen and hall are alive, and the bag is in the kitchen.
    private func home(_ toml: String = TestSite.bagItem) -> TestSite {
        var site = TestSite(toml)
        site.gateway("kitchen", room: "Kitchen")
        site.gateway("hall", room: "Hall")
        site.event(.enter, at: "kitchen")
        for _ in 0..<5 {
            site.ranged(at: "kitchen")
            site.advance(to: site.now + 1)
        }
        return site
    }

    @Test func `an item that was never received is unknown`() {
        let site = TestSite()
        #expect(site.location?.presence == .unknown)
        #expect(site.location?.room == nil)
    }

    @Test func `an item that a gateway has inside is home, in its room, without an event`() {
        let site = home()
        #expect(site.location?.presence == .home)
        #expect(site.location?.room == "Kitchen")
        #expect(site.location?.nearest.gateway == "kitchen")
        #expect(site.location?.nearest.proximity == .near)
        #expect(site.location?.accuracy == 1.5)
        #expect(site.story.isEmpty)
    }

    @Test func `a gateway that misses a slow tag stays the nearest, with its distance, until it reports the tag gone`()
    {
        var site = home()
        site.event(.enter, at: "hall")
        for window in 0..<4 {
            site.ranged(at: "kitchen")
            site.ranged(at: "hall", rssi: -80, proximity: .far)
            site.advance(to: site.now + 2)
            if window < 2 {
                site.silent(at: "kitchen", since: site.now - 2, perDay: nil)
            } else {
                site.ranged(at: "kitchen", rssi: nil, sightings: 0)
            }
            site.ranged(at: "hall", rssi: -80, proximity: .far)
            site.advance(to: site.now + 10)
            #expect(site.location?.nearest.gateway == "kitchen" && site.location?.nearest.proximity == .near)
        }
        site.event(.exit, at: "kitchen")
        site.cleared(at: "kitchen")
        site.ranged(at: "hall", rssi: -80, proximity: .far)
        site.advance(to: site.now + 2)
        #expect(site.location?.nearest.gateway == "hall" && site.location?.nearest.proximity == .far)
    }

    @Test func `a gateway that misses a tag is compared by its distance, also where a plan has another accuracy`() {
        let plan = """

            [[room]]
            name = "Kitchen"
            polygon_m = [[0, 0], [4, 0], [4, 3], [0, 3]]
            [[room]]
            name = "Hall"
            polygon_m = [[4, 0], [8, 0], [8, 3], [4, 3]]
            [[gateway]]
            id = "kitchen"
            position_m = [2, 1]
            [[gateway]]
            id = "hall"
            position_m = [6, 1]
            """
        var site = home(TestSite.bagItem + plan)
        for turn in 1...2 {
            for _ in 0..<10 {
                site.ranged(at: "kitchen", proximity: .far, accuracy: 6)
                site.advance(to: site.now + 1)
            }
            #expect(site.location?.point != nil && site.location?.nearest.gateway == "kitchen")
            site.ranged(at: "kitchen", rssi: nil, proximity: .unknown, sightings: 0)
            site.ranged(at: "hall", rssi: -70, accuracy: 5)
            site.advance(to: site.now + 1)
            #expect(site.location?.room == "Kitchen" && site.location?.nearest.gateway == "hall", "turn \(turn)")
            site.cleared(at: "hall")
        }
    }

    @Test func `the distance of a still item is a mean, and that of an item that moved is the last one`() throws {
        var site = home()
        for second in 0..<90 {
            if second % 20 == 0 { site.heartbeat("kitchen", room: "Kitchen") }
            site.ranged(at: "kitchen", accuracy: second % 2 == 0 ? 1 : 4)
            site.advance(to: site.now + 1)
        }
        let still = site.published(on: .itemLocation(item: "laptop-bag")).compactMap {
            try? ItemLocation(parsing: Array($0.utf8)).accuracy
        }
        #expect(try #require(still.last) > 1 && still.last! < 4)
        for _ in 0..<20 {
            site.ranged(at: "kitchen", rssi: -85, proximity: .far, accuracy: 9)
            site.advance(to: site.now + 1)
        }
        #expect(site.location?.accuracy == 9)
    }

    @Test func `an item is away once all gateways that had it inside have exited it, and left is dated as the exit`()
        throws
    {
        var site = home()
        site.event(.enter, at: "hall")
        site.ranged(at: "hall", rssi: -80)
        site.event(.exit, at: "hall")
        site.cleared(at: "hall")
        #expect(site.story.isEmpty)
        site.advance(to: site.now + 20)
        site.event(.exit, at: "kitchen", when: site.now - 8)
        site.cleared(at: "kitchen")
        site.advance(to: site.now + 2)
        #expect(site.story == ["left Kitchen"])
        let left = try #require(site.events.first)
        #expect(left.stamp.at == TestSite.start + .seconds(site.now - 2 - 8))
        #expect(site.location?.presence == .away)
        #expect(site.location?.since == left.stamp.at)
        #expect(site.location?.room == nil)
        #expect(site.location?.confidence == nil)
        #expect(site.location?.nearest.gateway == nil)
    }

    @Test func `a late state that was ranged before the exit does not bring the item back`() {
        var site = home()
        let before = site.now
        site.advance(to: site.now + 20)
        site.event(.exit, at: "kitchen")
        site.cleared(at: "kitchen")
        site.advance(to: site.now + 2)
        site.ranged(at: "kitchen", when: before)
        site.advance(to: site.now + 30)
        #expect(site.story == ["left Kitchen"])
        #expect(site.location?.presence == .away)
    }

    @Test func `an item that was away and is received again has returned`() {
        var site = home()
        site.event(.exit, at: "kitchen")
        site.cleared(at: "kitchen")
        site.advance(to: site.now + 60)
        site.heartbeat("kitchen", room: "Kitchen")
        site.heartbeat("hall", room: "Hall")
        site.event(.enter, at: "hall")
        site.ranged(at: "hall")
        site.advance(to: site.now + 4)
        #expect(site.story == ["left Kitchen", "returned -"])
    }

    @Test func `before anything is ranged an item at home is in no room`() {
        var site = TestSite()
        for (id, room) in [("attic", "Attic"), ("hall", "Hall"), ("kitchen", "Kitchen")] {
            site.gateway(id, room: room)
        }
        site.event(.enter, at: "kitchen")
        site.advance(to: site.now + 3)
        #expect(site.location?.presence == .home && site.location?.room == nil)
        #expect(site.story.isEmpty)
    }

    @Test func `a dead gateway is not an empty house`() {
        var site = home()
        site.offline("kitchen")
        site.advance(to: site.now + 2)
        #expect(site.location?.presence == .unknown)
        site.advance(to: site.now + 300)
        #expect(site.location?.presence == .unknown)
        #expect(site.story.isEmpty)
    }

    @Test
    func `events from before a gateway counted as down are published once it is back, later ones are not`() {
        for (isBefore, story) in [(true, ["left Kitchen", "returned -"]), (false, [])] {
            var site = home()
            let before = site.now
            site.advance(to: site.now + 12)
            site.offline("kitchen")
            // Longer than a word holds.
            site.advance(to: site.now + 30)
            #expect(site.location?.presence == .unknown)
            site.gateway("kitchen", room: "Kitchen")
            site.event(.exit, at: "kitchen", when: isBefore ? before + 4 : site.now - 4)
            site.advance(to: site.now + 1)
            #expect(site.location?.presence == .away)
            // It came back while nobody could be notified of it, too.
            if isBefore { site.event(.enter, at: "kitchen", when: site.now - 5) }
            site.advance(to: site.now + 4)
            #expect(site.story == story)
        }
    }

    @Test func `a gateway whose heartbeat stopped is down, whatever its availability`() {
        var site = home()
        for _ in 0..<80 {
            site.ranged(at: "kitchen")
            site.advance(to: site.now + 1)
        }
        #expect(site.location?.presence == .unknown)
        #expect(site.story.isEmpty)
    }

    @Test func `a blind gateway reports unknown, and its next sightings are no return`() {
        var site = home()
        site.heartbeat("kitchen", room: "Kitchen", radio: .poweredOff)
        site.cleared(at: "kitchen")
        site.advance(to: site.now + 10)
        #expect(site.location?.presence == .unknown)
        site.heartbeat("kitchen", room: "Kitchen")
        site.ranged(at: "kitchen")
        site.advance(to: site.now + 2)
        #expect(site.location?.presence == .home)
        #expect(site.story.isEmpty)
    }

    @Test func `an exit at one gateway while another that had it is dead is no leaving`() {
        var site = home()
        site.event(.enter, at: "hall")
        site.ranged(at: "hall")
        site.offline("hall")
        site.event(.exit, at: "kitchen")
        site.advance(to: site.now + 5)
        #expect(site.location?.presence == .unknown)
        #expect(site.story.isEmpty)
    }

    @Test func `a state taken back just before its exit is no gap in presence`() {
        var site = home()
        site.cleared(at: "kitchen")
        site.event(.exit, at: "kitchen")
        site.advance(to: site.now + 2)
        #expect(site.story == ["left Kitchen"])
    }

    @Test func `doubled and late events change nothing`() {
        var site = home()
        site.event(.exit, at: "kitchen", seq: 2)
        site.advance(to: site.now + 2)
        site.event(.enter, at: "kitchen", seq: 3)
        site.ranged(at: "kitchen")
        site.event(.exit, at: "kitchen", seq: 2)
        site.event(.enter, at: "kitchen", seq: 1)
        site.advance(to: site.now + 4)
        #expect(site.story == ["left Kitchen", "returned -"])
        #expect(site.location?.presence == .home)
    }

    @Test func `a gateway whose clock is years off is dated by ours`() throws {
        var site = home()
        let stamp = Stamp(
            at: WallTime("1999-01-01T00:00:00Z")!, boot: Boot("17.kfqx")!, uptime: .zero + .seconds(500 + site.now - 4),
            isClockSynchronised: false)
        let exit = BeaconEvent(.exit, seq: 2, stamp: stamp, gateway: "kitchen", beacon: TestSite.bag, regions: [])
        site.deliver(.beaconEvent(TestSite.bag, gateway: "kitchen"), exit.bytes)
        site.advance(to: site.now + 1)
        let left = try #require(site.events.first)
        #expect(left.stamp.at == TestSite.start + .seconds(site.now - 1 - 4))
    }

    @Test(arguments: ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
    func `a clock that is off by centuries ends nothing, and the event keeps a readable time`(clock: String) throws {
        var site = home()
        let stamp = Stamp(
            at: WallTime(clock)!, boot: Boot("17.kfqx")!, uptime: .zero + .seconds(500 + site.now - 4))
        let exit = BeaconEvent(.exit, seq: 2, stamp: stamp, gateway: "kitchen", beacon: TestSite.bag, regions: [])
        site.deliver(.beaconEvent(TestSite.bag, gateway: "kitchen"), exit.bytes)
        site.advance(to: site.now + 1)
        #expect(site.story == ["left Kitchen"])
        #expect(site.location?.presence == .away)
    }

    @Test(arguments: ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
    func `an aggregator whose host has been up for years survives an event that is off by centuries`(clock: String) {
        let reading = readSettings(Array(TestSite.bagItem.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        func moment(_ seconds: Double) -> Moment {
            let uptime = Interval.seconds(3 * 365 * 86_400 + seconds)
            return Moment(instant: .zero + uptime, wall: TestSite.start + .seconds(seconds), isSynchronised: true)
        }
        var pipeline = SitePipeline(
            reading.configuration!, boot: Boot("4.aggr")!, stored: home().pipeline.stored, at: moment(0))
        pipeline.connected(at: moment(0))
        let stamp = Stamp(at: WallTime(clock)!, boot: Boot("18.kfqx")!, uptime: .zero)
        let exit = BeaconEvent(.exit, seq: 1, stamp: stamp, gateway: "kitchen", beacon: TestSite.bag, regions: [])
        let topic = Topic.beaconEvent(TestSite.bag, gateway: "kitchen").name(under: .standard)
        pipeline.receive(topic: topic, payload: exit.bytes, isRetained: false, at: moment(1))
        for second in 2...120 { pipeline.advance(to: moment(Double(second))) }
        #expect(pipeline.items.table["laptop-bag"]?.presence != .home)
    }

    @Test func `an info that waited in the broker does not date what happened while the aggregator was away`() throws {
        var site = TestSite(stored: home().pipeline.stored, settling: false)
        site.isMute = true
        func stamp(_ seconds: Double) -> Stamp {
            // The gateway's wall clock was never set; its run began 500 s before the aggregator connects.
            Stamp(
                at: WallTime("1970-01-01T01:00:00Z")!, boot: Boot("17.kfqx")!, uptime: .zero + .seconds(500 + seconds),
                isClockSynchronised: false)
        }
        site.deliver(.gatewayAvailability(gateway: "kitchen"), Availability.online.bytes)
        let exit = BeaconEvent(.exit, seq: 2, stamp: stamp(-60), gateway: "kitchen", beacon: TestSite.bag, regions: [])
        site.deliver(.beaconEvent(TestSite.bag, gateway: "kitchen"), exit.bytes)
        let log = [LogRange(boot: Boot("17.kfqx")!, seqs: SeqRange(from: 1, to: 2))]
        for gateway in ["kitchen", "hall"] {
            site.deliver(.gatewayAvailability(gateway: gateway), Availability.online.bytes)
            let info = GatewayInfo(
                gateway: gateway, room: gateway == "kitchen" ? "Kitchen" : "Hall", version: "1", stamp: stamp(-20),
                radio: GatewayInfo.Radio(source: "test", state: .poweredOn), log: gateway == "kitchen" ? log : [],
                regions: 1)
            site.deliver(.gatewayInfo(gateway: gateway), info.bytes)
        }
        for _ in 0..<60 where site.story.isEmpty {
            site.advance(to: site.now + 1)
            for gateway in ["kitchen", "hall"] {
                guard let asked = site.published(on: .gatewayRequest(gateway: gateway, what: "events")).last else {
                    continue
                }
                let body = EventsResponse(
                    events: [], now: EventsResponse.Uptime(boot: stamp(0).boot, uptime: stamp(site.now).uptime))
                let request = Request(parsing: Array(asked.utf8))
                let response = Response(.done(body), transaction: request.transaction)
                site.deliver(.gatewayResponse(gateway: gateway, what: "events"), response.bytes)
            }
        }
        let left = try #require(site.events.first)
        #expect(site.story.first == "left Kitchen")
        let error = left.stamp.at - (TestSite.start - .seconds(60))
        #expect(abs(error.seconds) < 2, "the exit is dated \(error.seconds) s off")
    }

    @Test func `an item that two gateways receive equally well stays in the room where it was`() throws {
        var site = home()
        let upcoming = site.story.count
        for _ in 0..<120 {
            for gateway in ["kitchen", "hall"] { site.ranged(at: gateway) }
            if Int(site.now) % 30 == 0 {
                for (gateway, room) in [("kitchen", "Kitchen"), ("hall", "Hall")] {
                    site.heartbeat(gateway, room: room)
                }
            }
            site.advance(to: site.now + 1)
        }
        #expect(site.story.count == upcoming, "\(site.story)")
        let location = try #require(site.location)
        #expect(location.room == "Kitchen")
        let share = try #require(location.rooms?.first { $0.room == "Kitchen" }?.confidence)
        #expect(abs(try #require(location.confidence) - share) < 0.02)
    }

    @Test func `a restart of the aggregator is no event`() {
        var site = home()
        let stored = site.pipeline.stored
        var again = TestSite(stored: stored)
        again.gateway("kitchen", room: "Kitchen")
        again.ranged(at: "kitchen", retained: true)
        again.advance(to: again.now + 5)
        #expect(again.location?.presence == .home)
        #expect(again.location?.since == site.location?.since)
        #expect(again.story.isEmpty)
        site.advance(to: site.now + 1)
    }

    @Test func `a gateway whose heartbeat stopped leaves the evidence, and is counted as gone, within a second or two`()
    {
        var site = home()
        for _ in 0..<9 {
            site.advance(to: site.now + 9)
            site.heartbeat("hall", room: "Hall")
            site.ranged(at: "hall", rssi: -80, proximity: .far)
        }
        site.advance(to: site.now + 2)
        #expect(site.pipeline.items.table["laptop-bag"]?.ranged["kitchen"] == nil)
        let info = site.published(on: .aggregatorInfo).last
        #expect(info?.contains(#""gateways":{"alive":1,"gone":1}"#) == true, "\(info ?? "")")
    }

    @Test func `since begins anew where an item is found in another room after nothing was known`() throws {
        var site = TestSite(stored: home().pipeline.stored)
        site.advance(to: 40)
        #expect(site.location?.presence == .unknown)
        site.gateway("hall", room: "Hall")
        site.event(.enter, at: "hall")
        let found = site.now
        // The kitchen's gateway may be about to start: only its silence shows that the item is not there.
        for second in 0..<40 {
            if second == 5 { site.gateway("kitchen", room: "Kitchen") }
            if second % 10 == 0 { site.heartbeat("hall", room: "Hall") }
            site.ranged(at: "hall")
            site.advance(to: site.now + 1)
        }
        #expect(site.location?.presence == .home)
        #expect(site.location?.room == "Hall")
        #expect(try #require(site.location?.since) >= TestSite.start + .seconds(found))
    }

    @Test func `an item that was away has no room while it is unknown, and is home only since it is received there`()
        throws
    {
        var site = home()
        site.event(.exit, at: "kitchen")
        site.advance(to: site.now + 2)
        #expect(site.location?.presence == .away)
        site.offline("kitchen")
        site.advance(to: site.now + 2)
        #expect(site.location?.presence == .unknown)
        #expect(site.location?.room == nil)
        #expect(site.location?.since == nil)
        site.gateway("kitchen", room: "Kitchen")
        let found = site.now
        site.ranged(at: "kitchen")
        site.advance(to: site.now + 4)
        #expect(site.location?.presence == .home)
        #expect(try #require(site.location?.since) >= TestSite.start + .seconds(found))
    }

    @Test func `an item enters the room that the configuration gives the gateway, whatever room the gateway reports`() {
        var site = TestSite(
            TestSite.bagItem + """

                [[gateway]]
                id = "kitchen"
                room = "Pantry"
                """)
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        for _ in 0..<5 {
            site.ranged(at: "kitchen")
            site.advance(to: site.now + 1)
        }
        #expect(site.location?.room == "Pantry")
        #expect(site.story.isEmpty)
    }

    @Test func `while the broker is gone nothing is concluded, and what left meanwhile has left`() {
        var site = home()
        site.pipeline.disconnected(at: TestSite.moment(site.now))
        site.advance(to: site.now + 300)
        site.pipeline.connected(at: TestSite.moment(site.now))
        site.gateway("kitchen", room: "Kitchen")
        site.gateway("hall", room: "Hall")
        site.event(.exit, at: "kitchen", when: site.now - 100)
        site.advance(to: site.now + 5)
        #expect(site.story == ["left Kitchen"])
        #expect(site.location?.presence == .away)
        #expect(site.location?.since == TestSite.start + .seconds(site.now - 5 - 100))
    }

    @Test func `a return that was published late is dated when it happened`() throws {
        var site = home()
        site.event(.exit, at: "kitchen")
        site.advance(to: site.now + 20)
        site.event(.enter, at: "kitchen", when: site.now - 9)
        let returned = try #require(site.events.last)
        #expect(site.story.last == "returned -")
        #expect(returned.stamp.at == TestSite.start + .seconds(site.now - 9))
        for _ in 0..<8 {
            site.ranged(at: "kitchen")
            site.advance(to: site.now + 1)
        }
        #expect(site.location?.room == "Kitchen")
        #expect(site.location?.since == returned.stamp.at)
    }

    /// What is stored is older than what was published, because not every sighting is written to the disk.
    @Test func `after a kill last_seen_at does not go back behind what was published, nor after the next one`() throws {
        var site = home()
        var stored = try StoredSite(parsing: site.pipeline.stored.bytes)
        stored.states[0].lastSeenAt = TestSite.start - .seconds(150)
        for age in [120.0, 60, 5] {
            var last = try #require(site.location)
            last.stamp.boot = Boot("2.aggr")!
            last.lastSeenAt = TestSite.start - .seconds(age)
            site = TestSite(stored: stored, settling: false)
            site.heartbeat("kitchen", room: "Kitchen")
            site.deliver(.itemLocation(item: "laptop-bag"), last.bytes, retained: true)
            site.advance(to: 10)
            let published = site.published(on: .itemLocation(item: "laptop-bag"))
            let seen = try published.map { try ItemLocation(parsing: Array($0.utf8)).lastSeenAt }
            #expect(!seen.isEmpty)
            #expect(seen.allSatisfy { $0 == last.lastSeenAt }, "\(seen)")
        }
    }

    @Test func `an item of a gateway that is down was last seen when the gateway received it, after each restart`()
        throws
    {
        var site = home()
        let seen = try #require(site.location?.lastSeenAt)
        for _ in 1...2 {
            site = TestSite(stored: try StoredSite(parsing: site.pipeline.stored.bytes), settling: false)
            site.ranged(at: "kitchen", when: (seen - TestSite.start).seconds, retained: true)
            site.advance(to: 30)
            #expect(site.location?.lastSeenAt == seen)
        }
    }

    @Test func `a last_seen_at of the future is not taken over`() throws {
        var last = try #require(home().location)
        let stored = try StoredSite(parsing: home().pipeline.stored.bytes)
        last.stamp.boot = Boot("2.aggr")!
        last.lastSeenAt = TestSite.start + .seconds(86_400)
        var site = TestSite(stored: stored, settling: false)
        site.deliver(.itemLocation(item: "laptop-bag"), last.bytes, retained: true)
        site.advance(to: 10)
        #expect(try #require(site.location?.lastSeenAt) < TestSite.start + .seconds(60))
    }

    @Test func `the gateways that have an item inside are stored as soon as they change`() {
        var site = home()
        let before = site.outputs.count
        site.event(.enter, at: "hall")
        let keeps = site.outputs[before...].contains { if case .storeSite = $0 { true } else { false } }
        #expect(keeps)
    }

    @Test func `the state of an item is not published for another beacon under its id`() {
        let stored = home().pipeline.stored
        let site = TestSite(
            TestSite.bagItem.replacing("minor = 2", with: "minor = 3"), stored: stored,
            retained: [Message(.gatewayAvailability(gateway: "kitchen"), .online)])
        #expect(site.location?.presence == .unknown)
        #expect(site.location?.room == nil)
        #expect(site.location?.lastSeenAt == nil)
    }

    @Test func `a location is published at most once a second, and not at all while nothing changes`() {
        var site = home()
        let before = site.published(on: .itemLocation(item: "laptop-bag")).count
        for _ in 0..<10 {
            for proximity in [Proximity.far, .near, .far, .near] { site.ranged(at: "kitchen", proximity: proximity) }
            site.advance(to: site.now + 1)
        }
        let busy = site.published(on: .itemLocation(item: "laptop-bag")).count
        #expect(busy - before <= 11)
        for _ in 0..<15 {
            site.ranged(at: "kitchen")
            site.advance(to: site.now + 1)
        }
        #expect(site.published(on: .itemLocation(item: "laptop-bag")).count <= busy + 1)
    }

    @Test func `an item moves with the evidence, and the event names both rooms`() {
        var site = home()
        for _ in 0..<20 {
            site.ranged(at: "kitchen", rssi: -85)
            site.ranged(at: "hall", rssi: -50)
            site.advance(to: site.now + 1)
        }
        #expect(site.story == ["moved Kitchen Hall"])
        #expect(site.location?.room == "Hall")
    }

    /// The kitchen's gateway dates each exit and enter that much differently from the aggregator.
    @Test(arguments: [-2.0, 2])
    func `what happens to an item is dated in the order in which it happens, whatever clocks date it`(clock: Double) {
        var site = home()
        for _ in 0..<3 {
            for _ in 0..<20 where site.location?.room != "Hall" {
                site.ranged(at: "kitchen", rssi: -85)
                site.ranged(at: "hall", rssi: -50)
                site.advance(to: site.now + 1)
            }
            for gateway in ["hall", "kitchen"] {
                site.event(.exit, at: gateway, clock: clock)
                site.cleared(at: gateway)
            }
            site.event(.enter, at: "kitchen", clock: clock)
            #expect(site.events.allSatisfy { $0.stamp.at <= site.moment.wall })
            for _ in 0..<20 {
                site.ranged(at: "kitchen", rssi: -50)
                site.advance(to: site.now + 1)
            }
        }
        #expect(site.story.filter { $0 == "left Hall" }.count == 3)
        let times = site.events.map(\.stamp.at)
        #expect(times == times.sorted())
        let locations = site.published(on: .itemLocation(item: "laptop-bag"))
            .compactMap { try? ItemLocation(parsing: Array($0.utf8)).since }
        #expect(locations == locations.sorted())
    }

    @Test func `a move that becomes certain late is dated since when the item is in its room, not after its exit`()
        throws
    {
        var site = home()
        site.gateway("office", room: "Office")
        func range(kitchen: Double, hall: Double, office: Double, until isOver: (TestSite) -> Bool) {
            for _ in 0..<60 where !isOver(site) {
                for (gateway, rssi) in [("kitchen", kitchen), ("hall", hall), ("office", office)] {
                    site.ranged(at: gateway, rssi: rssi)
                }
                site.advance(to: site.now + 1)
            }
        }
        let end = site.now + 30
        range(kitchen: -50, hall: -75, office: -75) { $0.now >= end }
        range(kitchen: -80, hall: -60, office: -61) { $0.location?.room == "Hall" }
        #expect(site.location?.room == "Hall" && site.story.isEmpty, "the move was certain at once")
        let since = try #require(site.location?.since)
        site.advance(to: site.now + 3)
        range(kitchen: -85, hall: -45, office: -80) { !$0.story.isEmpty }
        for gateway in ["kitchen", "office", "hall"] {
            site.event(.exit, at: gateway, when: site.now - 2)
            site.cleared(at: gateway)
        }
        site.advance(to: site.now + 1)
        #expect(site.story == ["moved Kitchen Hall", "left Hall"])
        #expect(site.events[0].stamp.at == since)
        #expect(site.events[0].stamp.at <= site.events[1].stamp.at)
    }

    /// The bag has lain beside the kitchen's gateway for a while.
    private func sure() -> TestSite {
        var site = home()
        for _ in 0..<30 {
            site.ranged(at: "kitchen", rssi: -50)
            site.ranged(at: "hall", rssi: -75)
            site.advance(to: site.now + 1)
        }
        return site
    }

    @Test(arguments: 0..<10)
    func `a new room is published with the message that shows it`(phase: Int) {
        var site = sure()
        site.advance(to: site.now + Double(phase) / 10)
        while site.story.isEmpty, site.now < 90 {
            site.ranged(at: "kitchen", rssi: -75)
            site.ranged(at: "hall", rssi: -50)
            #expect(site.location?.room == (site.story.isEmpty ? "Kitchen" : "Hall"))
            site.advance(to: site.now + 0.15)
        }
        #expect(site.story == ["moved Kitchen Hall"])
    }

    @Test func `a lower confidence is published once it no longer falls`() throws {
        var site = sure()
        let former = try #require(site.location?.confidence)
        for _ in 0..<30 {
            site.ranged(at: "kitchen", rssi: -62)
            site.ranged(at: "hall", rssi: -63)
            site.advance(to: site.now + 1)
        }
        #expect(site.location?.room == "Kitchen")
        #expect(try #require(site.location?.confidence) < former - 0.1)
    }
}
