import Beacons
import Messages
import Testing

@testable import SiteCore

/// Alarms and moves of a pair of aggregators of which the standby decides later than the active one publishes.
struct StandbyAlarmTests {
    private static let notification = Topic.itemNotification(item: "violin")

    private func event(_ change: ItemEvent.Change, at second: Double) -> ItemEvent {
        let stamp = Stamp(at: TestSite.start + .seconds(second), boot: Boot("17.kfqx")!, uptime: .zero)
        return ItemEvent(change, seq: 1, item: "violin", name: "Violin", stamp: stamp)
    }

    private static let alarms: [ItemEvent.Change] = [
        .forgotten(in: "Hall", by: ["anna"]), .taken(from: "Hall"), .alone(in: "Hall"),
    ]

    // MARK: What is unpublished

    @Test(arguments: alarms)
    func `an alarm that another aggregator has published is not published, whoever decides first, each time`(
        _ alarm: ItemEvent.Change
    ) {
        var unpublished = UnpublishedEvents()
        for second in [100.0, 700] {
            unpublished.receive(event(.left(from: nil), at: second), at: .zero)
            unpublished.receive(event(alarm, at: second), at: .zero)
            let left = unpublished.decide(event(.left(from: nil), at: second), mayPublish: false, at: .zero)
            let later = unpublished.decide(event(alarm, at: second - 0.001), mayPublish: true, at: .zero)
            #expect(left && later && unpublished.pending.isEmpty)
            let first = unpublished.decide(event(alarm, at: second + 300), mayPublish: false, at: .zero)
            unpublished.receive(event(alarm, at: second + 300), at: .zero)
            #expect(first && unpublished.pending.isEmpty && unpublished.longest == 0)
        }
    }

    @Test func `an alarm that is another one than the published one is published`() {
        var unpublished = UnpublishedEvents()
        unpublished.receive(event(.taken(from: nil), at: 100), at: .zero)
        let decided = [
            event(.alone(in: nil), at: 100), event(.taken(from: nil), at: 400), event(.taken(from: nil), at: 100),
            event(.taken(from: nil), at: 100),
        ]
        let areHeld = decided.map { unpublished.decide($0, mayPublish: true, at: .zero) }
        #expect(areHeld == [false, false, true, false], "one is known, once")
    }

    @Test func `a published alarm does not drop a move that nobody has published, nor the other way round`() {
        var unpublished = UnpublishedEvents()
        for event in [
            event(.moved(from: "Hall", to: "Kitchen"), at: 100), event(.forgotten(in: nil, by: []), at: 101),
        ] { _ = unpublished.decide(event, mayPublish: false, at: .zero) }
        unpublished.receive(event(.alone(in: nil), at: 102), at: .zero)
        #expect(unpublished.pending.map(\.change.word) == ["moved", "forgotten"])
        unpublished.receive(event(.moved(from: "Hall", to: "Attic"), at: 103), at: .zero)
        #expect(unpublished.pending.map(\.change.word) == ["forgotten"])
    }

    @Test func `a way to the room in which another aggregator has the item is not published, each time`() {
        var unpublished = UnpublishedEvents()
        for (from, to) in [("Hall", "Kitchen"), ("Kitchen", "Hall")] {
            unpublished.receive(event(.moved(from: from, to: to), at: 100), at: .zero)
            _ = unpublished.decide(event(.moved(from: from, to: "Attic"), at: 98), mayPublish: false, at: .zero)
            _ = unpublished.decide(event(.moved(from: "Attic", to: to), at: 102), mayPublish: false, at: .zero)
            #expect(unpublished.release().isEmpty)
            _ = unpublished.decide(event(.moved(from: to, to: "Attic"), at: 110), mayPublish: false, at: .zero)
            #expect(unpublished.release().map(\.change) == [.moved(from: to, to: "Attic")])
            let back = unpublished.decide(event(.moved(from: "Attic", to: to), at: 120), mayPublish: true, at: .zero)
            #expect(!back)
        }
        // As the active one this aggregator knows the rooms itself.
        let own = [("Attic", "Cellar"), ("Cellar", "Hall")].map { from, to in
            unpublished.decide(event(.moved(from: from, to: to), at: 200), mayPublish: true, at: .zero)
        }
        #expect(own == [false, false])
    }

    @Test func `a published room is forgotten when the item leaves, and after a while`() {
        var unpublished = UnpublishedEvents()
        let move = event(.moved(from: "Attic", to: "Hall"), at: 100)
        unpublished.receive(move, at: .zero)
        _ = unpublished.decide(event(.left(from: nil), at: 200), mayPublish: true, at: .zero)
        let afterReturn = unpublished.decide(move, mayPublish: true, at: .zero)
        unpublished.receive(move, at: .zero)
        unpublished.age(at: .zero + UnpublishedEvents.longPatience, receivedAt: nil)
        let afterWhile = unpublished.decide(move, mayPublish: true, at: .zero)
        #expect(!afterReturn && !afterWhile)
    }

    /// What this aggregator has decided of a departure that the active one published.
    enum Departure: CaseIterable {
        /// It decides the departure first.
        case first
        /// It decides nothing of it.
        case nothing
        /// It decides the departure from an earlier event of the gateway than the active one.
        case covered
    }

    @Test(arguments: Departure.allCases)
    func `a move to the room of a published move is published if the item left between, each time`(
        departure: Departure
    ) {
        func presence(_ change: ItemEvent.Change, at second: Double, after seq: UInt64) -> ItemEvent {
            var event = event(change, at: second)
            event.cause = ItemEvent.Cause(EventID(boot: Boot("9.hall")!, seq: seq), at: "hall")
            return event
        }
        let move = ItemEvent.Change.moved(from: "Attic", to: "Hall")
        var unpublished = UnpublishedEvents()
        for time in [0, 1000.0] {
            let seq = UInt64(time) + 10
            let left = presence(.left(from: "Hall"), at: time + 110, after: seq)
            let returned = presence(.returned(to: nil), at: time + 120, after: seq + 1)
            if departure == .first { _ = unpublished.decide(left, mayPublish: false, at: .zero) }
            unpublished.receive(event(move, at: time + 100), at: .zero)
            unpublished.receive(left, at: .zero)
            if departure != .first {
                let before = unpublished.decide(event(move, at: time + 104), mayPublish: false, at: .zero)
                #expect(before && unpublished.pending.isEmpty, "of before it left")
            }
            if departure == .first { _ = unpublished.decide(returned, mayPublish: false, at: .zero) }
            unpublished.receive(returned, at: .zero)
            if departure == .covered {
                _ = unpublished.decide(
                    presence(.left(from: "Hall"), at: time + 110, after: seq - 1), mayPublish: false, at: .zero)
            }
            #expect(unpublished.pending.isEmpty)
            let later = unpublished.decide(event(move, at: time + 140), mayPublish: true, at: .zero)
            #expect(!later)
        }
    }

    // MARK: A pair

    /// - Parameter second: how long the active one lives after the standby goes on.
    @Test(arguments: [1.0, 4, 12], [true, false])
    func `the successor does not repeat a forgotten item that its predecessor published first, each time`(
        second: Double, isCut: Bool
    ) throws {
        var pair = SharedSite(pair: "left", "right", tables: SitePeopleTests.toml())
        pair.advance(to: 8)
        pair.change(.enter, of: SharedSite.home)
        pair.advance(by: 30, ranging: SharedSite.home)
        for time in 1...2 {
            let first = try #require(pair.active.first)
            let next = pair.successor(of: first)
            pair.advance(by: 12, ranging: ["violin"])
            pair.change(.exit, of: ["keys", "phone"])
            pair.advance(by: 1, ranging: ["violin"])
            pair.stop(next)
            var waited = 0
            while pair.events.count(where: { $0.change.word == "forgotten" }) < time, waited < 90 {
                pair.advance(by: 1, ranging: ["violin"])
                waited += 1
            }
            pair.resume(next, isCut: isCut)
            pair.advance(by: second, ranging: ["violin"])
            pair.kill(first)
            pair.advance(by: 40, ranging: ["violin"])
            #expect(pair.active == [next])
            let alarms = pair.events.filter { $0.change.word == "forgotten" }
            #expect(alarms.count == time, "time \(time): \(alarms.map { "\($0.id) \($0.stamp.at)" })")
            pair.change(.enter, of: ["keys", "phone"])
            pair.advance(by: 60, ranging: SharedSite.home)
            pair.startMember(first)
            pair.advance(by: 90, ranging: SharedSite.home)
        }
    }

    @Test func `what is acknowledged is so for both of a pair, whoever is active then, each time`() throws {
        var pair = SharedSite(pair: "left", "right", tables: SitePeopleTests.toml())
        pair.advance(to: 8)
        pair.change(.enter, of: SharedSite.home)
        pair.advance(by: 30, ranging: SharedSite.home)
        for time in 1...2 {
            let first = try #require(pair.active.first)
            pair.advance(by: 12, ranging: ["violin"])
            pair.change(.exit, of: ["keys", "phone"])
            pair.advance(by: 120, ranging: ["violin"])
            #expect(pair.retained[Self.notification.name(under: .standard)] != nil, "time \(time)")
            let responses = pair.ask("items/acknowledge", #"{"id":"violin"}"#)
            #expect(responses.count == 1 && responses[0].hasPrefix("\(first): ") && responses[0].contains("true"))
            let before = pair.published.count
            pair.kill(first)
            // Longer than until the next repetition.
            pair.advance(by: 700, ranging: ["violin"])
            let sendings = pair.published[before...].filter { $0.topic == .itemNotificationEvent(item: "violin") }
            #expect(sendings.isEmpty && pair.retained[Self.notification.name(under: .standard)] == nil, "time \(time)")
            #expect(pair.active == [pair.successor(of: first)])
            pair.change(.enter, of: ["keys", "phone"])
            pair.advance(by: 60, ranging: SharedSite.home)
            pair.startMember(first)
            pair.advance(by: 90, ranging: SharedSite.home)
        }
    }

    /// The bag is in a room while the gateways range it.
    private func carry(_ pair: inout SharedSite, to room: String, for seconds: Double) {
        let end = pair.now + seconds
        while pair.now < end {
            for id in ["hall", "kitchen"] {
                if Int(pair.now) % 20 == 0 { pair.gateway(id, room: id) }
                let stamp = Stamp(
                    at: TestSite.start + .seconds(pair.now), boot: Boot("17.kfqx")!,
                    uptime: .zero + .seconds(500 + pair.now))
                let state = RangedState(
                    gateway: id, proximity: id == room ? .near : .far, accuracy: id == room ? 1.5 : 9,
                    rssi: id == room ? -50 : -85, sightings: 9, addresses: 1, stamp: stamp, validFor: 25)
                pair.deliver(.proximity(TestSite.bag, gateway: id), state.bytes)
            }
            pair.advance(to: pair.now + 1)
        }
    }

    /// How the standby was absent while the active one published.
    enum Absence: CaseIterable { case cut, stopped, restarted }

    /// - Parameter second: how long the active one lives after the standby goes on.
    @Test(arguments: [1.0, 4, 12], Absence.allCases)
    func `the successor does not repeat a move that its predecessor published first, each time`(
        second: Double, absence: Absence
    ) throws {
        var pair = SharedSite(pair: "left", "right")
        pair.advance(to: 8)
        for id in ["hall", "kitchen"] {
            pair.gateway(id, room: id)
            pair.bag(.enter, at: id)
        }
        carry(&pair, to: "hall", for: 60)
        var moves: [ItemEvent.Change] = []
        for (from, room) in [("hall", "kitchen"), ("kitchen", "hall")] {
            moves.append(.moved(from: from, to: room))
            let first = try #require(pair.active.first)
            let next = pair.successor(of: first)
            carry(&pair, to: room, for: 1)
            if absence == .restarted { pair.kill(next) } else { pair.stop(next) }
            var waited = 0
            while pair.events.count < moves.count, waited < 90 {
                carry(&pair, to: room, for: 1)
                waited += 1
            }
            if absence == .restarted { pair.startMember(next) } else { pair.resume(next, isCut: absence == .cut) }
            carry(&pair, to: room, for: second)
            pair.kill(first)
            carry(&pair, to: room, for: 60)
            #expect(pair.active == [next])
            #expect(pair.events.map(\.change) == moves)
            pair.startMember(first)
            carry(&pair, to: room, for: 60)
        }
    }

    @Test
    func `an event that another aggregator published announces the room that is reported already, a location does not`()
    {
        var site = TestSite()
        site.gateway("hall", room: "Hall")
        site.event(.enter, at: "hall")
        for room in ["Hall", "Kitchen"] {
            site.pipeline.reports.items.table["laptop-bag"]?.reported.guess(room)
            for isAnnounced in [false, true] {
                site.pipeline.reports.items.adopt(
                    room: room, isAnnounced: isAnnounced, of: "laptop-bag", &site.pipeline.effects)
                let reported = site.pipeline.items.table["laptop-bag"]?.reported
                #expect(reported?.room == room && reported?.announced == (isAnnounced ? room : nil))
            }
        }
    }
}
