import Beacons
import Channels
import Messages
import People
import Settings
import Testing

@testable import SiteCore

/// People after a restart, a reconnect, and a change of the configuration, each twice.
struct PeopleAgainTests {
    private typealias Home = SitePeopleTests.Home
    private static let all = Array(SitePeopleTests.minors.keys)

    private func configuration(_ toml: String) -> AggregatorConfiguration {
        let reading = readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        precondition(reading.problems.isEmpty, "\(reading.problems)")
        return reading.configuration!
    }

    private func reload(_ home: inout Home, _ toml: String) {
        _ = home.site.pipeline.reload(configuration(toml), at: home.site.moment)
        home.advance(by: 2, Self.all)
    }

    // MARK: What the broker retains

    @Test func `people are published again after each connect, also one of whom nothing is known`() {
        var home = Home(SitePeopleTests.toml() + "[[person]]\nname = \"Ben\"\ncarries = [\"unicycle\"]\n")
        home.begin()
        for _ in 1...2 {
            for person in ["anna", "ben"] {
                #expect(!home.site.published(on: .personLocation(person: person)).isEmpty, "\(person)")
            }
            home.site.forgetOutputs()
            home.site.reconnect(after: 5)
            home.advance(by: 10, Self.all)
            #expect(!home.site.published(on: .roomPeople(room: "hall")).isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `what another process has left of people and rooms is cleared, and nothing else`(hasPeople: Bool) {
        let topics: [Topic] = [
            .personLocation(person: "anna"), .personLocation(person: "zoe"), .roomPeople(room: "hall"),
            .roomItems(room: "hall"), .roomPeople(room: "attic"), .roomItems(room: "attic"),
        ]
        let own: Set<Topic> =
            hasPeople ? [.personLocation(person: "anna"), .roomPeople(room: "hall"), .roomItems(room: "hall")] : []
        let retained = topics.map { Message($0, bytes: Array(#"{"v":1}"#.utf8)) }
        var home = Home(SitePeopleTests.toml(person: hasPeople, owners: false), retained: retained)
        home.begin()
        for times in 1...2 {
            for topic in topics {
                let cleared = home.site.published(on: topic).filter { $0 == "" }
                #expect(cleared.count == (own.contains(topic) ? 0 : 1), "\(topic), time \(times)")
            }
            home.site.forgetOutputs()
            home.site.reconnect(after: 5)
            for message in retained { home.site.deliver(message.topic, message.payload, retained: true) }
            home.advance(by: 10, Self.all)
        }
    }

    // MARK: Restart

    @Test func `nobody is notified of what left with its owner while the aggregator was not running`() throws {
        for person in [true, false] {
            var home = Home(SitePeopleTests.toml(person: person))
            if !person { _ = home.site.ask("people/add", #"{"name":"Anna","carries":["keys","phone"]}"#) }
            home.begin()
            for times in 1...2 {
                var stored = try StoredSite(parsing: home.site.pipeline.stored.bytes)
                for index in stored.states.indices { stored.states[index].lastSeenAt = TestSite.start - .seconds(430) }
                let seq = home.seq
                var next = Home(SitePeopleTests.toml(person: person), stored: stored, settling: false)
                next.missed(Self.all, after: seq)
                next.advance(by: 200, [])
                #expect(next.site.story.count { $0.hasPrefix("left") } == 3)
                #expect(Self.all.flatMap { next.kinds(of: $0) } == [], "time \(times), configured: \(person)")
                for item in Self.all { next.event(.enter, item) }
                next.advance(by: 600, Self.all)
                home = next
            }
        }
    }

    @Test func `an item that is received after the clock was set back was received then`() throws {
        var record = ItemRecord(
            RegistryItem(id: "keys", name: "Keys", beacon: SitePeopleTests.beacon(1)), error: nil)
        let noon = TestSite.start
        for (time, seen) in [(0.0, 0.0), (10, 10), (-3600, -3600), (-3590, -3590), (-7200, -7200)] {
            record.see(at: noon + .seconds(time), now: noon + .seconds(time))
            #expect(record.lastSeenAt == noon + .seconds(seen))
        }
        // What arrives late is older.
        record.see(at: noon - .seconds(7300), now: noon - .seconds(7100))
        #expect(record.lastSeenAt == noon - .seconds(7200))
    }

    @Test func `an acknowledged alarm is not raised again by a restart`() throws {
        let toml = SitePeopleTests.toml().replacing("needed = \"always\"", with: "not_alone_in = [\"Hall\"]")
        var home = Home(toml)
        home.begin()
        home.depart()
        home.advance(by: 310, ["violin"])
        #expect(home.kinds.first == "alone")
        #expect(home.site.ask("items/acknowledge", #"{"id":"violin"}"#).contains(#""ok":true"#))
        for _ in 1...2 {
            home = try home.restarted(toml)
            home.advance(by: 700, ["violin"])
            #expect(home.kinds == [])
        }
        // Another time it is.
        for item in ["keys", "phone"] { home.event(.enter, item) }
        home.advance(by: 600, Self.all)
        home.depart()
        home.advance(by: 310, ["violin"])
        #expect(home.kinds.first == "alone")
        home = try home.restarted(toml)
        for item in ["keys", "phone"] { home.event(.enter, item) }
        home.advance(by: 60, Self.all)
        #expect(home.site.published(on: .itemNotification(item: "violin")).last == "")
    }

    @Test func `what was learned of items survives restarts and reloads, though the configuration has their names`()
        throws
    {
        let toml = SitePeopleTests.toml().replacing("[\"keys\", \"phone\"]", with: "[\"Keys\", \"Phone\"]")
        var home = Home(toml)
        home.begin()
        var stored = try StoredSite(parsing: home.site.pipeline.stored.bytes)
        stored.people![0].habits = ["keys": Habit(together: 12), "phone": Habit(together: 3, stayed: 8)]
        func learned(_ home: Home) -> [String: [Double]]? {
            home.site.pipeline.stored.people?.first?.habits.mapValues { [$0.together, $0.stayed] }
        }
        for _ in 1...2 {
            home = Home(toml, stored: stored)
            for _ in 1...2 {
                #expect(learned(home) == ["keys": [12, 0], "phone": [3, 8]])
                reload(&home, toml)
            }
            stored = try StoredSite(parsing: home.site.pipeline.stored.bytes)
        }
    }

    // MARK: Removed and exchanged

    @Test func `the rooms beside a room are known to whoever is added after the last person was removed`() {
        let rooms = """
            [[room]]
            name = "Hall"
            [[room]]
            name = "Garden"
            [[door]]
            between = ["Hall", "Garden"]

            """
        var home = Home(rooms + SitePeopleTests.toml(person: false))
        home.begin()
        for _ in 1...2 {
            _ = home.site.ask("people/add", #"{"name":"Anna","carries":["keys"]}"#)
            home.advance(by: 3, Self.all)
            #expect(home.site.pipeline.people.household.neighbours["Garden"] == ["Hall"])
            _ = home.site.ask("people/remove", #"{"name":"Anna"}"#)
            home.advance(by: 3, Self.all)
        }
    }

    @Test func `a message is withdrawn when its item gets another tag`() {
        var home = Home()
        home.begin()
        for minor in [UInt16(8), 9] {
            home.depart()
            #expect(home.deliveries.last?.content != .nothing)
            reload(&home, SitePeopleTests.toml().replacing("minor = 3", with: "minor = \(minor)"))
            #expect(home.deliveries.last?.content == .nothing)
            reload(&home, SitePeopleTests.toml())
            for item in ["keys", "phone", "violin"] { home.event(.enter, item) }
            home.advance(by: 600, Self.all)
        }
    }

    @Test func `a message is withdrawn when its item is removed and added again at once`() {
        let violin =
            #"{"name":"Violin","uuid":"\#(TestSite.bag.uuid)","major":7,"minor":3,"owners":["anna"],"needed":"always"}"#
        var home = Home(
            SitePeopleTests.toml().replacing("name = \"Violin\"", with: "name = \"Viola\"").replacing(
                "minor = 3", with: "minor = 30"))
        _ = home.site.ask("items/add", violin)
        home.begin()
        for _ in 1...2 {
            home.depart()
            #expect(home.deliveries.last?.content != .nothing)
            #expect(home.site.ask("items/remove", #"{"id":"violin"}"#).contains(#""ok":true"#))
            #expect(home.site.ask("items/add", violin).contains(#""ok":true"#))
            home.advance(by: 2, ["violin"])
            #expect(home.deliveries.last?.content == .nothing)
            for item in ["keys", "phone", "violin"] { home.event(.enter, item) }
            home.advance(by: 600, Self.all)
        }
    }

    @Test func `a message that a removed person did not get is no problem any more`() throws {
        var home = Home()
        home.begin()
        for times in 1...2 {
            _ = home.site.ask("people/add", #"{"name":"Ben"}"#)
            let message = PersonalMessage(
                person: "ben", key: "forgotten", title: "Forgotten: \(times)", text: "x", items: ["violin"],
                at: home.site.moment.wall)
            home.site.pipeline.effects.messages.append(.send(message))
            #expect(try home.problems().contains { $0.contains("Messages to ben") })
            _ = home.site.ask("people/remove", #"{"name":"Ben"}"#)
            #expect(try !home.problems().contains { $0.contains("Messages to ben") })
        }
    }

    @Test(arguments: [true, false])
    func `the alarm of an item ends when the last person is removed, each time`(isConfigured: Bool) {
        var home = Home(SitePeopleTests.toml(person: isConfigured))
        for times in 1...2 {
            if isConfigured {
                reload(&home, SitePeopleTests.toml())
            } else {
                _ = home.site.ask("people/add", #"{"name":"Anna","carries":["keys","phone"]}"#)
            }
            for item in Self.all { home.event(.enter, item) }
            home.advance(by: 600, Self.all)
            home.depart()
            #expect(home.kinds.last == "forgotten")
            #expect(home.site.published(on: .itemNotification(item: "violin")).last != "")
            if isConfigured {
                reload(&home, SitePeopleTests.toml(person: false))
            } else {
                _ = home.site.ask("people/remove", #"{"name":"Anna"}"#)
            }
            #expect(home.site.published(on: .itemNotification(item: "violin")).last == "", "time \(times)")
            let violin = home.site.pipeline.stored.states.first { $0.id == "violin" }
            #expect(violin?.alarm == nil && violin?.notification == nil)
            let count = home.kinds.count
            home.advance(by: 900, ["violin"])
            #expect(home.kinds.count == count)
        }
    }

    @Test(arguments: ["item", "former item", "tag", "person"])
    func `a message is withdrawn at the start after which its item, its tag or its person is gone, and once`(
        gone: String
    ) throws {
        let other =
            switch gone {
            case "item", "former item":
                SitePeopleTests.toml().replacing("\"Violin\"", with: "\"Viola\"").replacing(
                    "minor = 3", with: "minor = 30")
            case "tag": SitePeopleTests.toml().replacing("minor = 3", with: "minor = 30")
            default: SitePeopleTests.toml(person: false)
            }
        var home = Home()
        home.begin()
        home.depart()
        #expect(home.deliveries.last.map { $0.content != .nothing } == true)
        for count in [1, 0] {
            var stored = try StoredSite(parsing: home.site.pipeline.stored.bytes)
            if gone == "former item" { stored.items.removeAll { $0.id == "violin" } }
            home = Home(other, stored: stored)
            home.advance(by: 60, [])
            #expect(home.deliveries.map(\.content) == Array(repeating: .nothing, count: count))
        }
    }

    @Test
    func `a person of the configuration is published with a reload, and so is another name, of whom nothing is known`()
    {
        var home = Home()
        home.begin()
        for name in ["Gus", "Gustav"] {
            reload(
                &home,
                SitePeopleTests.toml() + "[[person]]\nid = \"gus\"\nname = \"\(name)\"\ncarries = [\"sack\"]\n")
            let gus = home.site.published(on: .personLocation(person: "gus")).last ?? ""
            #expect(gus.contains("\"name\":\"\(name)\"") && gus.contains("unknown"), "\(gus)")
        }
    }

    // MARK: Owners

    @Test func `info has what a person carries that is no item with the request that renames the item, each time`()
        throws
    {
        var home = Home(SitePeopleTests.toml() + "[[person]]\nname = \"Bert\"\ncarries = [\"Wallet\"]\n")
        let wallet = #"{"name":"Wallet","uuid":"\#(TestSite.bag.uuid)","major":7,"minor":30}"#
        #expect(home.site.ask("items/add", wallet).contains(#""ok":true"#))
        home.begin()
        for _ in 1...2 {
            for (name, count) in [("Purse", 1), ("Wallet", 0)] {
                _ = home.site.ask("items/rename", #"{"id":"wallet","new_name":"\#(name)"}"#)
                let info = try #require(home.site.published(on: .aggregatorInfo).last)
                let problems = try AggregatorInfo(parsing: Array(info.utf8)).problems
                #expect(problems.count { $0.contains("Bert carries") } == count, "\(problems)")
            }
        }
    }

    @Test func `an item stays its owner's when the owner is renamed`() throws {
        var home = Home(SitePeopleTests.toml(person: false, owners: false))
        let cello = #""name":"Cello","uuid":"\#(TestSite.bag.uuid)","major":7,"minor":30"#
        _ = home.site.ask("people/add", #"{"name":"Anna"}"#)
        #expect(home.site.ask("items/add", "{\(cello),\"owners\":[\"Anna\"]}").contains(#""owners":["anna"]"#))
        for name in ["Anneliese", "Annika"] {
            _ = home.site.ask("people/edit", #"{"id":"anna","new_name":"\#(name)"}"#)
            #expect(try !home.problems().contains { $0.contains("Cello belongs to") })
            let response = home.site.ask("items/edit", #"{"id":"cello","owners":["\#(name)"]}"#)
            #expect(response.contains(#""owners":["anna"]"#))
        }
    }

    @Test func `a room that the site does not have is refused by request, and what a removed room has left stays`() {
        var home = Home(SitePeopleTests.toml(person: false, owners: false))
        let cello =
            #""name":"Cello","uuid":"\#(TestSite.bag.uuid)","major":7,"minor":30,"owners":["Anna"],"not_alone_in":"#
        _ = home.site.ask("people/add", #"{"name":"Anna"}"#)
        home.begin()
        let unknown = #"There is no room \"Hal\": did you mean \"Hall\"?"#
        for _ in 1...2 {
            #expect(home.site.ask("items/add", "{\(cello)[\"Hall\",\"Hal\"]}").contains(unknown))
        }
        #expect(home.site.ask("items/add", "{\(cello)[\"Hall\"]}").contains(#""ok":true"#))
        for _ in 1...2 {
            let refused = home.site.ask("items/edit", #"{"id":"cello","not_alone_in":["Hal"]}"#)
            #expect(refused.contains(unknown))
        }
        // A file may come before its gateways.
        let lute = cello.replacing("Cello", with: "Lute").replacing("30", with: "31")
        #expect(home.site.ask("items/import", "{\"items\":[{\(lute)[\"Attic\"]}]}").contains(#""added":1"#))
        for _ in 1...2 {
            let edited = home.site.ask("items/edit", #"{"id":"lute","needed":"always"}"#)
            #expect(edited.contains(#""not_alone_in":["Attic"]"#))
        }
    }

    @Test func `an owner who is no person is refused by request, and whoever is left stays changeable`() {
        var home = Home(SitePeopleTests.toml(person: false, owners: false))
        let cello = #""name":"Cello","uuid":"\#(TestSite.bag.uuid)","major":7,"minor":30"#
        _ = home.site.ask("people/add", #"{"name":"Anna"}"#)
        for _ in 1...2 {
            #expect(
                home.site.ask("items/add", "{\(cello),\"owners\":[\"Ana\"]}").contains(
                    #"There is no person \"Ana\": did you mean \"Anna\"?"#))
        }
        // A file may come before its people.
        #expect(home.site.ask("items/import", "{\"items\":[{\(cello),\"owners\":[\"Ben\"]}]}").contains(#""added":1"#))
        for _ in 1...2 {
            #expect(
                home.site.ask("items/edit", #"{"id":"cello","owners":["Carlo"]}"#).contains(
                    #"There is no person \"Carlo\"."#))
            #expect(home.site.ask("items/edit", #"{"id":"cello","needed":"always"}"#).contains(#""owners":["Ben"]"#))
        }
        #expect(!home.site.ask("items/edit", #"{"id":"cello","owners":null,"needed":null}"#).contains("owners"))
        // Only owners are notified of these.
        let lute = cello.replacing("Cello", with: "Lute").replacing("30", with: "31")
        for (key, value) in [("needed", "\"always\""), ("not_alone_in", "[\"Hall\"]")] {
            for _ in 1...2 {
                #expect(home.site.ask("items/add", "{\(lute),\"\(key)\":\(value)}").contains("name the owners as well"))
                #expect(
                    home.site.ask("items/edit", "{\"id\":\"cello\",\"\(key)\":\(value)}").contains(
                        "name the owners as well"))
            }
        }
        #expect(home.site.ask("items/add", "{\(lute),\"needed\":\"always\",\"owners\":[\"Anna\"]}").contains("lute"))
    }

    /// Anna has keys and phone in the room of a gateway.
    private func carry(_ home: inout SitePeopleTests.Home, to room: String, for seconds: Int) {
        for second in 0..<seconds {
            for id in ["hall", "kitchen"] {
                if second % 20 == 0 { home.site.heartbeat(id, room: id == "hall" ? "Hall" : "Kitchen") }
                for item in ["keys", "phone"] {
                    let state = RangedState(
                        gateway: id, proximity: .near, rssi: (id == room ? -50 : -85) + Double(second % 3),
                        sightings: 9, addresses: 1, stamp: home.site.stamp(at: home.site.now), validFor: 25)
                    let beacon = SitePeopleTests.beacon(SitePeopleTests.minors[item]!)
                    home.site.deliver(.proximity(beacon, gateway: id), state.bytes)
                }
            }
            home.site.advance(to: home.site.now + 1)
        }
    }

    @Test func `a person moves with an event of what shows the room, and not when that room is corrected, each time`() {
        var home = SitePeopleTests.Home()
        home.site.gateway("kitchen", room: "Kitchen")
        home.begin()
        carry(&home, to: "hall", for: 60)
        var moves: [PersonEvent.Change] = []
        func events() -> [PersonEvent.Change] {
            home.site.published(on: .personEvent(person: "anna")).compactMap {
                try? PersonEvent(parsing: Array($0.utf8)).change
            }
        }
        for (from, to) in [("Hall", "Kitchen"), ("Kitchen", "Hall")] {
            for item in ["keys", "phone"] { home.site.pipeline.reports.items.table[item]?.reported.guess(to) }
            home.site.advance(to: home.site.now + 1)
            carry(&home, to: from.lowercased(), for: 30)
            #expect(home.person?.room == from && home.site.story.count == 2 * moves.count)
            #expect(events() == moves)
            carry(&home, to: to.lowercased(), for: 60)
            moves.append(.moved(from: from, to: to))
            #expect(home.person?.room == to && home.site.story.count == 2 * moves.count, "\(home.site.story)")
            #expect(events() == moves)
        }
    }
}
