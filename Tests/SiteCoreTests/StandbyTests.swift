import Beacons
import Messages
import Simulation
import SimulationTestSupport
import Testing

@testable import SiteCore

@Suite struct StandbyTests {
    private func pair() -> SharedSite {
        var pair = SharedSite(pair: "left", "right")
        pair.advance(to: 8)
        pair.gateway("hall", room: "Hall")
        return pair
    }

    @Test func `exactly one of two aggregators becomes active`() {
        var pair = SharedSite(pair: "left", "right")
        pair.advance(to: 60)
        #expect(pair.active.count == 1)
    }

    @Test func `an aggregator on standby publishes nothing`() {
        var pair = pair()
        pair.bag(.enter, at: "hall")
        pair.advance(to: 20)
        pair.bag(.exit, at: "hall")
        pair.advance(to: 40)
        pair.bag(.enter, at: "hall")
        pair.advance(to: 60)
        #expect(pair.story == ["left", "returned"])
    }

    @Test func `the successor of a killed aggregator is active within 15 s`() throws {
        var pair = pair()
        let first = try #require(pair.active.first)
        pair.kill(first)
        pair.advance(to: pair.now + 5)
        #expect(pair.active == [pair.successor(of: first)])
    }

    @Test func `the successor of a paused aggregator is active within 15 s, without a will`() throws {
        var pair = pair()
        let first = try #require(pair.active.first)
        pair.stop(first)
        pair.advance(to: pair.now + 15)
        #expect(pair.active == [pair.successor(of: first)])
    }

    @Test func `a paused aggregator that goes on becomes the standby, and stays that`() throws {
        var pair = pair()
        let first = try #require(pair.active.first)
        pair.stop(first)
        pair.advance(to: pair.now + 15)
        pair.resume(first)
        for _ in 1...60 {
            pair.advance(to: pair.now + 1)
            #expect(pair.active == [pair.successor(of: first)])
        }
    }

    @Test func `the successor publishes what its predecessor did not live to publish, once`() throws {
        var pair = pair()
        pair.bag(.enter, at: "hall")
        pair.advance(to: 20)
        let first = try #require(pair.active.first)
        pair.stop(first)
        pair.bag(.exit, at: "hall")
        pair.advance(to: 60)
        #expect(pair.story == ["left"])
        pair.bag(.enter, at: "hall")
        pair.advance(to: 80)
        #expect(pair.story == ["left", "returned"])
    }

    @Test func `an event that is withdrawn from the log is not published again if the successor has published it`() {
        let stamp = Stamp(at: TestSite.start, boot: Boot("17.kfqx")!, uptime: .zero)
        let event = ItemEvent(
            .left(from: "Hall"), seq: 1, item: "laptop-bag", name: "Laptop bag", stamp: stamp,
            cause: ItemEvent.Cause(EventID(boot: Boot("9.hall")!, seq: 4), at: "hall"))
        var unpublished = UnpublishedEvents()
        unpublished.receive(event, at: .zero)
        unpublished.addPending([event], at: .zero)
        #expect(unpublished.release().isEmpty)
        unpublished.addPending([event], at: .zero)
        #expect(unpublished.release().isEmpty, "the last event of an item is known")
    }

    @Test func `events of the active one that arrive in another order than they happened in are known, each by itself`()
    {
        func event(_ change: ItemEvent.Change, at second: Double, gateway: String) -> ItemEvent {
            let stamp = Stamp(at: TestSite.start + .seconds(second), boot: Boot("17.kfqx")!, uptime: .zero)
            return ItemEvent(
                change, seq: 1, item: "laptop-bag", name: "Laptop bag", stamp: stamp,
                cause: ItemEvent.Cause(EventID(boot: Boot("9.hall")!, seq: UInt64(second)), at: gateway))
        }
        var unpublished = UnpublishedEvents()
        unpublished.receive(event(.returned(to: nil), at: 30, gateway: "hall"), at: .zero)
        unpublished.receive(event(.left(from: nil), at: 20, gateway: "kitchen"), at: .zero)
        let left = unpublished.decide(event(.left(from: nil), at: 20, gateway: "attic"), mayPublish: false, at: .zero)
        let back = unpublished.decide(
            event(.returned(to: nil), at: 31, gateway: "attic"), mayPublish: false, at: .zero)
        #expect(left && back && unpublished.pending.isEmpty)
    }

    @Test
    func
        `what the active one has not drawn from a gateway's event, although it drew something from a later one, is not published`()
    {
        func event(_ change: ItemEvent.Change, after seq: UInt64, by boot: String) -> ItemEvent {
            let stamp = Stamp(at: TestSite.start + .seconds(Double(seq) * 60), boot: Boot(boot)!, uptime: .zero)
            return ItemEvent(
                change, seq: seq, item: "laptop-bag", name: "Laptop bag", stamp: stamp,
                cause: ItemEvent.Cause(EventID(boot: Boot("9.hall")!, seq: seq), at: "hall"))
        }
        var unpublished = UnpublishedEvents()
        for seq: UInt64 in [5, 9] {
            _ = unpublished.decide(event(.left(from: nil), after: seq, by: "3.self"), mayPublish: false, at: .zero)
            unpublished.receive(event(.returned(to: nil), after: seq + 2, by: "4.else"), at: .zero)
            #expect(unpublished.pending.isEmpty, "after \(seq)")
        }
    }

    private func presence(_ change: ItemEvent.Change, at second: Double, after seq: UInt64? = nil) -> ItemEvent {
        let stamp = Stamp(at: TestSite.start + .seconds(second), boot: Boot("17.kfqx")!, uptime: .zero)
        let cause = seq.map { ItemEvent.Cause(EventID(boot: Boot("9.hall")!, seq: $0), at: "hall") }
        return ItemEvent(change, seq: 1, item: "laptop-bag", name: "Laptop bag", stamp: stamp, cause: cause)
    }

    /// A return that the active one drew from a gateway's event, and this one from a ranged state that overtook it.
    @Test(arguments: [true, false])
    func `a return that was drawn from a state is the one that was published, whatever its time, also the second time`(
        isDecidedFirst: Bool
    ) {
        var unpublished = UnpublishedEvents()
        for (round, seq) in [(0.0, 2 as UInt64), (60, 4)] {
            let published = presence(.returned(to: nil), at: round + 20, after: seq)
            let drawn = presence(.returned(to: nil), at: round + 32)
            if !isDecidedFirst { unpublished.receive(published, at: .zero) }
            let isHeld = unpublished.decide(drawn, mayPublish: !isDecidedFirst, at: .zero)
            if isDecidedFirst { unpublished.receive(published, at: .zero) }
            #expect(isHeld && unpublished.pending.isEmpty, "round \(round)")
            let departure = presence(.left(from: nil), at: round + 50, after: seq + 1)
            let departureIsHeld = unpublished.decide(departure, mayPublish: true, at: .zero)
            #expect(!departureIsHeld, "a departure lies between")
        }
    }

    @Test func `a return behind a departure is another one, also the second time`() {
        var unpublished = UnpublishedEvents()
        unpublished.receive(presence(.returned(to: nil), at: 20), at: .zero)
        for second in [30.0, 50] {
            let left = unpublished.decide(presence(.left(from: nil), at: second), mayPublish: true, at: .zero)
            let back = unpublished.decide(presence(.returned(to: nil), at: second + 10), mayPublish: true, at: .zero)
            #expect(!left && !back)
        }
    }

    @Test func `a location is no proof that its event was published`() throws {
        var pair = pair()
        pair.bag(.enter, at: "hall")
        pair.advance(to: 20)
        let first = try #require(pair.active.first)
        pair.stop(first)
        pair.bag(.exit, at: "hall")
        var location = try #require(pair.location())
        (location.presence, location.since, location.room) = (.away, TestSite.start + .seconds(20), nil)
        pair.deliver(.itemLocation(item: "laptop-bag"), location.bytes)
        pair.advance(to: 60)
        #expect(pair.story == ["left"])
    }

    @Test func `the successor does not repeat what its predecessor has published`() throws {
        var pair = pair()
        pair.bag(.enter, at: "hall")
        pair.advance(to: 20)
        pair.bag(.exit, at: "hall")
        #expect(pair.story == ["left"])
        pair.kill(try #require(pair.active.first))
        pair.advance(to: 60)
        #expect(pair.story == ["left"])
    }

    @Test(arguments: 0...12) func `an item's events stay complete and single wherever a kill falls`(second: Int) throws
    {
        var pair = pair()
        for moment in 0..<24 {
            if moment == 2 || moment == 14 { pair.bag(.enter, at: "hall") }
            if moment == 8 || moment == 20 { pair.bag(.exit, at: "hall") }
            if (3...7).contains(moment) || (15...19).contains(moment) { pair.ranged(at: "hall") }
            if moment == second + 5 {
                let first = try #require(pair.active.first)
                pair.kill(first)
                if second % 2 == 0 { pair.startMember(first) }
            }
            pair.advance(to: pair.now + 1)
        }
        pair.advance(to: pair.now + 30)
        #expect(pair.story == ["left", "returned", "left"], "\(pair.logged.joined(separator: "\n"))")
    }

    /// What happens to a member of a pair.
    enum Fault: String, CaseIterable {
        case restarted, killed, stopped
    }

    @Test(arguments: Fault.allCases, 0...11)
    func `events stay complete and single if the standby and then the active aggregator fail in the same way`(
        _ fault: Fault, second: Int
    ) throws {
        var pair = pair()
        var first = ""
        func begin(_ name: String) {
            switch fault {
            case .restarted: pair.end(name)
            case .killed: pair.kill(name)
            case .stopped: pair.stop(name)
            }
        }
        func goOn(_ name: String) { if fault == .stopped { pair.resume(name) } else { pair.startMember(name) } }
        // The bag comes and goes all the time, and again the standby and the active one fail.
        for moment in 0..<200 {
            if moment % 12 == 2 { pair.bag(.enter, at: "hall") }
            if moment % 12 == 8 { pair.bag(.exit, at: "hall") }
            if (3...7).contains(moment % 12) { pair.ranged(at: "hall") }
            if moment % 30 == 0 { pair.gateway("hall", room: "Hall") }
            switch moment % 80 {
            case 20 + second:
                first = try #require(pair.active.first)
                begin(pair.successor(of: first))
            case 24 + second: goOn(pair.successor(of: first))
            case 36 + second: begin(first)
            case 52 + second: goOn(first)
            default: break
            }
            pair.advance(to: pair.now + 1)
        }
        pair.advance(to: pair.now + 30)
        let story = (0..<32).map { $0 % 2 == 0 ? "left" : "returned" }
        #expect(pair.story == story, "\(pair.logged.joined(separator: "\n"))")
    }

    @Test func `a standby that starts learns what the active one has published meanwhile, also the second time`() throws
    {
        var pair = pair()
        let other = pair.successor(of: try #require(pair.active.first))
        for _ in 1...2 {
            pair.bag(.enter, at: "hall")
            pair.advance(to: pair.now + 40)
            pair.kill(other)
            pair.bag(.exit, at: "hall")
            pair.advance(to: pair.now + 5)
            pair.startMember(other)
            pair.advance(to: pair.now + 2)
            #expect(pair.members[other]?.driver.standby?.missed == nil, "the response has arrived")
        }
    }

    @Test func `items added by command are known to the successor`() throws {
        var pair = pair()
        pair.deliver(
            .aggregatorRequest(what: "items/add"),
            Request.bytes(
                of: NewItem(
                    RegistryItem(
                        name: "Key", beacon: BeaconIdentity(uuid: SharedSite.uuid, major: 7, minor: 7)))))
        pair.advance(to: 30)
        let first = try #require(pair.active.first)
        pair.kill(first)
        pair.advance(to: 40)
        #expect(pair.members[pair.successor(of: first)]?.driver.site.pipeline.registry.items["key"]?.name == "Key")
        #expect(pair.members[pair.successor(of: first)]?.driver.site.pipeline.registry.revision == 2)
    }

    @Test func `items added by command are known to the successor, although its file was changed twice meanwhile`()
        throws
    {
        var pair = pair()
        let first = try #require(pair.active.first)
        let other = pair.successor(of: first)
        var file = "[standby]\nname = \"\(other)\"\n" + SharedSite.item("Laptop bag", major: 1, minor: 2)
        for minor: UInt16 in [8, 9] {
            pair.end(other)
            file += SharedSite.item("Lamp \(minor)", major: 1, minor: minor)
            pair.start(file)
            pair.advance(to: pair.now + 10)
        }
        for minor: UInt16 in [7, 6] {
            pair.deliver(
                .aggregatorRequest(what: "items/add"),
                Request.bytes(
                    of: NewItem(
                        RegistryItem(
                            name: "Key \(minor)", beacon: BeaconIdentity(uuid: SharedSite.uuid, major: 7, minor: minor))
                    )))
            pair.advance(to: pair.now + 10)
        }
        pair.kill(first)
        pair.advance(to: pair.now + 20)
        #expect(pair.active == [other])
        let registry = try #require(pair.members[other]?.driver.site.pipeline.registry)
        #expect(Set(registry.items.keys) == ["laptop-bag", "lamp-8", "lamp-9", "key-7", "key-6"])
        let manifest = try RegistryManifest(parsing: pair.retained["forgetmenot/registry/manifest"] ?? [])
        #expect(manifest == registry.manifest && manifest.revision > 3)
    }

    @Test func `an aggregator that was off knows nothing of an item that carries another beacon since`() throws {
        var pair = pair()
        func add(minor: UInt16) {
            let beacon = BeaconIdentity(uuid: SharedSite.uuid, major: 7, minor: minor)
            let item = Request.bytes(of: NewItem(RegistryItem(name: "Key", beacon: beacon)))
            pair.deliver(.aggregatorRequest(what: "items/add"), item)
            let stamp = Stamp(
                at: TestSite.start + .seconds(pair.now), boot: Boot("17.kfqx")!,
                uptime: .zero + .seconds(500 + pair.now))
            let state = RangedState(
                gateway: "hall", proximity: .near, accuracy: 1.5, rssi: -60, sightings: 9, addresses: 1, stamp: stamp,
                validFor: 25)
            if minor == 7 { pair.deliver(.proximity(beacon, gateway: "hall"), state.bytes) }
        }
        add(minor: 7)
        pair.advance(to: 100)
        let off = pair.successor(of: try #require(pair.active.first))
        func isKnown() -> Bool {
            let record = pair.members[off]?.driver.site.pipeline.items.table["key"]
            return record?.presenceByGateway.words.isEmpty == false
        }
        #expect(isKnown())
        pair.stop(off)
        pair.deliver(.aggregatorRequest(what: "items/remove"), Request.bytes(of: NameOrID(name: "Key")))
        add(minor: 8)
        pair.advance(to: 110)
        pair.startMember(off)
        pair.advance(to: 120)
        #expect(pair.members[off]?.driver.site.pipeline.registry.items["key"]?.beacon.minor == 8)
        #expect(!isKnown())
    }

    /// - Parameter isAlone: whether the one that is back is so after the other went down.
    @Test(arguments: [false, true])
    func `a person who was removed while one of two was down does not come back with it, and who was added stays`(
        isAlone: Bool
    ) throws {
        var pair = pair()
        func isPublished(_ person: String) -> Bool {
            pair.retained[Topic.personLocation(person: person).name(under: .standard)] != nil
        }
        _ = pair.ask("people/add", #"{"name":"Ben"}"#)
        for times in 1...2 {
            _ = pair.ask("people/add", #"{"name":"Anna"}"#)
            pair.advance(to: pair.now + 40)
            #expect(isPublished("anna"))
            let first = try #require(pair.active.first)
            let other = pair.successor(of: first)
            pair.kill(other)
            _ = pair.ask("people/remove", #"{"name":"Anna"}"#)
            _ = pair.ask("people/add", #"{"name":"Clara \#(times)"}"#)
            pair.advance(to: pair.now + 5)
            pair.dropQueue(of: other)
            if isAlone { pair.kill(first) }
            pair.startMember(other)
            pair.advance(to: pair.now + 40)
            if !isAlone { pair.kill(first) }
            pair.advance(to: pair.now + 20)
            #expect(pair.active == [other])
            #expect(!isPublished("anna") && isPublished("ben") && isPublished("clara-\(times)"), "time \(times)")
            pair.startMember(first)
            pair.advance(to: pair.now + 40)
            #expect(!isPublished("anna") && isPublished("ben") && isPublished("clara-\(times)"), "time \(times)")
        }
    }

    @Test func `a person who was added before the broker forgot what it retained is not removed`() throws {
        var pair = pair()
        _ = pair.ask("people/add", #"{"name":"Ben"}"#)
        pair.advance(to: pair.now + 40)
        let (first, former) = (try #require(pair.active.first), pair.retained)
        _ = pair.ask("people/add", #"{"name":"Anna"}"#)
        pair.advance(to: pair.now + 40)
        for name in [first, pair.successor(of: first)] { pair.kill(name) }
        pair.restoreBroker(former)
        for name in [pair.successor(of: first), first] { pair.startMember(name) }
        pair.advance(to: pair.now + 60)
        for person in ["anna", "ben"] {
            #expect(pair.retained[Topic.personLocation(person: person).name(under: .standard)] != nil, "\(person)")
        }
    }

    @Test func `info names the active aggregator and those on standby`() throws {
        var pair = pair()
        pair.advance(to: 45)
        let infos = pair.published.compactMap { _, topic, payload in
            topic == .aggregatorInfo ? try? AggregatorInfo(parsing: payload) : nil
        }
        let first = try #require(pair.active.first)
        #expect(infos.last?.active == first)
        #expect(infos.last?.standby == [pair.successor(of: first)])
    }

    /// The traffic of a house: items come and go at three gateways, each of which receives most of it at another moment.
    private struct Traffic {
        static let items: [UInt16] = [2, 3, 4, 5]
        static let gateways = ["hall", "kitchen", "attic"]
        /// What happens when, in order.
        var agenda: [(at: Double, gateway: String, minor: UInt16, transition: Transition)] = []

        init(seed: UInt64, until end: Double) {
            var random = Xoshiro256(seed: seed)
            for minor in Self.items {
                var (at, transition) = (10 + Double(minor), Transition.enter)
                while at < end {
                    for gateway in Self.gateways {
                        agenda.append((at + random.uniform(in: 0...2), gateway, minor, transition))
                    }
                    at += random.uniform(in: 7...16)
                    transition = transition == .enter ? .exit : .enter
                }
            }
            agenda.sort { $0.at < $1.at }
        }

        /// Has everything happen that is due.
        mutating func advance(_ pair: inout SharedSite) {
            if pair.now.truncatingRemainder(dividingBy: 30) == 0 {
                for gateway in Self.gateways { pair.gateway(gateway, room: gateway) }
            }
            while let first = agenda.first, first.at <= pair.now {
                agenda.removeFirst()
                let beacon = BeaconIdentity(uuid: SharedSite.uuid, major: 1, minor: first.minor)
                pair.beacon(beacon, first.transition, at: first.gateway)
            }
        }
    }

    /// The departures and returns of each item, in the order of their publication.
    private func stories(_ pair: SharedSite) -> [String: [ItemEvent]] {
        Dictionary(grouping: pair.events.filter(\.change.isPresence), by: \.item)
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `a pair whose members fail again and again publishes what an undisturbed aggregator does`(_ seed: UInt64)
        throws
    {
        let items = Traffic.items.dropFirst().map { minor in
            "[[item]]\nname = \"Item \(minor)\"\nuuid = \"\(SharedSite.uuid)\"\nmajor = 1\nminor = \(minor)\n"
        }
        let end = 300.0
        var alone = SharedSite(pair: "alone", tables: items.joined())
        var traffic = Traffic(seed: seed, until: end)
        while alone.now < end + 40 {
            traffic.advance(&alone)
            alone.advance(to: alone.now + 0.5)
        }
        var pair = SharedSite(pair: "left", "right", tables: items.joined())
        traffic = Traffic(seed: seed, until: end)
        var random = Xoshiro256(seed: seed &+ 1000)
        var (next, number) = (30.0, 0)
        var (down, goesOnAt, fault) = ("", Double.infinity, Fault.killed)
        var done: [String] = []
        while pair.now < end + 40 {
            traffic.advance(&pair)
            if pair.now >= goesOnAt {
                if fault == .stopped { pair.resume(down, isCut: random.chance(0.5)) } else { pair.startMember(down) }
                done.append("\(pair.now): \(down) goes on")
                // The active one has responded to who has just started.
                (goesOnAt, next) = (.infinity, pair.now + random.uniform(in: 6...16))
            }
            if pair.now >= next, goesOnAt == .infinity, pair.now < end, let active = pair.active.first {
                number += 1
                down = number % 2 == 0 ? active : pair.successor(of: active)
                fault = Fault.allCases[Int.random(in: 0..<3, using: &random)]
                goesOnAt = pair.now + random.uniform(in: 0...(fault == .stopped ? 20 : 5))
                done.append("\(pair.now): \(down)\(down == active ? ", active," : "") is \(fault)")
                switch fault {
                case .restarted: pair.end(down)
                case .killed: pair.kill(down)
                case .stopped: pair.stop(down)
                }
            }
            pair.advance(to: pair.now + 0.5)
        }
        let (ours, expected) = (stories(pair), stories(alone))
        for item in expected.keys.sorted() {
            let found = (ours[item] ?? []).map {
                "\($0.change.word) at \(($0.stamp.at - TestSite.start).seconds) s: \($0.id)"
            }
            #expect(
                (ours[item] ?? []).map(\.change.word) == expected[item]?.map(\.change.word),
                "\(item): \(found)\n\((done + pair.logged).joined(separator: "\n"))")
        }
    }
}
