import Beacons
import Messages
import Testing

@testable import SiteCore

@Suite("What happened while the aggregator was away")
struct CatchUpTests {
    /// Kitchen and hall, or one of them, have the bag inside, the first the nearest, and the aggregator has stopped.
    private func storedAtHome(inside gateways: [String] = ["kitchen", "hall"]) -> StoredSite {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.gateway("hall", room: "Hall")
        for gateway in gateways {
            site.event(.enter, at: gateway)
            site.ranged(at: gateway, rssi: gateway == gateways[0] ? -55 : -85)
        }
        site.advance(to: site.now + 3)
        precondition(site.location?.presence == .home)
        return site.pipeline.stored
    }

    private func event(_ transition: Transition, _ seq: UInt64, _ gateway: String, _ seconds: Double) -> BeaconEvent {
        BeaconEvent(
            transition, seq: seq, stamp: TestSite().stamp(at: seconds), gateway: gateway, beacon: TestSite.bag,
            regions: ["laptop-bag"])
    }

    private func info(_ gateway: String, _ room: String, upTo seq: UInt64, at seconds: Double = 0) -> Message {
        var info = GatewayInfo(
            gateway: gateway, room: room, version: "1", stamp: TestSite().stamp(at: seconds),
            radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 1)
        info.log = [LogRange(boot: Boot("17.kfqx")!, seqs: SeqRange(from: 1, to: seq))]
        return Message(.gatewayInfo(gateway: gateway), info)
    }

    private func online(_ gateway: String) -> Message {
        Message(.gatewayAvailability(gateway: gateway), .online)
    }

    /// An aggregator that comes back; the gateways' logs hold more than it knows. It stands right behind the connect.
    private func back(_ stored: StoredSite, published: [ItemEvent] = [], kitchen: UInt64, hall: UInt64) -> TestSite {
        var site = TestSite(stored: stored, settling: false)
        site.pipeline.recall(published)
        for message in [
            online("kitchen"), online("hall"), info("kitchen", "Kitchen", upTo: kitchen),
            info("hall", "Hall", upTo: hall),
        ] {
            site.deliver(message.topic, message.payload)
        }
        return site
    }

    @Test
    func
        `the aggregator requests missed events from each gateway, and reports them in the order in which they happened`()
        throws
    {
        var site = back(storedAtHome(), kitchen: 4, hall: 2)
        site.advance(to: 2)
        #expect(site.story.isEmpty)
        // The kitchen's response comes first, though the hall's exit was before its second.
        site.respond(
            "kitchen",
            [event(.exit, 2, "kitchen", -400), event(.enter, 3, "kitchen", -300), event(.exit, 4, "kitchen", -200)])
        site.respond("hall", [event(.exit, 2, "hall", -390)])
        site.advance(to: 5)
        #expect(site.story == ["left Kitchen", "returned Kitchen", "left Kitchen"])
        #expect(site.events.map(\.stamp.at) == [-390.0, -300, -200].map { TestSite.start + .seconds($0) })
        #expect(site.location?.presence == .away)
    }

    @Test
    func
        `a return that two rooms received names no room, and the first clear room is no move, the second time as well`()
    {
        for isContested in [true, true, false] {
            var site = back(storedAtHome(), kitchen: 3, hall: isContested ? 3 : 2)
            site.advance(to: 2)
            site.respond("kitchen", [event(.exit, 2, "kitchen", -400), event(.enter, 3, "kitchen", -299)])
            let later = isContested ? [event(.enter, 3, "hall", -300)] : []
            site.respond("hall", [event(.exit, 2, "hall", -390)] + later)
            site.advance(to: 5)
            #expect(site.story == ["left Kitchen", isContested ? "returned -" : "returned Kitchen"])
            for _ in 1...12 {
                site.ranged(at: "kitchen")
                site.advance(to: site.now + 5)
            }
            #expect(site.location?.room == "Kitchen")
            #expect(site.story == ["left Kitchen", isContested ? "returned -" : "returned Kitchen"])
        }
    }

    @Test(arguments: [true, false])
    func `a return that two rooms received is never located in the first one's room, if that is the farther`(
        isRanged: Bool
    ) {
        for first in ["kitchen", "hall"] {
            var site = back(storedAtHome(inside: ["hall", "kitchen"]), kitchen: 3, hall: 3)
            func range(_ site: inout TestSite) {
                site.ranged(at: "hall", rssi: -55)
                site.ranged(at: "kitchen", rssi: -78)
            }
            if isRanged { range(&site) }
            site.advance(to: 2)
            site.respond(
                "kitchen",
                [event(.exit, 2, "kitchen", -400), event(.enter, 3, "kitchen", first == "kitchen" ? -300 : -298)])
            site.respond("hall", [event(.exit, 2, "hall", -390), event(.enter, 3, "hall", -299)])
            site.advance(to: 6)
            for _ in 1...30 {
                range(&site)
                site.advance(to: site.now + 1)
            }
            #expect(site.story == ["left Hall", "returned -"], "\(first)")
            let rooms = site.published(on: .itemLocation(item: "laptop-bag")).compactMap {
                try? ItemLocation(parsing: Array($0.utf8)).room
            }
            #expect(Set(rooms) == ["Hall"] && site.location?.room == "Hall", "\(first)")
        }
    }

    @Test func `a state ranged during the catch-up decides the location after the missed events`() throws {
        var site = back(storedAtHome(), kitchen: 3, hall: 2)
        site.ranged(at: "kitchen")
        site.advance(to: 2)
        site.respond("kitchen", [event(.exit, 2, "kitchen", -400), event(.enter, 3, "kitchen", -300)])
        site.respond("hall", [event(.exit, 2, "hall", -390)])
        site.advance(to: 5)
        #expect(site.story == ["left Kitchen", "returned Kitchen"])
        #expect(site.location?.presence == .home)
    }

    @Test func `an item that entered a room whose gateway died after that has not left`() {
        var site = TestSite(stored: storedAtHome(inside: ["hall"]), settling: false)
        let hall = info("hall", "Hall", upTo: 2)
        for message in [
            online("hall"), hall, Message(.gatewayAvailability(gateway: "kitchen"), .offline),
            info("kitchen", "Kitchen", upTo: 1),
        ] {
            site.deliver(message.topic, message.payload, retained: true)
        }
        site.ranged(at: "kitchen", retained: true)
        site.deliver(hall.topic, hall.payload)
        site.advance(to: 2)
        site.respond("hall", [event(.exit, 2, "hall", -5)])
        site.advance(to: 30)
        #expect(site.story.isEmpty, "the broker may have been stopped, and the kitchen may be about to connect")
        site.advance(to: 40)
        #expect(site.story.isEmpty)
        #expect(site.location?.presence == .unknown)
    }

    @Test func `no item is published as away or unknown before all gateways that were up have reported`() {
        var site = TestSite(stored: storedAtHome(), settling: false)
        site.deliver(online("kitchen").topic, online("kitchen").payload)
        let kitchen = info("kitchen", "Kitchen", upTo: 1)
        site.deliver(kitchen.topic, kitchen.payload)
        site.advance(to: 10)
        #expect(site.location?.presence == .home)
        // A hall that sends nothing again is dead after all, and the kitchen does not report the item inside.
        site.advance(to: 65)
        #expect(site.location?.presence == .unknown)
        #expect(site.story.isEmpty)
    }

    @Test func `the past waits for a gateway that reports after its last will came late, the second time as well`() {
        var site = TestSite(stored: storedAtHome(inside: ["hall"]), settling: false)
        for (round, start) in [(0, -400.0), (1, 100)] {
            // The hall lost the bag while the kitchen had it inside.
            let (hallSeq, kitchenSeq) = (UInt64(2 + 2 * round), UInt64(1 + 2 * round))
            let enter = round == 0 ? [] : [event(.enter, hallSeq - 1, "hall", start + 5)]
            for message in [online("hall"), info("hall", "Hall", upTo: hallSeq)] {
                site.deliver(message.topic, message.payload)
            }
            site.offline("kitchen", isWill: true)
            let kitchen = info("kitchen", "Kitchen", upTo: kitchenSeq + 1)
            site.deliver(kitchen.topic, kitchen.payload)
            site.advance(to: site.now + 2)
            site.respond("hall", enter + [event(.exit, hallSeq, "hall", start + 50)])
            site.advance(to: site.now + 4)
            site.deliver(online("kitchen").topic, online("kitchen").payload)
            site.advance(to: site.now + 2)
            site.respond(
                "kitchen",
                [event(.enter, kitchenSeq, "kitchen", start + 10), event(.exit, kitchenSeq + 1, "kitchen", start + 90)])
            site.advance(to: site.now + 2)
            #expect(site.story.count { $0.hasPrefix("left") } == round + 1, "\(site.story)")
            #expect(site.events.last?.stamp.at == TestSite.start + .seconds(start + 90))
            site.reconnect(after: 600)
        }
    }

    @Test(arguments: [["kitchen"], ["kitchen", "hall"]], [0.0, 4])
    func `what leaves while the broker is stopped has left when it exited, each time`(
        gateways: [String], pause: Double
    ) {
        var site = TestSite()
        func enter(_ site: inout TestSite) {
            for gateway in gateways {
                site.gateway(gateway, room: "Room")
                site.event(.enter, at: gateway)
                site.ranged(at: gateway)
            }
            site.advance(to: site.now + 3)
        }
        enter(&site)
        for round in 1...2 {
            // A broker that stops publishes all wills, then it ends the connections.
            for gateway in gateways { site.offline(gateway, isWill: true) }
            site.advance(to: site.now + pause)
            site.reconnect(after: 60)
            for gateway in gateways {
                site.deliver(.gatewayAvailability(gateway: gateway), Availability.offline.bytes, retained: true)
            }
            site.advance(to: site.now + 10)
            #expect(site.location?.presence == .home, "a gateway may take half a minute to connect again")
            let exit = site.now - 40
            for gateway in gateways {
                site.gateway(gateway, room: "Room")
                site.event(.exit, at: gateway, when: exit)
                site.advance(to: site.now + 2)
            }
            #expect(site.story.suffix(1) == ["left Room"] && site.story.count == 2 * round - 1, "\(site.story)")
            #expect(site.events.last?.stamp.at == TestSite.start + .seconds(exit))
            enter(&site)
            #expect(site.location?.presence == .home)
        }
    }

    @Test func `a gateway whose will comes a while before the broker stops is down, each time`() {
        var site = TestSite()
        for round in 1...2 {
            site.gateway("kitchen", room: "Kitchen")
            site.event(.enter, at: "kitchen")
            site.ranged(at: "kitchen")
            site.advance(to: site.now + 3)
            #expect(site.location?.presence == .home)
            site.offline("kitchen", isWill: true)
            site.advance(to: site.now + 6)
            #expect(site.location?.presence == .unknown, "\(round)")
            site.reconnect(after: 30)
            site.advance(to: site.now + 5)
            #expect(site.location?.presence == .unknown, "\(round)")
            site.gateway("kitchen", room: "Kitchen")
            site.event(.exit, at: "kitchen", when: site.now - 20)
            site.advance(to: site.now + 3)
            #expect(site.story.filter { $0.hasPrefix("left") }.isEmpty)
        }
    }

    @Test func `an aggregator that starts after its broker waits for gateways of which the broker has only a will`() {
        var site = TestSite(stored: storedAtHome(), settling: false)
        for (gateway, room) in [("kitchen", "Kitchen"), ("hall", "Hall")] {
            site.deliver(.gatewayAvailability(gateway: gateway), Availability.offline.bytes, retained: true)
            let info = info(gateway, room, upTo: 1)
            site.deliver(info.topic, info.payload, retained: true)
        }
        func connect(_ gateway: String, _ room: String, upTo seq: UInt64) {
            for message in [online(gateway), info(gateway, room, upTo: seq)] {
                site.deliver(message.topic, message.payload)
            }
            site.advance(to: site.now + 2)
        }
        site.advance(to: 20)
        connect("kitchen", "Kitchen", upTo: 3)
        site.respond("kitchen", [event(.exit, 2, "kitchen", -400), event(.enter, 3, "kitchen", -300)])
        site.advance(to: 28)
        #expect(site.story.isEmpty, "the hall may have lost the bag as well")
        connect("hall", "Hall", upTo: 2)
        site.respond("hall", [event(.exit, 2, "hall", -390)])
        site.advance(to: 33)
        #expect(site.story == ["left Kitchen", "returned Kitchen"])
    }

    @Test(arguments: [200.0, 400])
    func `an aggregator that starts waits for a gateway with a will unless it was down long before, each time`(
        age: Double
    ) {
        var stored = storedAtHome()
        for _ in 0..<2 {
            stored.writtenAt = TestSite.start
            var site = TestSite(stored: stored, settling: false)
            site.deliver(.gatewayAvailability(gateway: "hall"), Availability.offline.bytes, retained: true)
            let hall = info("hall", "Hall", upTo: 1, at: -age)
            site.deliver(hall.topic, hall.payload, retained: true)
            let kitchen = info("kitchen", "Kitchen", upTo: 1)
            for message in [online("kitchen"), kitchen] { site.deliver(message.topic, message.payload) }
            site.ranged(at: "kitchen")
            site.advance(to: 5)
            #expect(site.pipeline.items.phase == (age == 400 ? .present : .collecting))
            site.advance(to: 34)
            site.ranged(at: "kitchen")
            site.advance(to: 40)
            #expect(site.location?.presence == .home)
            stored = site.pipeline.stored
        }
    }

    @Test func `an item that is inside since before its gateway restarted is home, and leaves with its exit, twice`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        site.ranged(at: "kitchen")
        site.advance(to: site.now + 3)
        for run in ["18.abcd", "19.efgh"] {
            site.offline("kitchen")
            site.advance(to: site.now + 3)
            #expect(site.location?.presence == .unknown)
            site.run = Boot(run)!
            site.gateway("kitchen", room: "Kitchen")
            site.ranged(at: "kitchen", rssi: nil, proximity: .unknown, validFor: 75, sightings: 0)
            site.advance(to: site.now + 60)
            #expect(site.location?.presence == .home && site.location?.room == "Kitchen")
            site.event(.exit, at: "kitchen", seq: 1)
            site.cleared(at: "kitchen")
            site.advance(to: site.now + 3)
            #expect(site.story.last == "left Kitchen" && site.location?.presence == .away)
            site.event(.enter, at: "kitchen", seq: 2)
            site.ranged(at: "kitchen")
            site.advance(to: site.now + 3)
        }
        #expect(site.story == ["left Kitchen", "returned Kitchen", "left Kitchen", "returned Kitchen"])
    }

    @Test func `a gateway that does not respond delays catching up only briefly`() {
        var site = back(storedAtHome(), kitchen: 2, hall: 1)
        site.ranged(at: "hall")
        site.advance(to: 12)
        #expect(site.location?.presence == .home)
        site.event(.exit, at: "hall", when: 12, seq: 2)
        site.cleared(at: "hall")
        site.advance(to: 14)
        #expect(!site.story.contains { $0.hasPrefix("left") }, "the kitchen had it inside, and its exit is not known")
        site.advance(to: 65)
        site.respond("kitchen", [event(.exit, 2, "kitchen", -400)])
        #expect(site.location?.presence != .home)
    }

    @Test func `dropped events of a gateway are listed in the problems of the aggregator`() throws {
        var site = back(storedAtHome(), kitchen: 6, hall: 1)
        site.advance(to: 2)
        site.respond("kitchen", [event(.exit, 6, "kitchen", -200)], forgotten: [SeqRange(from: 2, to: 5)])
        site.advance(to: 40)
        let info = try #require(site.published(on: .aggregatorInfo).last)
        #expect(info.contains("kitchen dropped events 2 to 5 of its run 17.kfqx before they arrived here"))
    }

    @Test func `events from during the outage of the broker are published in order of time, too`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.gateway("hall", room: "Hall")
        for gateway in ["kitchen", "hall"] {
            site.event(.enter, at: gateway)
            site.ranged(at: gateway)
        }
        site.advance(to: site.now + 3)
        site.reconnect(after: 600)
        let now = site.now
        site.gateway("hall", room: "Hall")
        site.event(.exit, at: "hall", when: now - 100)
        site.event(.enter, at: "hall", when: now - 50)
        site.ranged(at: "hall")
        site.gateway("kitchen", room: "Kitchen")
        site.event(.exit, at: "kitchen", when: now - 300)
        site.advance(to: now + 5)
        // Between its exit from the kitchen and that from the hall it was in the hall.
        #expect(site.story.suffix(2) == ["left Hall", "returned Hall"], "\(site.story)")
        #expect(site.location?.presence == .home)
    }

    @Test func `the events of an ended run are ordered by its uptime, whatever its wall clock was`() {
        var site = TestSite()
        for (gateway, room) in [("kitchen", "Kitchen"), ("hall", "Hall")] {
            site.gateway(gateway, room: room)
            site.event(.enter, at: gateway)
            site.ranged(at: gateway)
        }
        site.advance(to: site.now + 3)
        site.reconnect(after: 100)
        // The kitchen has begun anew meanwhile; its wall clock was an hour behind.
        site.deliver(.gatewayAvailability(gateway: "kitchen"), Availability.online.bytes)
        site.deliver(.gatewayInfo(gateway: "kitchen"), begunAnew(uptime: 5, logged: 3).bytes)
        site.event(.exit, at: "kitchen", when: 20, clock: -3600)
        site.event(.enter, at: "kitchen", when: 40, clock: -3600)
        site.gateway("hall", room: "Hall")
        site.event(.exit, at: "hall", when: 30)
        site.advance(to: site.now + 5)
        #expect(site.story.first?.hasPrefix("left") == true)
        #expect(site.story.last == "returned Kitchen")
    }

    @Test func `a run whose clock is unknown was over when the next run began`() {
        var site = TestSite(stored: storedAtHome(), settling: false)
        // It dates its exit a year ahead, and ended before the kitchen's next run began, 100 s ago.
        var exit = event(.exit, 2, "kitchen", -400)
        exit.stamp.at = exit.stamp.at + .seconds(3e7)
        site.deliver(online("kitchen").topic, online("kitchen").payload)
        site.deliver(.gatewayInfo(gateway: "kitchen"), begunAnew(uptime: 100, logged: 2).bytes)
        for message in [online("hall"), info("hall", "Hall", upTo: 3)] { site.deliver(message.topic, message.payload) }
        site.advance(to: 2)
        site.respond("kitchen", [exit])
        site.respond("hall", [event(.exit, 2, "hall", -390), event(.enter, 3, "hall", -50)])
        site.advance(to: 5)
        #expect(site.story == ["left Kitchen", "returned Hall"])
    }

    @Test(arguments: [nil, 3e7, 7200])
    func `an enter that nobody can date, or that is dated after its run, was there before the others' exits`(
        ahead: Double?
    ) {
        var site = TestSite(stored: storedAtHome(inside: ["hall"]), settling: false)
        var enter = event(.enter, 1, "kitchen", -400)
        enter.stamp.isClockSynchronised = ahead != nil
        enter.stamp.at = enter.stamp.at + .seconds(ahead ?? 0)
        site.deliver(online("kitchen").topic, online("kitchen").payload)
        site.deliver(.gatewayInfo(gateway: "kitchen"), begunAnew(uptime: 100, logged: 1).bytes)
        for message in [online("hall"), info("hall", "Hall", upTo: 2)] { site.deliver(message.topic, message.payload) }
        site.advance(to: 2)
        site.respond("kitchen", [enter])
        site.respond("hall", [event(.exit, 2, "hall", -390)])
        site.advance(to: 5)
        #expect(!site.story.contains { $0.hasPrefix("left") })
    }

    /// The kitchen's next run, and how many events its log has of the run before.
    private func begunAnew(uptime: Double, logged: UInt64) -> GatewayInfo {
        let stamp = Stamp(at: TestSite.start, boot: Boot("18.abcd")!, uptime: .zero + .seconds(uptime))
        var info = GatewayInfo(
            gateway: "kitchen", room: "Kitchen", version: "1", stamp: stamp,
            radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 1)
        info.log = [LogRange(boot: Boot("17.kfqx")!, seqs: SeqRange(from: 1, to: logged))]
        return info
    }

    /// The kitchen alone has the bag inside, and the aggregator has stopped and begun anew: it stands right behind the connect.
    private func backInTheKitchen() -> TestSite {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        site.ranged(at: "kitchen")
        site.advance(to: site.now + 3)
        return TestSite(stored: site.pipeline.stored, settling: false)
    }

    @Test func `the last ranged state of an earlier run does not bring back an item that has left since`() {
        var site = backInTheKitchen()
        site.ranged(at: "kitchen", retained: true)
        site.deliver(online("kitchen").topic, online("kitchen").payload)
        site.deliver(.gatewayInfo(gateway: "kitchen"), begunAnew(uptime: 1, logged: 1).bytes)
        var exit = event(.exit, 1, "kitchen", 0)
        exit.stamp = Stamp(at: TestSite.start, boot: Boot("18.abcd")!, uptime: .zero)
        site.deliver(.beaconEvent(TestSite.bag, gateway: "kitchen"), exit.bytes)
        site.advance(to: 8)
        #expect(site.story == ["left Kitchen"])
        #expect(site.location?.presence == .away)
    }

    @Test(arguments: [true, false])
    func `what a gateway ranged before it was killed is no evidence once it runs again, each time`(isKnown: Bool) {
        var site = TestSite(stored: storedAtHome(inside: ["hall", "kitchen"]), settling: false)
        site.ranged(at: "kitchen", rssi: -80, retained: true)
        if isKnown {
            let former = info("kitchen", "Kitchen", upTo: 1)
            site.deliver(former.topic, former.payload, retained: true)
        }
        site.gateway("hall", room: "Hall")
        site.advance(to: 2)
        for run in ["18.abcd", "19.efgh"] {
            site.deliver(online("kitchen").topic, online("kitchen").payload)
            site.run = Boot(run)!
            site.heartbeat("kitchen", room: "Kitchen")
            site.advance(to: site.now + 6)
            #expect(site.location?.nearest.gateway == nil && site.location?.room == "Hall", "\(run)")
            site.ranged(at: "kitchen", rssi: -80)
            site.advance(to: site.now + 2)
            #expect(site.location?.nearest.gateway == "kitchen", "\(run)")
            #expect(site.story.isEmpty)
        }
    }

    @Test
    func `an item that was home stays home until a restarted gateway has ranged it, and then leaves with its exit`() {
        var site = backInTheKitchen()
        site.deliver(online("kitchen").topic, online("kitchen").payload)
        site.deliver(.gatewayInfo(gateway: "kitchen"), begunAnew(uptime: 1, logged: 1).bytes)
        site.advance(to: 8)
        #expect(site.location?.presence == .home)
        var exit = event(.exit, 1, "kitchen", 8)
        exit.stamp = Stamp(at: TestSite.start + .seconds(8), boot: Boot("18.abcd")!, uptime: .zero + .seconds(9))
        site.deliver(.beaconEvent(TestSite.bag, gateway: "kitchen"), exit.bytes)
        #expect(site.story == ["left Kitchen"])
    }

    @Test func `a gateway that does not report an item inside again is believed for half a minute`() {
        var site = backInTheKitchen()
        site.gateway("kitchen", room: "Kitchen")
        site.advance(to: 20)
        #expect(site.location?.presence == .home)
        site.advance(to: 40)
        #expect(site.location?.presence == .unknown)
        #expect(site.story.isEmpty)
    }

    @Test func `a gateway that took back that it has it inside is not believed`() {
        var site = backInTheKitchen()
        site.gateway("kitchen", room: "Kitchen")
        site.cleared(at: "kitchen")
        site.advance(to: 8)
        #expect(site.location?.presence == .unknown)
        #expect(site.story.isEmpty)
    }

    @Test func `a response to a former process's request is none to this one's`() throws {
        var site = backInTheKitchen()
        site.deliver(online("kitchen").topic, online("kitchen").payload)
        let kitchen = info("kitchen", "Kitchen", upTo: 2)
        site.deliver(kitchen.topic, kitchen.payload)
        site.advance(to: 2)
        for transaction in ["gap-1", "2.aggr-gap-1"] {
            let stale = Response(.done(EventsResponse(events: [])), transaction: .string(transaction))
            site.deliver(.gatewayResponse(gateway: "kitchen", what: "events"), stale.bytes)
        }
        site.respond("kitchen", [event(.exit, 2, "kitchen", -400)])
        site.advance(to: 5)
        #expect(site.story == ["left Kitchen"])
        #expect(site.published(on: .aggregatorInfo).last?.contains("kitchen dropped") == false)
    }

    @Test func `a question that got lost does not put the past into the wrong order`() {
        var site = backInTheKitchen()
        site.deliver(online("kitchen").topic, online("kitchen").payload)
        let kitchen = info("kitchen", "Kitchen", upTo: 3)
        site.deliver(kitchen.topic, kitchen.payload)
        site.event(.exit, at: "kitchen", seq: 4)
        // Asked after a second, and again after five of silence and five more.
        site.advance(to: 14)
        site.respond("kitchen", [event(.exit, 2, "kitchen", -400), event(.enter, 3, "kitchen", -300)])
        site.advance(to: 16)
        #expect(site.story == ["left Kitchen", "returned Kitchen", "left Kitchen"])
    }

    @Test func `a state ranged before an exit does not bring back an item that has left since`() {
        var site = backInTheKitchen()
        site.gateway("kitchen", room: "Kitchen")
        site.ranged(at: "kitchen")
        site.advance(to: 1)
        site.event(.exit, at: "kitchen", seq: 2)
        site.advance(to: 8)
        #expect(site.story == ["left Kitchen"])
        #expect(site.location?.presence == .away)
    }

    @Test func `a state that a killed broker restored from before the exit is no return, after the second kill either`()
    {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        site.ranged(at: "kitchen")
        site.advance(to: site.now + 3)
        site.event(.exit, at: "kitchen")
        site.cleared(at: "kitchen")
        precondition(site.location?.presence == .away)
        for _ in 1...2 {
            site = TestSite(stored: site.pipeline.stored, settling: false)
            site.ranged(at: "kitchen", when: -200, retained: true)
            site.gateway("kitchen", room: "Kitchen")
            site.advance(to: 8)
            #expect(site.story.isEmpty)
            #expect(site.location?.presence == .away)
            // The same while the aggregator runs.
            site.reconnect(after: 5)
            site.ranged(at: "kitchen", when: -200, retained: true)
            site.gateway("kitchen", room: "Kitchen")
            site.advance(to: site.now + 8)
            #expect(site.story.isEmpty)
        }
        site.ranged(at: "kitchen")
        #expect(site.story == ["returned Kitchen"])
    }

    @Test func `events behind a gap are applied in order of time when an absence is over`() {
        for inside in [["kitchen"], ["kitchen", "hall"]] {
            var site = back(storedAtHome(inside: inside), kitchen: 2, hall: 2)
            // The hall's first event is missing, and the hall does not respond any more.
            site.isMute = true
            for event in [event(.enter, 3, "hall", -300), event(.exit, 4, "hall", -99.5)] {
                site.deliver(.beaconEvent(TestSite.bag, gateway: "hall"), event.bytes)
            }
            site.advance(to: 2)
            site.respond("kitchen", [event(.exit, 2, "kitchen", -100)])
            site.advance(to: 60)
            #expect(site.story == ["left Kitchen"])
            #expect(site.events.map(\.stamp.at) == [TestSite.start + .seconds(-99.5)])
        }
    }

    @Test func `events published before a crash are not published again, and unpublished ones are`() {
        let stored = storedAtHome()
        // The process that crashed published that the bag left, and had not written that to disk.
        var first = back(stored, kitchen: 2, hall: 2)
        first.advance(to: 2)
        first.respond("kitchen", [event(.exit, 2, "kitchen", -400)])
        first.respond("hall", [event(.exit, 2, "hall", -390)])
        first.advance(to: 5)
        #expect(first.story == ["left Kitchen"])
        var second = back(stored, published: first.events, kitchen: 3, hall: 2)
        second.advance(to: 2)
        second.respond("kitchen", [event(.exit, 2, "kitchen", -400), event(.enter, 3, "kitchen", -300)])
        second.respond("hall", [event(.exit, 2, "hall", -390)])
        second.advance(to: 5)
        #expect(second.story == ["returned Kitchen"])
    }

    @Test func `the stored room of an item that has left since is not published before the gateways reported`() {
        let left = ItemEvent(
            .left(from: "Kitchen"), seq: 1, item: "laptop-bag", name: "Laptop bag", stamp: TestSite().stamp(at: -10))
        var knowing = back(storedAtHome(), published: [left], kitchen: 2, hall: 2)
        knowing.advance(to: 4)
        #expect(knowing.location?.presence == .unknown)
        var ignorant = back(storedAtHome(), kitchen: 2, hall: 2)
        ignorant.advance(to: 4)
        #expect(ignorant.location?.presence == .home)
    }

    @Test func `an item continues in the room of a move that was published before a crash`() {
        let stored = storedAtHome()
        let moved = ItemEvent(
            .moved(from: "Kitchen", to: "Hall"), seq: 1, item: "laptop-bag", name: "Laptop bag",
            stamp: TestSite().stamp(at: -10))
        var site = back(stored, published: [moved], kitchen: 1, hall: 1)
        for _ in 0..<8 {
            site.ranged(at: "hall", rssi: -50)
            site.ranged(at: "kitchen", rssi: -90)
            site.advance(to: site.now + 1)
        }
        #expect(site.location?.room == "Hall")
        #expect(site.story.isEmpty)
    }

    @Test func `what waited for a process that stood still moves nothing that had left meanwhile, twice`() {
        var site = TestSite()
        func range(nearest: String, seconds: Int) {
            for _ in 1...seconds {
                for gateway in ["kitchen", "hall"] { site.ranged(at: gateway, rssi: gateway == nearest ? -50 : -85) }
                site.advance(to: site.now + 1)
            }
        }
        for _ in 1...2 {
            for (gateway, room) in [("kitchen", "Kitchen"), ("hall", "Hall")] {
                site.gateway(gateway, room: room)
                site.event(.enter, at: gateway)
            }
            range(nearest: "kitchen", seconds: 20)
            #expect(site.location?.room == "Kitchen")
            // It was carried through the hall, and out of the house.
            let stopped = site.now
            site.sleep(for: 12)
            range(nearest: "hall", seconds: 2)
            for gateway in ["kitchen", "hall"] {
                site.event(.exit, at: gateway, when: stopped + 9)
                site.cleared(at: gateway)
            }
            site.advance(to: site.now + 10)
            #expect(site.location?.presence == .away)
        }
        #expect(site.story == ["left Kitchen", "returned -", "left Kitchen"])
    }

    @Test func `a process that stands still again and again goes on collecting, and reports in the end`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        site.ranged(at: "kitchen")
        site.advance(to: site.now + 3)
        site.sleep(for: 6)
        site.event(.exit, at: "kitchen", when: site.now - 2)
        for _ in 1...12 {
            site.advance(to: site.now + 1)
            site.sleep(for: 6)
        }
        #expect(site.story == ["left Kitchen"])
    }

    @Test func `states of a gateway whose room was not yet known count for its room`() {
        var site = TestSite()
        for (gateway, room) in [("kitchen", "Kitchen"), ("hall", "Hall")] {
            site.gateway(gateway, room: room)
            site.event(.enter, at: gateway)
            site.ranged(at: gateway)
            site.event(.exit, at: gateway)
            site.cleared(at: gateway)
        }
        site.advance(to: site.now + 3)
        precondition(site.location?.presence == .away)

        // It has come back to the kitchen meanwhile, and the hall receives it faintly; the kitchen reports last where it is.
        var again = TestSite(stored: site.pipeline.stored, settling: false)
        again.gateway("hall", room: "Hall")
        again.event(.enter, at: "hall", seq: 3)
        again.event(.enter, at: "kitchen", seq: 3)
        again.ranged(at: "kitchen", rssi: -40)
        again.ranged(at: "hall", rssi: -80)
        again.advance(to: 2)
        again.gateway("kitchen", room: "Kitchen")
        for _ in 0..<8 {
            again.advance(to: again.now + 1)
            again.ranged(at: "hall", rssi: -80)
        }
        again.ranged(at: "kitchen", rssi: -40)
        again.advance(to: again.now + 3)
        #expect(again.story == ["returned Kitchen"])
    }

    @Test func `a gateway that responds needs not publish its info before an absence is over`() {
        var site = TestSite()
        site.gateway("hall", room: "Hall")
        site.reconnect(after: 2)
        site.advance(to: site.now + 6)
        #expect(site.pipeline.items.catchUp == nil)
    }

    @Test func `a gateway whose info arrives is alive, though the broker delivers no availability`() {
        var site = TestSite()
        site.heartbeat("hall", room: "Hall")
        site.event(.enter, at: "hall")
        site.ranged(at: "hall")
        site.advance(to: site.now + 3)
        #expect(site.location?.presence == .home)
    }
}
