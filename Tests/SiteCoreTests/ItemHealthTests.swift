import Beacons
import HomeAssistant
import Messages
import Settings
import Testing

@testable import SiteCore

/// What the aggregator publishes of the batteries of tags.
@Suite("The health of an item's tag")
struct ItemHealthTests {
    private static let topic = Topic.itemHealth(item: "laptop-bag")
    private static let bag =
        "{\"name\":\"Laptop bag\",\"uuid\":\"e2c56db5-dffb-48d2-b060-d0f5a71096e0\",\"major\":1,\"minor\":2}"

    private static func percent(_ percent: UInt8) -> TagReadings { TagReadings(batteryPercent: percent) }
    private static func voltage(_ millivolts: UInt16) -> TagReadings { TagReadings(batteryMillivolts: millivolts) }

    /// A site whose kitchen has the bag inside.
    private static func site(
        _ toml: String = TestSite.bagItem, stored: StoredSite? = nil, retained: [Message] = []
    ) -> TestSite {
        var site = TestSite(toml, stored: stored, retained: retained)
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        return site
    }

    /// The kitchen reports readings each ten seconds, for so long.
    private static func report(
        _ readings: TagReadings, age: UInt32? = nil, for seconds: Double = 10, _ site: inout TestSite
    ) {
        for _ in 0..<Int(seconds / 10) {
            if Int(site.now) % 30 == 5 { site.heartbeat("kitchen", room: "Kitchen") }
            site.ranged(at: "kitchen", readings: readings, batteryAge: age)
            site.advance(to: site.now + 10)
        }
    }

    /// What was published, in short: `12 low`, `2950`, `cleared`.
    private static func story(_ site: TestSite) -> [String] {
        site.published(on: topic).map { text in
            guard let health = try? ItemHealth(parsing: Array(text.utf8)) else { return "cleared" }
            let readings = health.readings
            let level = readings.batteryPercent.map { "\($0)" } ?? readings.batteryMillivolts.map { "\($0)" }
            return (level ?? "-") + (health.isLow == true ? " low" : "")
        }
    }

    private static func hasBattery(_ site: TestSite, _ battery: Device.Battery = .percent) -> Bool {
        site.discovery(of: .item("laptop-bag")).contains("\"\(battery.rawValue)\":")
    }

    /// What a former process has published.
    private static func former(_ readings: TagReadings, isLow: Bool?) -> Message {
        let stamp = Stamp(at: TestSite.start, boot: Boot("2.aggr")!, uptime: .zero)
        return Message(topic, ItemHealth(item: "laptop-bag", readings: readings, isLow: isLow, stamp: stamp))
    }

    @Test func `is not published if the tag reports nothing, and costs no message when the item is removed`() {
        var site = Self.site("")
        _ = site.ask("items/add", Self.bag)
        Self.report(TagReadings(), for: 60, &site)
        _ = site.ask("items/remove", "{\"id\":\"laptop-bag\"}")
        site.advance(to: site.now + 10)
        #expect(Self.story(site) == [] && !Self.hasBattery(site))
    }

    @Test func `is published once, and again ten minutes later if a value has changed`() {
        var site = Self.site()
        Self.report(Self.percent(50), for: 1200, &site)
        #expect(Self.story(site) == ["50"])
        Self.report(Self.percent(49), &site)
        Self.report(Self.percent(48), for: 590, &site)
        #expect(Self.story(site) == ["50", "49"])
        Self.report(Self.percent(48), for: 20, &site)
        Self.report(Self.percent(47), for: 570, &site)
        #expect(Self.story(site) == ["50", "49", "48"])
        Self.report(Self.percent(47), for: 20, &site)
        #expect(Self.story(site) == ["50", "49", "48", "47"])
    }

    @Test func `is low at once, and not low again before the battery is clearly better, each time`() {
        var site = Self.site()
        for percent: UInt8 in [16, 15, 16, 19, 15, 20, 19, 16, 15, 20] { Self.report(Self.percent(percent), &site) }
        #expect(Self.story(site) == ["16", "15 low", "20", "15 low", "20"])
    }

    @Test func `is not changed by an older battery that another gateway repeats, each time and after a restart`() {
        var site = Self.site()
        site.gateway("hall", room: "Hall")
        for percent: UInt8 in [12, 100, 12, 100] {
            for _ in 1...6 {
                site.ranged(
                    at: "hall", rssi: -80, readings: Self.percent(12), batteryAge: UInt32(100 + site.now))
                Self.report(Self.percent(percent), age: 1, &site)
            }
        }
        #expect(Self.story(site) == ["12 low", "100", "12 low", "100"])
        // A gateway of an earlier release does not state when it received what it repeats.
        site.ranged(at: "hall", rssi: -80, readings: Self.percent(12))
        site.advance(to: site.now + 10)
        #expect(Self.story(site).last == "100")
        var next = Self.site(retained: [Self.former(Self.percent(100), isLow: false)])
        next.ranged(at: "kitchen", readings: Self.percent(12), batteryAge: 3600)
        next.advance(to: next.now + 10)
        #expect(Self.story(next) == [])
    }

    @Test func `is that of the first percentage of each battery, though another gateway receives newer voltages`() {
        var site = Self.site()
        site.gateway("hall", room: "Hall")
        site.event(.enter, at: "hall")
        for percent: UInt8 in [12, 100, 12, 100] {
            for round in 0..<6 {
                site.ranged(at: "hall", rssi: -80, readings: Self.voltage(2900), batteryAge: 0)
                Self.report(Self.percent(percent), age: UInt32(5 + 10 * round), &site)
            }
        }
        #expect(Self.story(site).filter { $0 != "2900" } == ["12 low", "100", "12 low", "100"])
    }

    @Test func `is low by the voltage of a tag that reports only that`() {
        var site = Self.site()
        for millivolts: UInt16 in [2410, 2400, 2490, 2400, 2500, 2400] { Self.report(Self.voltage(millivolts), &site) }
        #expect(Self.story(site) == ["2410", "2400 low", "2500", "2400 low"])
        #expect(Self.hasBattery(site, .voltage) && !Self.hasBattery(site, .percent))
    }

    @Test func `is not low by the voltage of a tag that reports a percentage as well`() {
        var site = Self.site()
        Self.report(TagReadings(batteryPercent: 40, batteryMillivolts: 2350), &site)
        Self.report(Self.voltage(2300), &site)
        #expect(Self.story(site) == ["40"] && Self.hasBattery(site))
    }

    @Test func `has no battery if the tag reports only its temperature`() throws {
        var site = Self.site()
        Self.report(TagReadings(temperatureTenths: 215), &site)
        let text = try #require(site.published(on: Self.topic).last)
        #expect(text.contains("\"temperature_c\":21.5") && !text.contains("low"))
        #expect(!Self.hasBattery(site) && !Self.hasBattery(site, .voltage))
    }

    @Test func `continues after a restart with what the broker retains, the second time as well`() {
        for _ in 1...2 {
            var site = Self.site(retained: [Self.former(Self.percent(18), isLow: true)])
            #expect(Self.hasBattery(site), "the entity must not go for a moment")
            Self.report(Self.percent(18), for: 60, &site)
            #expect(Self.story(site) == [], "18 % is low, because it was")
            Self.report(Self.percent(20), &site)
            #expect(Self.story(site) == ["20"])
        }
    }

    @Test func `waits for what a former process has published, which may arrive behind the first states`() {
        var site = TestSite(settling: false)
        site.gateway("kitchen", room: "Kitchen")
        site.ranged(at: "kitchen", readings: Self.percent(18))
        let former = Self.former(Self.percent(18), isLow: true)
        site.deliver(former.topic, former.payload, retained: true)
        site.advance(to: 15)
        Self.report(Self.percent(18), for: 30, &site)
        #expect(Self.story(site) == [])
    }

    @Test func `is published again after a reconnect, because the broker may have lost it`() {
        var site = Self.site()
        Self.report(Self.percent(12), &site)
        for round in 2...3 {
            site.reconnect(after: 20)
            site.advance(to: site.now + 10)
            #expect(Self.story(site).count >= round && Self.story(site).allSatisfy { $0 == "12 low" })
        }
    }

    @Test func `does not go back to a predecessor's, which comes back behind a newer one after a reconnect`() {
        let former = Self.former(Self.percent(18), isLow: true)
        var site = Self.site(retained: [former])
        Self.report(Self.percent(20), &site)
        for _ in 1...2 {
            site.deliver(former.topic, former.payload)
            Self.report(Self.percent(20), &site)
            #expect(Self.story(site) == ["20"])
        }
    }

    @Test func `is cleared with the item, and begins anew with the next one, the second time as well`() {
        var site = Self.site("")
        for _ in 1...2 {
            _ = site.ask("items/add", Self.bag)
            site.forgetOutputs()
            Self.report(Self.percent(16), &site)
            #expect(Self.story(site) == ["16"] && Self.hasBattery(site))
            Self.report(Self.percent(12), &site)
            _ = site.ask("items/remove", "{\"id\":\"laptop-bag\"}")
            site.advance(to: site.now + 10)
            #expect(Self.story(site) == ["16", "12 low", "cleared"])
        }
        _ = site.ask("items/add", Self.bag)
        site.advance(to: site.now + 10)
        #expect(!Self.hasBattery(site))
    }

    @Test func `is cleared if the item was removed while the aggregator was down`() {
        let site = Self.site("", retained: [Self.former(Self.percent(12), isLow: true)])
        #expect(Self.story(site) == ["cleared"])
    }

    private static let otherTag = TestSite.bagItem.replacing("minor = 2", with: "minor = 7")

    private static func configuration(_ toml: String) -> AggregatorConfiguration {
        readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }.configuration!
    }

    @Test func `is cleared when the item gets another tag, and when it gets its old one back`() {
        var site = Self.site()
        for toml in [Self.otherTag, TestSite.bagItem] {
            site.forgetOutputs()
            Self.report(Self.percent(12), &site)
            if toml == TestSite.bagItem { break }
            #expect(Self.story(site) == ["12 low"] && Self.hasBattery(site))
            _ = site.pipeline.reload(Self.configuration(toml), at: site.moment)
            site.advance(to: site.now + 10)
            #expect(Self.story(site) == ["12 low", "cleared"] && !Self.hasBattery(site))
        }
        #expect(Self.story(site) == [], "the old tag is not the item's")
        _ = site.pipeline.reload(Self.configuration(TestSite.bagItem), at: site.moment)
        Self.report(Self.percent(12), &site)
        #expect(Self.story(site) == ["12 low"])
    }

    @Test func `is cleared if the item got another tag while the aggregator was down`() {
        let before = Self.site()
        let site = Self.site(
            Self.otherTag, stored: before.pipeline.stored, retained: [Self.former(Self.percent(12), isLow: true)])
        #expect(Self.story(site) == ["cleared"] && !Self.hasBattery(site))
    }

    @Test func `is ignored if the payload is of another item, or none`() {
        let stamp = Stamp(at: TestSite.start, boot: Boot("2.aggr")!, uptime: .zero)
        let keys = ItemHealth(item: "keys", readings: Self.percent(1), isLow: true, stamp: stamp)
        for payload in [keys.bytes, Array("{}".utf8), Array("low".utf8)] {
            var site = Self.site(retained: [Message(Self.topic, bytes: payload)])
            Self.report(Self.percent(18), &site)
            #expect(Self.story(site) == ["18"])
        }
    }

    // MARK: Several aggregators

    private func receive(_ percent: UInt8, of beacon: BeaconIdentity = TestSite.bag, _ site: inout SharedSite) {
        for _ in 1...3 {
            site.ranged(beacon, at: "hall", readings: Self.percent(percent))
            site.advance(to: site.now + 10)
        }
    }

    private func published(_ item: String, by site: SharedSite) -> [String] {
        site.published.compactMap { by, topic, payload in
            guard topic == .itemHealth(item: item), let health = try? ItemHealth(parsing: payload) else { return nil }
            return "\(by) \(health.battery ?? "")"
        }
    }

    @Test func `is published by the active one of a pair, and continued by its successor`() throws {
        var pair = SharedSite(pair: "left", "right")
        pair.advance(to: 8)
        pair.gateway("hall", room: "Hall")
        pair.bag(.enter, at: "hall")
        pair.advance(to: 20)
        let first = try #require(pair.active.first)
        receive(50, &pair)
        receive(15, &pair)
        #expect(published("laptop-bag", by: pair) == ["\(first) 50 %", "\(first) 15 %, low"])
        pair.kill(first)
        pair.advance(to: pair.now + 15)
        let second = try #require(pair.active.first)
        receive(18, &pair)
        // The successor publishes everything once when it takes over, and 18 % stays low.
        #expect(Set(published("laptop-bag", by: pair).dropFirst(2)) == ["\(second) 15 %, low"])
        receive(20, &pair)
        #expect(published("laptop-bag", by: pair).last == "\(second) 20 %")
    }

    @Test func `is published by the aggregator that has the item's share, and by no other`() {
        var site = SharedSite()
        site.start(SharedSite.item("Bag", major: 1) + SharedSite.item("Keys", major: 2))
        site.advance(to: 5)
        site.start("name = \"north\"\n" + SharedSite.share(1))
        site.gateway("hall", room: "Hall")
        site.advance(to: 12)
        for major: UInt16 in [1, 2] {
            site.beacon(SharedSite.beacon(major, 1), .enter, at: "hall")
            receive(12, of: SharedSite.beacon(major, 1), &site)
        }
        #expect(published("bag", by: site) == ["north 12 %, low"])
        #expect(published("keys", by: site) == [" 12 %, low"])
        // An item that nobody has is cleared by the one that writes the registry.
        let gone = ItemHealth(
            item: "gone", readings: Self.percent(1), isLow: true,
            stamp: Stamp(at: TestSite.start, boot: Boot("9.gone")!, uptime: .zero))
        site.deliver(.itemHealth(item: "gone"), gone.bytes)
        #expect(site.published.filter { $0.topic == .itemHealth(item: "gone") }.map(\.by) == [""])
    }
}
