import Beacons
import Messages
import Settings
import Testing
import Text

@testable import SiteCore

@Suite("Notifications")
struct NotificationTests {
    private static let topic = Topic.itemNotification(item: "laptop-bag")
    private static let item =
        TestSite.bagItem + "\n[item.notify]\nreturned = true\nafter = \"10s\"\nrepeat = \"30s\"\nuntil = \"5m\"\n"

    /// The bag has just left: kitchen and hall are alive, and neither has it.
    private func left(_ toml: String = item, in texts: Texts = .english) -> TestSite {
        var site = TestSite(toml, in: texts)
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        site.ranged(at: "kitchen")
        site.advance(to: site.now + 2)
        site.event(.exit, at: "kitchen")
        return site
    }

    @Test func `notifications and the names in Home Assistant are in the language of the site`() throws {
        let texts = Texts(["Are you forgetting something? {item} has left{last}.": "Vergessen?", "Room": "Raum"])
        var site = left(in: texts)
        pass(20, &site)
        #expect(payloads(site).last?.contains("\"message\":\"Vergessen?\"") == true)
        let announced = site.messagesElsewhere.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(announced.contains { $0.contains("\"name\":\"Raum\"") && $0.contains("sensor.laptop_bag_room") })
    }

    /// Lets time pass while the gateway lives.
    private func pass(_ seconds: Int, _ site: inout TestSite) {
        for _ in 0..<seconds {
            if Int(site.now) % 20 == 0 { site.heartbeat("kitchen", room: "Kitchen") }
            site.advance(to: site.now + 1)
        }
    }

    private func published(_ site: TestSite) -> [String] {
        payloads(site).map { text in
            guard !text.isEmpty else { return "-" }
            guard let published = try? Notification(parsing: Array(text.utf8), on: Self.topic) else { return text }
            return "\(published.kind) \(published.count)"
        }
    }

    /// The payloads, without the empty one that a new item gets for Home Assistant.
    private func payloads(_ site: TestSite) -> [String] {
        Array(site.published(on: Self.topic).drop { $0.isEmpty })
    }

    /// What the user's program was given.
    private func handedOver(_ site: TestSite) -> [String] {
        site.outputs.compactMap {
            if case .perform(.notify(let payload)) = $0 { String(decoding: payload, as: UTF8.self) } else { nil }
        }
    }

    @Test func `a leaving is notified again until the return, and the return is notified`() throws {
        var site = left()
        pass(9, &site)
        #expect(published(site).isEmpty)
        pass(36, &site)
        #expect(published(site) == ["left 1", "left 2"])
        #expect(payloads(site).first?.contains("Laptop bag has left (last: Kitchen).") == true)
        site.event(.enter, at: "kitchen")
        site.ranged(at: "kitchen")
        pass(2, &site)
        #expect(published(site) == ["left 1", "left 2", "-", "returned 1"])
        #expect(handedOver(site) == payloads(site).filter { !$0.isEmpty })
        let events = site.events
        let last = try Notification(parsing: Array(try #require(handedOver(site).last).utf8))
        #expect(last.id == events[1].id && last.since == events[1].stamp.at)
    }

    @Test func `an acknowledged notification is not repeated, by request and by topic`() {
        for byTopic in [true, false] {
            var site = left()
            #expect(site.ask("items/acknowledge", #"{"name":"Laptop bag"}"#).contains("nothing to acknowledge"))
            pass(15, &site)
            if byTopic {
                site.deliver(.itemAcknowledge(item: "laptop-bag"), [], retained: true)
                #expect(published(site) == ["left 1"])
                site.deliver(.itemAcknowledge(item: "laptop-bag"), [])
            } else {
                #expect(site.ask("items/acknowledge", #"{"id":"laptop-bag"}"#).contains(#""ok":true"#))
            }
            pass(100, &site)
            #expect(published(site) == ["left 1", "-"])
            #expect(site.ask("items/acknowledge", #"{"id":"laptop-bag"}"#).contains(#""ok":false"#))
            site.event(.enter, at: "kitchen")
            site.ranged(at: "kitchen")
            pass(2, &site)
            #expect(published(site) == ["left 1", "-", "returned 1"])
        }
    }

    @Test func `the notification of an item whose beacon is replaced is taken back`() {
        var site = left()
        pass(12, &site)
        #expect(published(site) == ["left 1"])
        let toml = Self.item.replacing("minor = 2", with: "minor = 9")
        let reading = readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        _ = site.pipeline.reload(reading.configuration!, at: TestSite.moment(site.now))
        pass(60, &site)
        #expect(published(site) == ["left 1", "-"])
    }

    @Test func `an absence that is shorter than its grace causes no notification`() {
        var site = left()
        pass(5, &site)
        site.event(.enter, at: "kitchen")
        site.ranged(at: "kitchen")
        pass(30, &site)
        #expect(site.story.last == "returned Kitchen")
        #expect(published(site).isEmpty)
    }

    @Test func `a gateway that dies causes no notification`() {
        var site = left()
        site.offline("kitchen")
        site.advance(to: site.now + 100)
        #expect(site.location?.presence == .unknown)
        #expect(published(site).isEmpty && handedOver(site).isEmpty)
    }

    @Test func `a restart neither repeats a notification nor forgets it`() throws {
        var site = left()
        pass(15, &site)
        #expect(published(site) == ["left 1"])
        let stored = try StoredSite(parsing: site.pipeline.stored.bytes)
        let retained = Message(Self.topic, bytes: Array(payloads(site)[0].utf8))
        // The new one's clock shows the test's beginning again, some 20 s earlier: as if its own were wrong.
        var again = TestSite(Self.item, stored: stored, retained: [retained])
        again.gateway("kitchen", room: "Kitchen")
        pass(15, &again)
        #expect(Set(published(again)) == ["left 1"])
        #expect(payloads(again)[0] == payloads(site)[0])
        #expect(handedOver(again).isEmpty)
        pass(15, &again)
        #expect(published(again).last == "left 2")
        #expect(handedOver(again).count == 1)
        #expect(again.ask("items/acknowledge", #"{"id":"laptop-bag"}"#).contains(#""ok":true"#))
    }

    @Test func `retained topics that nobody publishes any more are cleared, and lost ones are published again`() {
        var site = left()
        pass(15, &site)
        site.pipeline.disconnected(at: TestSite.moment(site.now))
        site.pipeline.connected(at: TestSite.moment(site.now))
        site.advance(to: site.now + 1)
        #expect(published(site) == ["left 1", "left 1"])
        #expect(handedOver(site).count == 1)
        let stale = Message(Self.topic, bytes: Array(payloads(site)[0].utf8))
        let other = TestSite(Self.item, retained: [stale])
        #expect(other.published(on: Self.topic) == [""])
    }

    @Test func `an item that is removed, or whose notifications are off, causes no notification`() {
        var site = left("")
        _ = site.ask(
            "items/add",
            #"{"name":"Laptop bag","uuid":"\#(TestSite.bag.uuid)","major":1,"minor":2,"notify":{"left":true,"repeat_s":5}}"#
        )
        site.event(.enter, at: "kitchen")
        site.ranged(at: "kitchen")
        pass(2, &site)
        site.event(.exit, at: "kitchen")
        pass(2, &site)
        #expect(published(site) == ["left 1"])
        _ = site.ask("items/remove", #"{"id":"laptop-bag"}"#)
        pass(20, &site)
        #expect(published(site) == ["left 1", "-"])
    }

    @Test func `an item that is added without notification settings has those of the configuration`() {
        var site = TestSite("")
        _ = site.ask("items/add", #"{"name":"Bag","uuid":"\#(TestSite.bag.uuid)","major":1,"minor":2}"#)
        #expect(site.pipeline.registry.items["bag"]?.notify == Notify.standard)
    }
}
