import Beacons
import Channels
import Messages
import Settings
import Testing

@testable import SiteCore

@Suite("A low battery")
struct LowBatteryTests {
    private static let topic = Topic.itemNotification(item: "laptop-bag")
    private static let notify = "\n[item.notify]\nleft = true\nafter = \"10s\"\nrepeat = \"30s\"\nuntil = \"5m\"\n"
    private static let silent = "\n[item.notify]\nleft = false\n"

    private static func site(_ toml: String = TestSite.bagItem + notify, stored: StoredSite? = nil) -> TestSite {
        var site = TestSite(toml, stored: stored)
        site.gateway("kitchen", room: "Kitchen")
        if stored == nil { site.event(.enter, at: "kitchen") }
        return site
    }

    /// The kitchen reports the battery for 30 s.
    private static func report(_ percent: UInt8, _ site: inout TestSite) {
        for _ in 1...3 {
            site.heartbeat("kitchen", room: "Kitchen")
            site.ranged(at: "kitchen", readings: TagReadings(batteryPercent: percent))
            site.advance(to: site.now + 10)
        }
    }

    private static func pass(_ seconds: Int, _ site: inout TestSite) {
        for _ in 0..<seconds {
            if Int(site.now) % 20 == 0 { site.heartbeat("kitchen", room: "Kitchen") }
            site.advance(to: site.now + 1)
        }
    }

    /// What the broker retains one after the other: `low 1`, `-`.
    private static func retained(_ site: TestSite) -> [String] {
        // A new item gets an empty one for Home Assistant.
        site.published(on: topic).drop { $0.isEmpty }.map { text in
            guard !text.isEmpty else { return "-" }
            guard let published = try? Notification(parsing: Array(text.utf8), on: topic) else { return text }
            return "\(published.kind) \(published.count)"
        }
    }

    private static func sent(_ site: TestSite) -> [Notification] {
        site.published(on: .itemNotificationEvent(item: "laptop-bag")).compactMap {
            (try? NotificationEvent(parsing: Array($0.utf8)))?.notification
        }
    }

    private static func lows(_ site: TestSite) -> [ItemEvent] { site.events.filter(\.change.isLow) }

    private static func acknowledge(_ site: inout TestSite) -> Bool {
        site.ask("items/acknowledge", #"{"id":"laptop-bag"}"#).contains(#""ok":true"#)
    }

    @Test func `is one event and one notification for each discharge, and taken back with a new battery`() throws {
        var site = Self.site()
        for round in 1...2 {
            Self.report(16, &site)
            #expect(Self.lows(site).count == round - 1)
            for percent: UInt8 in [14, 16, 12, 19, 12] { Self.report(percent, &site) }
            #expect(Self.lows(site).count == round && Self.sent(site).count == round)
            #expect(Self.retained(site).last == "low 1")
            Self.report(100, &site)
            #expect(Self.retained(site).last == "-")
        }
        let (event, notification) = (try #require(Self.lows(site).first), try #require(Self.sent(site).first))
        #expect(event.change == .low(TagReadings(batteryPercent: 14)) && event.id == notification.id)
        #expect(notification.message == "The battery of Laptop bag is nearly empty (14 %).")
        #expect(notification.nextAt == nil && notification.kind == .low)
    }

    @Test func `is not reported again after a restart, neither to those who acknowledged it nor to others`() throws {
        for isAcknowledged in [false, true] {
            var site = Self.site()
            Self.report(12, &site)
            if isAcknowledged { #expect(Self.acknowledge(&site)) }
            for _ in 1...2 {
                // What the broker retained is lost as well.
                site = Self.site(stored: try StoredSite(parsing: site.pipeline.stored.bytes))
                Self.report(12, &site)
                Self.report(18, &site)
                #expect(Self.lows(site).isEmpty && Self.sent(site).isEmpty)
                #expect(Set(Self.retained(site)) == (isAcknowledged ? [] : ["low 1"]))
            }
            Self.report(20, &site)
            Self.report(15, &site)
            #expect(Self.lows(site).count == 1 && Self.sent(site).count == 1)
        }
    }

    @Test func `is not reported again if only the broker knows that it was`() {
        let stamp = Stamp(at: TestSite.start, boot: Boot("2.aggr")!, uptime: .zero)
        let former = ItemHealth(
            item: "laptop-bag", readings: TagReadings(batteryPercent: 12), isLow: true, stamp: stamp)
        var site = TestSite(TestSite.bagItem, retained: [Message(.itemHealth(item: "laptop-bag"), former)])
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        Self.report(12, &site)
        #expect(Self.lows(site).isEmpty && Self.sent(site).isEmpty)
        Self.report(20, &site)
        Self.report(12, &site)
        #expect(Self.lows(site).count == 1)
    }

    @Test func `stays notified for longer than a leaving, until somebody acknowledges it, the second time as well`() {
        var site = Self.site()
        for round in 1...2 {
            Self.report(12, &site)
            for _ in 1...20 { Self.report(12, &site) }
            #expect(Self.sent(site).count == round && Self.retained(site).last == "low 1")
            #expect(Self.acknowledge(&site) && !Self.acknowledge(&site))
            Self.report(12, &site)
            #expect(Self.retained(site).last == "-" && Self.sent(site).count == round)
            Self.report(90, &site)
        }
    }

    @Test func `gives way to a leaving and comes back behind it, and each ends with an acknowledgement of its own`() {
        var site = Self.site()
        Self.report(12, &site)
        for round in 1...2 {
            site.event(.exit, at: "kitchen")
            Self.pass(15, &site)
            #expect(Self.retained(site).suffix(2) == ["low 1", "left 1"])
            if round == 2 { break }
            site.event(.enter, at: "kitchen")
            Self.report(12, &site)
            #expect(Self.retained(site).last == "low 1", "the message about the battery is not over")
        }
        #expect(Self.sent(site).map(\.kind.rawValue) == ["low", "left", "left"])
        #expect(Self.acknowledge(&site) && Self.retained(site).last == "low 1")
        #expect(Self.acknowledge(&site) && Self.retained(site).last == "-" && !Self.acknowledge(&site))
        site.event(.enter, at: "kitchen")
        Self.report(12, &site)
        #expect(Self.retained(site).last == "-")
    }

    @Test func `is acknowledged by its kind while another notification is shown, which stays, and so is the other`() {
        func acknowledge(_ payload: String, _ site: inout TestSite) {
            site.deliver(.itemAcknowledge(item: "laptop-bag"), Array(payload.utf8))
        }
        var site = Self.site()
        for _ in 1...2 {
            Self.report(12, &site)
            site.event(.exit, at: "kitchen")
            Self.pass(15, &site)
            for payload in [#"{"kind":"lwo"}"#, #"{"kind":"returned"}"#, #"{"kind":"low"}"#, #"{"kind":"low"}"#] {
                acknowledge(payload, &site)
                #expect(Self.retained(site).last == "left 1", "\(payload)")
            }
            acknowledge(#"{"kind":"left"}"#, &site)
            #expect(Self.retained(site).last == "-", "the other one was acknowledged before")
            site.event(.enter, at: "kitchen")
            Self.report(90, &site)
        }
        for payload in ["", "x", "{", #"{"kind":7}"#] {
            Self.report(12, &site)
            #expect(Self.retained(site).last == "low 1")
            acknowledge(payload, &site)
            #expect(Self.retained(site).last == "-", "without a kind it is the one that the topic has: \(payload)")
            Self.report(90, &site)
        }
    }

    @Test func `is sent beside another notification, which stays until it is over`() {
        var site = Self.site(TestSite.bagItem + Self.notify + "returned = true\n")
        for round in 1...2 {
            Self.report(50, &site)
            site.event(.exit, at: "kitchen")
            Self.pass(15, &site)
            site.event(.enter, at: "kitchen")
            Self.report(12, &site)
            #expect(Self.retained(site).last == "returned 1", "the broker retains one of them")
            #expect(Self.sent(site).suffix(2).map(\.kind) == [.returned, .low] && Self.lows(site).count == round)
            site.event(.exit, at: "kitchen")
            Self.pass(2, &site)
            #expect(Self.retained(site).last == "low 1")
            site.event(.enter, at: "kitchen")
        }
    }

    @Test func `is an event of an item without notifications, and nobody is notified`() {
        var site = Self.site(TestSite.bagItem + Self.silent)
        for round in 1...2 {
            Self.report(12, &site)
            #expect(Self.lows(site).count == round && Self.retained(site).isEmpty)
            Self.report(50, &site)
        }
    }

    @Test func `is taken back when the item gets another tag`() {
        var site = Self.site()
        Self.report(12, &site)
        let toml = (TestSite.bagItem + Self.notify).replacing("minor = 2", with: "minor = 9")
        let reading = readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        _ = site.pipeline.reload(reading.configuration!, at: TestSite.moment(site.now))
        Self.pass(20, &site)
        #expect(Self.retained(site) == ["low 1", "-"])
        #expect(site.pipeline.stored.states.allSatisfy { !$0.isLow && $0.lowNotification == nil })
    }

    @Test func `is a trigger in Home Assistant for items whose tag reports a battery, and for no others`() {
        var site = Self.site()
        let trigger = "\"trigger:low:item\":"
        site.advance(to: site.now + 20)
        #expect(!site.discovery(of: .item("laptop-bag")).contains(trigger))
        Self.report(50, &site)
        #expect(site.discovery(of: .item("laptop-bag")).contains(trigger))
    }

    // MARK: Empty

    /// The kitchen receives the bag like that for the last time, and has it exit a while later.
    private static func fallSilent(_ levels: [Double], _ site: inout TestSite) {
        for rssi in levels {
            site.ranged(at: "kitchen", rssi: rssi)
            site.advance(to: site.now + 5)
        }
        let last = site.now - 5
        pass(10, &site)
        site.event(.exit, at: "kitchen", lastSeen: last, rssi: levels.last)
        pass(15, &site)
    }

    @Test func `is the probable cause if the item falls silent where it was, until it is received again, each time`()
        throws
    {
        var site = Self.site()
        for round in 1...2 {
            Self.report(12, &site)
            Self.fallSilent([-60, -61, -60, -60], &site)
            #expect(site.location?.presence == .away && site.location?.probableCause == .battery)
            #expect(site.events.last?.change == .left(from: "Kitchen") && site.events.last?.probableCause == .battery)
            let sentence = "Probably an empty battery: Laptop bag is no longer received (last: Kitchen)."
            #expect(Self.sent(site).last?.message == sentence && Self.sent(site).last?.kind == .left)
            let next = Self.site(stored: try StoredSite(parsing: site.pipeline.stored.bytes))
            #expect(next.location?.probableCause == .battery, "a restart forgets it in round \(round)")
            site.event(.enter, at: "kitchen")
            Self.report(100, &site)
            #expect(site.location?.presence == .home && site.location?.probableCause == nil)
        }
    }

    @Test func `is not the cause if the item fades before it falls silent, nor is a good battery`() {
        for (percent, levels) in [(12, [-62, -75, -88, -94]), (50, [-60, -61, -60, -60])] as [(UInt8, [Double])] {
            var site = Self.site()
            for _ in 1...2 {
                Self.report(percent, &site)
                Self.fallSilent(levels, &site)
                #expect(site.location?.presence == .away && site.location?.probableCause == nil)
                #expect(site.events.last?.probableCause == nil)
                #expect(Self.sent(site).last?.message.contains("has left (last: Kitchen)") == true)
                site.event(.enter, at: "kitchen")
            }
        }
    }

    // MARK: People

    @Test func `is a message to the item's owners that is not urgent, and withdrawn with a new battery`() throws {
        let owner = "[[person]]\nname = \"Anna\"\n"
        let channel =
            "[[channel]]\nperson = \"anna\"\nkind = \"ntfy\"\nurl = \"https://ntfy.example\"\ntopic_file = \"anna.topic\"\n"
        var site = Self.site(owner + channel + TestSite.bagItem + "\nowners = [\"Anna\"]\n" + Self.silent)
        for _ in 1...2 {
            Self.report(12, &site)
            let message = try #require(Self.deliver(&site).compactMap(\.self).last)
            #expect(message.title == "Low battery: Laptop bag" && !message.isUrgent)
            #expect(message.text == "The battery of Laptop bag is nearly empty (12 %).")
            Self.report(90, &site)
            #expect(site.published(on: Self.topic).last == "")
            #expect(Self.deliver(&site) == [nil], "it is removed from the phone")
        }
    }

    /// Has each delivery arrive; returns the messages, `nil` for one that is removed.
    private static func deliver(_ site: inout TestSite) -> [PersonalMessage?] {
        let deliveries = site.outputs.compactMap {
            if case .perform(.deliver(let delivery)) = $0 { delivery } else { nil }
        }
        site.forgetOutputs()
        for delivery in deliveries { site.pipeline.delivered(delivery.number, .taken, at: site.moment) }
        return deliveries.map { if case .message(let message, _) = $0.content { message } else { nil } }
    }

    // MARK: Several aggregators

    private func receive(_ percent: UInt8, _ site: inout SharedSite) {
        for _ in 1...3 {
            site.ranged(TestSite.bag, at: "hall", readings: TagReadings(batteryPercent: percent))
            site.advance(to: site.now + 10)
        }
    }

    private func events(_ site: SharedSite) -> [String] {
        site.published.compactMap { by, topic, payload in
            guard topic == .itemEvent(item: "laptop-bag"), let event = try? ItemEvent(parsing: payload),
                case .low(let battery) = event.change
            else { return nil }
            return "\(by) \(battery.batteryLevel ?? "-")"
        }
    }

    @Test func `is reported by the active one of a pair, and not again by its successor`() throws {
        for delay in [30.0, 0] {
            var pair = SharedSite(pair: "left", "right")
            pair.advance(to: 8)
            pair.gateway("hall", room: "Hall")
            pair.bag(.enter, at: "hall")
            pair.advance(to: 20)
            let first = try #require(pair.active.first)
            receive(50, &pair)
            pair.ranged(TestSite.bag, at: "hall", readings: TagReadings(batteryPercent: 12))
            pair.advance(to: pair.now + 1 + delay)
            #expect(events(pair) == ["\(first) 12 %"])
            pair.kill(first)
            pair.advance(to: pair.now + 15)
            let second = try #require(pair.active.first)
            receive(12, &pair)
            #expect(events(pair) == ["\(first) 12 %"])
            receive(90, &pair)
            receive(12, &pair)
            #expect(events(pair) == ["\(first) 12 %", "\(second) 12 %"])
        }
    }
}
