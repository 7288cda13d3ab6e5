import Beacons
import Channels
import Messages
import Settings
import Testing

@testable import SiteCore

/// Messages to persons, from the decision in the pipeline to the disk and the deliveries.
struct PersonalMessageTests {
    private static let toml = """
        [[channel]]
        person = "anna"
        kind = "ntfy"
        url = "https://ntfy.example"
        topic_file = "anna.topic"
        [[item]]
        name = "Keys"
        uuid = "\(DrivenSite.uuid)"
        major = 100
        minor = 1
        """
    private static let message = PersonalMessage(
        person: "anna", key: "forgotten", title: "Forgotten: Keys", text: "You left without your keys.",
        items: ["keys"],
        at: TestSite.start)

    private func site(_ toml: String = toml, after former: DrivenSite? = nil) throws -> DrivenSite {
        try DrivenSite(toml, boot: former == nil ? "3.aggr" : "4.aggr", files: former?.disk.files ?? [:])
    }

    private func send(_ site: inout DrivenSite) {
        site.driver.pipeline.effects.messages.append(.send(Self.message))
        site.advance(to: site.now + 1)
    }

    @Test func `a message is on the disk before it is sent, and a kill between the two neither loses nor doubles it`()
        throws
    {
        var site = try site()
        send(&site)
        #expect(site.deliveries.count == 1)
        let (delivery, files) = try #require(site.deliveries.first)
        #expect(
            String(decoding: files["site.json"]! + (files["site.log"] ?? []), as: UTF8.self).contains("Forgotten: Keys")
        )

        // Twice in a row.
        for _ in 0..<2 {
            site = try self.site(after: site)
            site.advance(to: site.now + 15)
            #expect(site.deliveries.map(\.delivery.content) == [delivery.content])
            #expect(site.deliveries.map(\.delivery.tag) == [delivery.tag])
        }
        let last = try #require(site.deliveries.first).delivery
        site.handle(.delivered(last.number, .taken))
        site = try self.site(after: site)
        // Whoever decided it hands it over again.
        send(&site)
        #expect(site.deliveries.isEmpty)
    }

    @Test func `a reload adds and removes channels, which the messages that are under way follow, twice`() throws {
        func configuration(_ toml: String) -> AggregatorConfiguration {
            readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }.configuration!
        }
        var site = try site()
        send(&site)
        site.handle(.delivered(site.deliveries[0].delivery.number, .taken))
        let more = "[[channel]]\nperson = \"anna\"\nkind = \"command\"\ncommand = [\"tell\"]\n"
        for round in 1...2 {
            let now = site.driver.pipeline.effects.now
            #expect(site.driver.pipeline.reload(configuration(more + Self.toml), at: now).isEmpty)
            site.advance(to: site.now + 1)
            #expect(
                site.deliveries.map(\.delivery.channel.name).last == "command tell"
                    && site.deliveries.count == round + 1)
            #expect(site.driver.pipeline.reload(configuration(Self.toml), at: now).isEmpty)
            site.advance(to: site.now + 1)
        }
        #expect(site.deliveries.count == 3)
    }

    @Test func `an acknowledgement with the token acknowledges the items, and is stored`() throws {
        var site = try site()
        send(&site)
        guard case .message(_, let token) = site.deliveries[0].delivery.content else { return }
        site.handle(.delivered(site.deliveries[0].delivery.number, .taken))
        site.ask("people/acknowledge", #"{"token":"\#(token)"}"#)
        #expect(site.responses == [#"{"v":1,"ok":true}"#])
        #expect(site.deliveries.map(\.delivery.content).last == .nothing)
        site.ask("people/acknowledge", #"{"token":"\#(token)"}"#)
        #expect(site.responses.last?.contains("There is no message to acknowledge") == true)
        site.handle(.delivered(site.deliveries[1].delivery.number, .taken))
        site = try self.site(after: site)
        send(&site)
        #expect(site.deliveries.isEmpty)
    }

    @Test func `an item that is acknowledged by command withdraws its message`() throws {
        var site = try site()
        send(&site)
        site.handle(.delivered(site.deliveries[0].delivery.number, .taken))
        site.ask("items/acknowledge", #"{"id":"keys"}"#)
        #expect(site.deliveries.map(\.delivery.content).last == .nothing)
    }

    // MARK: Alarms

    private typealias Home = SitePeopleTests.Home
    private static let all = Array(SitePeopleTests.minors.keys)
    private static let alarms =
        SitePeopleTests.toml() + "[item.notify]\nrepeat = \"1m\"\nuntil = \"2m\"\n"

    private func message(_ delivery: Delivery?) -> (message: PersonalMessage, token: String)? {
        if case .message(let message, let token)? = delivery?.content { (message, token) } else { nil }
    }

    @Test(arguments: [false, true])
    func `at the end of an alarm its message stays on the phone until it is no longer true, each time`(
        isRestarted: Bool
    ) throws {
        var home = Home(Self.alarms)
        home.begin()
        for time in 1...2 {
            home.depart()
            home.advance(by: 300, ["violin"])
            let topic = Topic.itemNotification(item: "violin")
            #expect(home.site.published(on: topic).last == "" && home.kinds.allSatisfy { $0 == "forgotten" })
            #expect(message(home.deliveries.last)?.message.key == "forgotten", "time \(time)")
            if isRestarted {
                home = try home.restarted(Self.alarms)
                // The new process begins with a clock of before the end of the alarm, which is over for all that.
                home.advance(by: 300, ["violin"])
                #expect(home.site.published(on: topic).allSatisfy { $0 == "" })
                #expect(home.deliveries.allSatisfy { $0.content != .nothing })
            }
            for item in ["keys", "phone"] { home.event(.enter, item) }
            home.advance(by: 600, Self.all)
            #expect(home.deliveries.last?.content == .nothing, "time \(time)")
        }
    }

    /// What happened while the aggregator was down, and what it finds.
    enum Downtime: CaseIterable { case ownerReturned, nothing, brokerIsDown }

    @Test(arguments: Downtime.allCases)
    func `a message that is undelivered at a restart waits until it is known whether it is true, each time`(
        downtime: Downtime
    ) throws {
        var home = Home()
        home.begin()
        for time in 1...2 {
            home.outcome = .refused("HTTP status 500")
            home.depart()
            #expect(message(home.deliveries.last)?.message.key == "forgotten", "time \(time)")
            home = try home.restarted(after: 20)
            let start = home.site.now
            home.advance(by: 2, [])
            #expect(home.deliveries == [], "time \(time)")
            if downtime == .brokerIsDown {
                home.site.pipeline.disconnected(at: TestSite.moment(home.site.now))
                home.site.advance(to: start + 58)
                #expect(home.deliveries == [], "time \(time)")
                home.site.advance(to: start + 62)
                #expect(message(home.deliveries.last)?.message.key == "forgotten", "time \(time)")
                continue
            }
            if downtime == .ownerReturned { for item in ["keys", "phone"] { home.event(.enter, item) } }
            home.advance(by: 58, downtime == .ownerReturned ? Self.all : ["violin"])
            let sent = home.deliveries.compactMap { message($0)?.message.key }
            #expect(
                sent.isEmpty == (downtime == .ownerReturned),
                "time \(time)")
            guard downtime == .nothing else { continue }
            home.outcome = .taken
            for item in ["keys", "phone"] { home.event(.enter, item) }
            home.advance(by: 600, Self.all)
        }
    }

    @Test func `a message that is shown after the end of its alarm is acknowledged by its item as well, each time`() {
        var home = Home(Self.alarms)
        home.begin()
        for time in 1...2 {
            home.depart()
            home.advance(by: 300, ["violin"])
            for isOpen in [true, false] {
                let response = home.site.ask("items/acknowledge", #"{"id":"violin"}"#)
                #expect(response.contains(isOpen ? #""ok":true"# : "nothing to acknowledge"), "time \(time)")
                home.advance(by: 5, ["violin"])
                #expect(home.deliveries.last?.content == .nothing)
            }
            for item in ["keys", "phone"] { home.event(.enter, item) }
            home.advance(by: 600, Self.all)
        }
    }

    @Test(arguments: [Notification.Kind.low, .forgotten])
    func `an acknowledgement ends the notification that its message is about, and no other of the item, each time`(
        kind: Notification.Kind
    ) throws {
        var home = Home()
        home.begin()
        for time in 1...2 {
            home.depart()
            for percent: UInt8 in [90, 5] {
                home.advance(by: 5, [])
                let state = RangedState(
                    gateway: "hall", proximity: .near, rssi: -60, sightings: 9, addresses: 1,
                    readings: TagReadings(batteryPercent: percent), stamp: home.site.stamp(at: home.site.now),
                    validFor: 60)
                home.site.deliver(.proximity(SitePeopleTests.beacon(3), gateway: "hall"), state.bytes)
                home.advance(by: 5, [])
            }
            let chosen = try #require(
                home.deliveries.last { message($0)?.message.key == kind.rawValue }, "time \(time)")
            let token = try #require(message(chosen)?.token)
            let response = home.site.ask("people/acknowledge", #"{"token":"\#(token)"}"#)
            #expect(response.contains(#""ok":true"#))
            home.advance(by: 5, ["violin"])
            let other = kind == .low ? Notification.Kind.forgotten : .low
            let shown = try #require(home.site.published(on: .itemNotification(item: "violin")).last)
            #expect(try Notification(parsing: Array(shown.utf8)).kind == other, "time \(time)")
            let removed = home.deliveries.filter { $0.content == .nothing }
            #expect(removed.count == 2 * time - 1 && removed.last?.tag == chosen.tag, "time \(time)")
            #expect(home.site.ask("items/acknowledge", #"{"id":"violin"}"#).contains(#""ok":true"#))
            home.advance(by: 5, ["violin"])
            #expect(home.site.published(on: .itemNotification(item: "violin")).last == "")
            for item in ["keys", "phone"] { home.event(.enter, item) }
            home.advance(by: 600, Self.all)
        }
    }

    @Test func `a test has the outcome of each channel in its response`() throws {
        var site = try site()
        site.ask("people/test", #"{"id":"anna","transaction":7}"#)
        #expect(site.deliveries.count == 1 && site.responses == [])
        site.handle(.delivered(site.deliveries[0].delivery.number, .refused("HTTP status 403: check the token")))
        #expect(
            site.responses == [
                #"{"v":1,"ok":true,"channels":[{"name":"ntfy at https://ntfy.example (anna.topic)","sent":false,"#
                    + #""problem":"HTTP status 403: check the token"}],"transaction":7}"#
            ])
        site.ask("people/test", #"{"id":"ben"}"#)
        #expect(site.responses.last?.contains("There is no channel of \\\"ben\\\"") == true)
    }

    @Test func `a channel that fails is a problem in info, until it works`() throws {
        var site = try site(Self.toml + "\n[[person]]\nname = \"Anna\"\n")
        send(&site)
        for _ in 0..<2 {
            site.handle(.delivered(site.deliveries.last!.delivery.number, .refused("HTTP status 503")))
            site.advance(to: site.now + 10)
        }
        #expect(
            site.problems == [
                "Messages to anna reach nobody: ntfy at https://ntfy.example (anna.topic): HTTP status 503."
            ])
        site.handle(.delivered(site.deliveries.last!.delivery.number, .taken))
        site.advance(to: site.now + 1)
        #expect(site.problems == [])
    }

    @Test func `messages go out while there is no broker`() throws {
        var site = try site()
        site.handle(.broker(.disconnected("closed")))
        send(&site)
        #expect(site.deliveries.count == 1)
    }

    @Test func `without a channel nothing is stored or sent`() throws {
        var site = try site("")
        let files = site.disk.files
        send(&site)
        #expect(site.deliveries.isEmpty && site.disk.files == files && site.problems == [])
    }

    @Test func `of two aggregators only the active one delivers`() throws {
        var pair = SharedSite(
            pair: "left", "right", tables: Self.toml.replacing("name = \"Keys\"", with: "name = \"My keys\""))
        pair.advance(to: 60)
        for name in ["left", "right"] {
            pair.members[name]?.driver.site.pipeline.effects.messages.append(.send(Self.message))
        }
        pair.advance(to: 130)
        #expect(pair.deliveries.count == 1)
        pair.kill(pair.deliveries[0].member)
        pair.advance(to: 260)
        // The other one had it long ago.
        #expect(Set(pair.deliveries.map(\.member)).count == 1)
    }
}
