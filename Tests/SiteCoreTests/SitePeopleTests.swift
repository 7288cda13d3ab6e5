import Beacons
import Channels
import HomeAssistant
import Messages
import Testing

@testable import SiteCore

/// People as the broker sees them: topics, requests, notifications, and what is on the disk.
struct SitePeopleTests {
    static let minors = ["keys": UInt16(1), "phone": 2, "violin": 3]
    static func beacon(_ minor: UInt16) -> BeaconIdentity {
        BeaconIdentity(uuid: TestSite.bag.uuid, major: 7, minor: minor)
    }
    static let channel =
        "[[channel]]\nperson = \"anna\"\nkind = \"ntfy\"\nurl = \"https://ntfy.example\"\ntopic_file = \"anna.topic\"\n"
    static func toml(person: Bool = true, owners: Bool = true) -> String {
        (person ? "[[person]]\nname = \"Anna\"\ncarries = [\"keys\", \"phone\"]\n" : "") + (owners ? channel : "")
            + minors.sorted { $0.value < $1.value }.map { name, minor in
                "[[item]]\nname = \"\(name.prefix(1).uppercased())\(name.dropFirst())\"\nuuid = \"\(TestSite.bag.uuid)\"\n"
                    + "major = 7\nminor = \(minor)\n"
                    + (owners && name == "violin" ? "owners = [\"Anna\"]\nneeded = \"always\"\n" : "")
            }.joined()
    }

    /// One gateway in the hall, and what it receives.
    struct Home {
        var site: TestSite
        var seq: UInt64 = 0
        private var delivered = 0
        /// What becomes of deliveries.
        var outcome = DeliveryOutcome.taken

        /// - Parameters:
        ///   - retained: what the broker has from another process.
        ///   - settling: whether it is past the time after the connect in which nothing is concluded.
        init(
            _ toml: String = SitePeopleTests.toml(), stored: StoredSite? = nil, retained: [Message] = [],
            settling: Bool = true, at second: Double = 0
        ) {
            site = TestSite(
                toml, stored: stored, retained: retained, settling: settling && retained.isEmpty, at: second)
            site.gateway("hall", room: "Hall")
        }

        /// The gateway has exits of these items that no process has received.
        mutating func missed(_ items: [String], after last: UInt64) {
            let events = items.sorted().enumerated().map { index, item in
                BeaconEvent(
                    .exit, seq: last + UInt64(index) + 1, stamp: site.stamp(at: -400), gateway: "hall",
                    beacon: SitePeopleTests.beacon(minors[item]!), regions: [item],
                    lastSeenAt: TestSite.start - .seconds(430))
            }
            seq = last + UInt64(items.count)
            var info = GatewayInfo(
                gateway: "hall", room: "Hall", version: "1", stamp: site.stamp(at: 0),
                radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 1)
            info.log = [LogRange(boot: Boot("17.kfqx")!, seqs: SeqRange(from: 1, to: seq))]
            site.isMute = true
            site.deliver(.gatewayInfo(gateway: "hall"), info.bytes)
            site.advance(to: 2)
            site.respond("hall", events)
            site.isMute = false
        }

        mutating func event(_ transition: Transition, _ item: String) {
            seq += 1
            let beacon = SitePeopleTests.beacon(minors[item]!)
            let event = BeaconEvent(
                transition, seq: seq, stamp: site.stamp(at: site.now), gateway: "hall", beacon: beacon,
                regions: [item])
            site.deliver(.beaconEvent(beacon, gateway: "hall"), event.bytes)
        }

        /// Time passes while the gateway ranges these.
        mutating func advance(by seconds: Double, _ present: [String]) {
            let end = site.now + seconds
            while site.now < end {
                if Int(site.now) % 10 == 0 {
                    site.heartbeat("hall", room: "Hall")
                    for item in present {
                        let state = RangedState(
                            gateway: "hall", proximity: .near, rssi: -60, sightings: 9, addresses: 1,
                            stamp: site.stamp(at: site.now), validFor: 60)
                        site.deliver(.proximity(SitePeopleTests.beacon(minors[item]!), gateway: "hall"), state.bytes)
                    }
                }
                site.advance(to: site.now + 1)
                for delivery in deliveries.dropFirst(delivered) {
                    site.pipeline.delivered(delivery.number, outcome, at: TestSite.moment(site.now))
                    delivered += 1
                }
            }
        }

        mutating func begin() {
            for item in minors.keys.sorted() { event(.enter, item) }
            advance(by: 20, Array(minors.keys))
        }

        mutating func depart(with taken: [String] = ["keys", "phone"], settling: Double = 60) {
            let left = minors.keys.filter { !taken.contains($0) }
            advance(by: 25, left)
            for item in taken { event(.exit, item) }
            advance(by: settling, left)
        }

        var person: PersonLocation? {
            site.published(on: .personLocation(person: "anna")).last.flatMap {
                try? PersonLocation(parsing: Array($0.utf8))
            }
        }
        var kinds: [String] { kinds(of: "violin") }
        func kinds(of item: String) -> [String] {
            site.published(on: .itemNotificationEvent(item: item)).compactMap {
                try? NotificationEvent(parsing: Array($0.utf8)).notification.kind.rawValue
            }
        }
        /// Another process continues with what this one has stored. Its clock begins again, or goes on after a pause.
        func restarted(_ toml: String = SitePeopleTests.toml(), after pause: Double? = nil) throws -> Home {
            var next = Home(
                toml, stored: try StoredSite(parsing: site.pipeline.stored.bytes), settling: pause == nil,
                at: pause.map { site.now + $0 } ?? 0)
            next.seq = seq
            return next
        }

        /// The problems of the next `info`.
        mutating func problems() throws -> [String] {
            advance(by: 40, Array(minors.keys))
            let info = try #require(site.published(on: .aggregatorInfo).last)
            return try AggregatorInfo(parsing: Array(info.utf8)).problems
        }

        /// What was handed to the person's channel.
        var deliveries: [Delivery] {
            site.outputs.compactMap { if case .perform(.deliver(let delivery)) = $0 { delivery } else { nil } }
        }
    }

    @Test func `a site without people publishes nothing of people and rooms`() {
        var home = Home(Self.toml(person: false, owners: false))
        home.begin()
        home.depart()
        let topics = home.site.outputs.compactMap { if case .publish(let message) = $0 { message.topic } else { nil } }
        #expect(
            !topics.contains {
                switch $0 {
                case .personLocation, .personEvent, .roomPeople, .roomItems: true
                default: false
                }
            })
        #expect(home.site.pipeline.stored.people == nil)
        #expect(home.site.pipeline.effects.located.isEmpty)
    }

    @Test func `a forgotten item is an event, a notification and a message, until its owner is back`() throws {
        var home = Home()
        home.begin()
        #expect(home.person?.presence == .home && home.person?.room == "Hall")
        home.depart()
        #expect(home.person?.presence == .away)
        #expect(home.site.published(on: .personEvent(person: "anna")).count == 1)
        let event = try #require(home.site.events.last { $0.item == "violin" })
        #expect(event.change == .forgotten(in: "Hall", by: ["anna"]))
        #expect(home.kinds == ["forgotten"])
        let delivery = try #require(home.deliveries.last)
        guard case .message(let message, _) = delivery.content else { return #expect(Bool(false), "\(delivery)") }
        #expect(message.person == "anna" && message.key == "forgotten" && message.items == ["violin"])
        for item in ["keys", "phone"] { home.event(.enter, item) }
        home.advance(by: 20, Array(Self.minors.keys))
        #expect(home.person?.presence == .home)
        #expect(home.site.published(on: .itemNotification(item: "violin")).last == "")
        #expect(home.deliveries.count == 2 && home.deliveries.last?.content == .nothing)
    }

    @Test func `left is silent when an owner went along, and is taken when none did`() {
        var home = Home()
        home.begin()
        home.depart(with: ["keys", "phone", "violin"])
        home.advance(by: 120, [])
        #expect(home.kinds == [])
        #expect(home.site.events.contains { $0.item == "violin" && $0.change.word == "left" })
        for item in Self.minors.keys.sorted() { home.event(.enter, item) }
        home.advance(by: 300, Array(Self.minors.keys))
        home.depart(with: ["violin"])
        home.advance(by: 60, ["keys", "phone"])
        #expect(home.kinds.first == "taken")
        #expect(home.site.events.last?.change == .taken(from: "Hall"))
    }

    @Test func `left of what somebody carries is silent when its carrier went along, and is notified when not`() {
        var home = Home()
        home.begin()
        for times in 1...2 {
            home.depart()
            home.advance(by: 300, ["violin"])
            #expect(home.kinds(of: "keys") + home.kinds(of: "phone") == [], "time \(times)")
            #expect(home.site.events.count { $0.change.word == "left" } == 2 * times)
            for item in ["keys", "phone"] { home.event(.enter, item) }
            home.advance(by: 600, Array(Self.minors.keys))
        }
        home.depart(with: ["keys"])
        home.advance(by: 60, ["phone", "violin"])
        #expect(home.kinds(of: "keys") == ["left"])
    }

    @Test func `left is silent if all left with a carrier of whom nothing was on the disk, each time`() throws {
        for _ in 1...2 {
            var home = Home()
            home.begin()
            var stored = try StoredSite(parsing: home.site.pipeline.stored.bytes)
            for index in stored.states.indices { stored.states[index].lastSeenAt = nil }
            stored.people = stored.people?.map {
                var person = $0
                (person.presence, person.present) = (.unknown, [])
                return person
            }
            let seq = home.seq
            home = Home(stored: stored, settling: false)
            home.missed(["keys", "phone"], after: seq)
            home.advance(by: 200, ["violin"])
            #expect(home.site.events.count { $0.change.word == "left" } == 2)
            #expect(home.kinds(of: "keys") + home.kinds(of: "phone") == [])
        }
    }

    @Test func `left of an item whose owner does not exist is notified`() {
        var home = Home(Self.toml(person: false))
        home.begin()
        home.depart(with: ["violin"])
        #expect(home.kinds == ["left"])
    }

    @Test func `the rooms of a site with people have their people and items`() throws {
        var home = Home()
        home.begin()
        func contents(_ topic: Topic) throws -> RoomContents {
            try RoomContents(parsing: Array(try #require(home.site.published(on: topic).last).utf8))
        }
        #expect(try contents(.roomPeople(room: "hall")).ids == ["anna"])
        #expect(try contents(.roomItems(room: "hall")).count == 3)
        home.depart()
        #expect(try contents(.roomPeople(room: "hall")).count == 0)
        #expect(try contents(.roomPeople(room: "hall")).emptySince != nil)
        #expect(try contents(.roomItems(room: "hall")).ids == ["violin"])
        #expect(try contents(.roomItems(room: "hall")).names == ["Violin"])
    }

    @Test func `a room is empty since before a restart, each time, and otherwise since its people are known`() throws {
        var home = Home()
        let topic = Topic.roomPeople(room: "hall")
        func contents() throws -> RoomContents {
            try RoomContents(parsing: Array(try #require(home.site.published(on: topic).last).utf8))
        }
        home.begin()
        home.depart()
        var since = try #require(try contents().emptySince)
        for _ in 1...2 {
            let former = try contents()
            home = Home(stored: home.site.pipeline.stored, retained: [Message(topic, former)], at: 400)
            home.advance(by: 60, ["violin"])
            #expect(try contents().emptySince == since)
        }
        home = Home(stored: home.site.pipeline.stored, at: 800)
        home.advance(by: 60, ["violin"])
        since = try #require(try contents().emptySince)
        #expect(since >= TestSite.start + .seconds(800))
        home.advance(by: 60, ["violin"])
        #expect(try contents().emptySince == since)
    }

    @Test func `what somebody clears of people and rooms is published again, each time, and what is gone is not`()
        throws
    {
        var home = Home()
        home.begin()
        let topics = [Topic.personLocation(person: "anna"), .roomPeople(room: "hall"), .roomItems(room: "hall")]
        for topic in topics + topics {
            home.site.forgetOutputs()
            for _ in 1...5 { home.site.deliver(topic, []) }
            home.advance(by: 12, Array(Self.minors.keys))
            // Two programs that clear each other's topics do not fight.
            #expect(home.site.published(on: topic).count { !$0.isEmpty } <= 2, "\(topic)")
            #expect(home.site.published(on: topic).last?.isEmpty == false, "\(topic)")
        }
        home.site.forgetOutputs()
        home.site.deliver(.personLocation(person: "ben"), [])
        home.site.deliver(.roomItems(room: "cellar"), [])
        home.advance(by: 5, [])
        #expect(home.site.published(on: .personLocation(person: "ben")).isEmpty)
        #expect(home.site.published(on: .roomItems(room: "cellar")).isEmpty)
    }

    @Test func `people who are known are published while a gateway that is down is waited for, after each start`()
        throws
    {
        var home = Home()
        home.begin()
        var stored = home.site.pipeline.stored
        for _ in 1...2 {
            var site = TestSite(Self.toml(), stored: stored)
            let person = try #require(site.published(on: .personLocation(person: "anna")).last)
            #expect(try PersonLocation(parsing: Array(person.utf8)).presence == .home)
            site.advance(to: 30)
            #expect(site.published(on: .personLocation(person: "anna")).allSatisfy { !$0.contains("unknown") })
            site.advance(to: 60)
            stored = site.pipeline.stored
            stored.people = home.site.pipeline.stored.people
        }
    }

    @Test func `people of whom nothing is known are published meanwhile, unless the broker has a location of them`()
        throws
    {
        let toml = Self.toml() + "[[person]]\nname = \"Ben\"\ncarries = [\"unicycle\"]\n"
        var home = Home(toml)
        home.begin()
        let ben = Topic.personLocation(person: "ben")
        let unknown = try PersonLocation(parsing: Array(try #require(home.site.published(on: ben).last).utf8))
        for _ in 1...2 {
            let site = TestSite(toml, stored: home.site.pipeline.stored)
            #expect(site.published(on: ben).last?.contains("unknown") == true)
            // Of a process that knew more, and whose state is lost.
            let known = PersonLocation(
                person: unknown.person, presence: .home, room: "Hall", since: TestSite.start, stamp: unknown.stamp)
            var next = TestSite(
                toml, stored: home.site.pipeline.stored, retained: [Message(ben, known)], settling: false)
            next.advance(to: 5)
            next.advance(to: 30)
            #expect(next.published(on: ben).isEmpty)
            next.advance(to: 90)
            #expect(next.published(on: ben).last?.contains("unknown") == true)
        }
    }

    @Test func `two rooms whose names make one id have their topics together, and are a problem`() throws {
        var home = Home()
        home.site.gateway("attic", room: "hall")
        home.begin()
        for _ in 1...2 {
            let shared = try home.problems().filter { $0.contains("share the topics rooms/hall") }
            #expect(shared.count == 1 && shared[0].contains("\"hall\"") && shared[0].contains("\"Hall\""))
        }
        let published = try #require(home.site.published(on: .roomPeople(room: "hall")).last)
        #expect(try RoomContents(parsing: Array(published.utf8)).ids == ["anna"])
    }

    @Test func `people are added, changed and removed by request, each twice`() throws {
        var home = Home(Self.toml(person: false))
        home.begin()
        for _ in 0..<2 {
            #expect(
                home.site.ask("people/add", #"{"name":"Anna","carries":["Keys"]}"#).contains(#""carries":["keys"]"#))
            #expect(home.site.ask("people/add", #"{"name":"Anna"}"#).contains("There is a person"))
            #expect(home.site.ask("people/add", #"{"name":"An\u200bna"}"#).contains("There is a person"))
            #expect(home.site.ask("people/add", #"{"name":"Ben","carries":["nothing"]}"#).contains("no item"))
            let empty = home.site.ask("people/edit", #"{"id":"anna"}"#)
            #expect(empty.contains(#"give \"new_name\" or \"carries\""#) && !empty.contains("missing"), "\(empty)")
            home.advance(by: 3, Array(Self.minors.keys))
            #expect(home.person?.presence == .home)
            for _ in 0..<2 {
                let response = home.site.ask("people/edit", #"{"id":"anna","carries":["keys","phone"]}"#)
                #expect(response.contains(#""carries":["keys","phone"]"#))
            }
            home.advance(by: 3, Array(Self.minors.keys))
            #expect(home.site.ask("people/remove", #"{"name":"Anna"}"#).contains(#""ok":true"#))
            #expect(home.site.ask("people/remove", #"{"name":"Anna"}"#).contains("no person"))
            home.advance(by: 3, Array(Self.minors.keys))
            #expect(home.site.published(on: .personLocation(person: "anna")).last == "")
            #expect(home.site.published(on: .roomPeople(room: "hall")).last == "")
            #expect(home.site.published(on: .roomItems(room: "hall")).last == "")
        }
    }

    @Test func `a person of the configuration is not changed by request`() {
        var home = Home()
        home.begin()
        #expect(home.site.ask("people/remove", #"{"id":"anna"}"#).contains("test.toml:1"))
        #expect(home.site.ask("people/edit", #"{"id":"anna","new_name":"A"}"#).contains("test.toml:1"))
    }

    @Test func `what happens to a person is written at once, each time, so that no kill repeats it`() {
        var home = Home()
        home.begin()
        for _ in 1...2 {
            home.site.forgetOutputs()
            home.depart()
            let stores = home.site.outputs.filter { if case .storeSiteNow = $0 { true } else { false } }
            #expect(!stores.isEmpty && home.person?.presence == .away)
            for item in ["keys", "phone"] { home.event(.enter, item) }
            home.advance(by: 200, Array(Self.minors.keys))
        }
    }

    @Test func `people come back from the broker if nothing is stored, and not once they were removed`() throws {
        var former = Home(Self.toml(person: false))
        _ = former.site.ask("people/add", #"{"name":"Anna","carries":["keys","phone"]}"#)
        former.begin()
        let topic = Topic.personLocation(person: "anna")
        for _ in 1...2 {
            let published = try #require(former.site.published(on: topic).last)
            let retained = Message(topic, try PersonLocation(parsing: Array(published.utf8)))
            var home = Home(Self.toml(person: false), retained: [retained])
            home.begin()
            #expect(home.person?.person == Person(id: "anna", name: "Anna", carries: ["keys", "phone"]))
            #expect(home.person?.presence == .home)
            // A process that stored the site before it reached the broker has lost nobody.
            var late = Home(
                Self.toml(person: false),
                stored: try StoredSite(parsing: Home(Self.toml(person: false)).site.pipeline.stored.bytes),
                retained: [retained])
            late.begin()
            #expect(late.person?.person.name == "Anna")
            // With what is stored, the broker's people are another process's.
            _ = home.site.ask("people/remove", #"{"name":"Anna"}"#)
            var next = Home(
                Self.toml(person: false), stored: try StoredSite(parsing: home.site.pipeline.stored.bytes),
                retained: [retained])
            next.begin()
            #expect(next.site.published(on: topic) == [""])
        }
    }

    @Test func `people survive a restart without an event, and so do their departures`() throws {
        var home = Home(Self.toml(person: false))
        home.begin()
        _ = home.site.ask("people/add", #"{"name":"Anna","carries":["keys","phone"]}"#)
        home.advance(by: 20, Array(Self.minors.keys))
        home.depart()
        #expect(home.kinds == ["forgotten"])
        let stored = try StoredSite(parsing: home.site.pipeline.stored.bytes)
        #expect(stored.people?.first?.presence == .away)
        var next = Home(Self.toml(person: false), stored: stored)
        next.seq = home.seq
        next.advance(by: 30, [])
        #expect(next.person?.presence == .away)
        #expect(next.site.published(on: .personEvent(person: "anna")).isEmpty)
        #expect(next.site.ask("people/add", #"{"name":"Anna"}"#).contains("There is a person"))
        // What Anna forgot is over when she is back, though another process notified her.
        for item in ["keys", "phone"] { next.event(.enter, item) }
        next.advance(by: 20, Array(Self.minors.keys))
        #expect(next.person?.presence == .home)
        #expect(next.site.published(on: .itemNotification(item: "violin")).last == "")
        #expect(next.deliveries.last?.content == .nothing)
    }

    @Test func `what a departure leaves behind is decided once, although the aggregator is killed before it, twice`()
        throws
    {
        var home = Home()
        home.begin()
        for item in ["keys", "phone"] { home.event(.exit, item) }
        home.advance(by: 5, ["violin"])
        #expect(home.person?.presence == .away)
        for times in 1...2 {
            #expect(home.kinds == [], "time \(times)")
            let (seq, stored) = (home.seq, try StoredSite(parsing: home.site.pipeline.stored.bytes))
            home = Home(stored: stored)
            home.seq = seq
            home.advance(by: 5, ["violin"])
        }
        home.advance(by: 60, ["violin"])
        #expect(home.kinds == ["forgotten"])
        #expect(home.deliveries.count == 1)
        for _ in 1...2 {
            home = Home(stored: try StoredSite(parsing: home.site.pipeline.stored.bytes))
            home.advance(by: 90, ["violin"])
            #expect(home.kinds == [] && home.deliveries == [])
        }
    }

    @Test func `an alarm whose event was published before a kill is not raised again, and its message is sent, twice`()
        throws
    {
        var home = Home()
        home.begin()
        home.depart(settling: 2)
        let stored = try StoredSite(parsing: home.site.pipeline.stored.bytes)
        home.advance(by: 40, ["violin"])
        let published = home.site.events.filter { $0.item == "violin" }
        #expect(published.count == 1)
        for times in 1...2 {
            var next = Home(stored: stored)
            next.site.pipeline.recall(published)
            next.seq = home.seq
            next.advance(by: 60, ["violin"])
            #expect(next.site.events.isEmpty && next.kinds == ["forgotten"], "time \(times)")
            #expect(next.deliveries.count == 1)
        }
    }

    @Test func `a configured person that is gone is cleared with the next start`() throws {
        var home = Home()
        home.begin()
        let stored = try StoredSite(parsing: home.site.pipeline.stored.bytes)
        var next = Home(Self.toml(person: false, owners: false), stored: stored)
        next.begin()
        #expect(next.site.published(on: .personLocation(person: "anna")) == [""])
        #expect(next.site.pipeline.stored.people == nil)
    }

    @Test func `words that name no item and no person are problems`() throws {
        var home = Home(
            Self.toml(person: false).replacing("needed", with: "not_alone_in = [\"Garden\"]\nneeded")
                + "[[person]]\nname = \"Ben\"\ncarries = [\"unicycle\"]\n")
        home.begin()
        for _ in 1...2 {
            let found = try home.problems()
            #expect(found.contains { $0.contains("unicycle") })
            #expect(found.contains { $0.contains("Violin belongs to \"Anna\"") })
            #expect(found.contains { $0.contains("Violin must not be alone in \"Garden\", which is no room") })
            #expect(
                found.contains {
                    $0.hasPrefix(
                        "The [[channel]] ntfy at https://ntfy.example (anna.topic) is of \"anna\", who is no person: ")
                })
            _ = home.site.ask("people/add", #"{"name":"Anna"}"#)
            #expect(try !home.problems().contains { $0.contains("[[channel]]") || $0.contains("belongs to") })
            _ = home.site.ask("people/remove", #"{"name":"Anna"}"#)
        }
    }

    @Test func `a person and the rooms are devices of Home Assistant, and are removed before their topics, twice`() {
        var home = Home(Self.toml(person: false))
        home.begin()
        func devices(_ word: String) -> [String] {
            home.site.outputs.compactMap {
                guard case .publishElsewhere(let message) = $0, message.topic.contains(word) else { return nil }
                return message.payload.isEmpty ? "cleared" : "announced"
            }
        }
        for times in 1...2 {
            home.site.forgetOutputs()
            _ = home.site.ask("people/add", #"{"name":"Anna","carries":["keys"]}"#)
            home.advance(by: 5, Array(Self.minors.keys))
            #expect(devices("forgetmenot_person_anna").contains("announced"), "time \(times)")
            #expect(devices("forgetmenot_room_hall").contains("announced"), "time \(times)")
            home.site.forgetOutputs()
            _ = home.site.ask("people/remove", #"{"name":"Anna"}"#)
            home.advance(by: 15, Array(Self.minors.keys))
            #expect(devices("forgetmenot_person_anna").last == "cleared", "time \(times)")
            #expect(devices("forgetmenot_room_hall").last == "cleared", "time \(times)")
        }
    }
}
