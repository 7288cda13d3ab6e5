import Beacons
import HomeAssistant
import Messages
import Testing

@testable import SiteCore

/// What the aggregator announces of the site to Home Assistant, and when.
struct HomeAssistantTests {
    private static let second =
        "{\"name\":\"Keys\",\"uuid\":\"e2c56db5-dffb-48d2-b060-d0f5a71096e0\",\"major\":1,\"minor\":3}"

    @Test func `the aggregator comes first, then gateways, then items`() {
        var site = TestSite(settling: false)
        site.gateway("kitchen", room: "Kitchen")
        site.advance(to: 5)
        #expect(site.announced == ["forgetmenot_aggregator", "forgetmenot-kitchen", "forgetmenot_item_laptop-bag"])
        #expect(site.messagesElsewhere.allSatisfy { $0.isRetained })
    }

    @Test
    func `an added item is announced at once, and withdrawn when it is removed, before its topics are cleared`()
        throws
    {
        var site = TestSite()
        site.forgetOutputs()
        _ = site.ask("items/add", Self.second)
        site.advance(to: 7)
        #expect(site.announced == ["forgetmenot_item_keys"])
        site.forgetOutputs()
        _ = site.ask("items/remove", "{\"id\":\"keys\"}")
        site.advance(to: 9)
        #expect(site.cleared == ["forgetmenot_item_keys"])
        let order = site.outputs.compactMap { output -> String? in
            switch output {
            case .publishElsewhere: "discovery"
            case .publish(let message) where message.topic == .itemLocation(item: "keys"): "location"
            default: nil
            }
        }
        #expect(order == ["discovery", "discovery", "location"], "its disabled entities leave before it")
    }

    @Test func `a gateway that receives an item adds its distance, and one that is removed takes it away`() throws {
        var site = TestSite()
        site.forgetOutputs()
        site.gateway("hall", room: "Hall")
        site.advance(to: 7)
        #expect(site.announced == ["forgetmenot-hall"])
        site.ranged(at: "hall")
        site.advance(to: 20)
        #expect(site.announced == ["forgetmenot-hall", "forgetmenot_item_laptop-bag"])
        #expect(site.discovery(of: .item("laptop-bag")).contains("distance:hall"))
        site.offline("hall")
        site.forgetOutputs()
        _ = site.ask("gateways/remove", "{\"id\":\"hall\"}")
        site.advance(to: 22)
        #expect(site.cleared == ["forgetmenot-hall"])
        #expect(!site.discovery(of: .item("laptop-bag")).contains("distance:hall"))
    }

    @Test func `a new name is published under the same ids`() {
        var site = TestSite("")
        _ = site.ask("items/add", Self.second)
        site.advance(to: 7)
        site.forgetOutputs()
        _ = site.ask("items/rename", "{\"id\":\"keys\",\"new_name\":\"Car keys\"}")
        site.advance(to: 9)
        #expect(site.announced == ["forgetmenot_item_keys"])
        #expect(site.discovery(of: .item("keys")).contains("\"name\":\"Car keys\""))
    }

    @Test func `nothing is published again while nothing changes`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        site.ranged(at: "kitchen")
        site.advance(to: 20)
        site.forgetOutputs()
        for second in stride(from: 20.0, to: 100, by: 10) {
            site.heartbeat("kitchen", room: "Kitchen")
            site.ranged(at: "kitchen")
            site.advance(to: second + 10)
        }
        #expect(site.announced == [])
    }

    @Test func `a Home Assistant that starts gets all devices, and the present states after them`() throws {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.advance(to: 10)
        site.forgetOutputs()
        site.deliverElsewhere("homeassistant/status", "online")
        site.advance(to: 12)
        #expect(site.announced == ["forgetmenot_aggregator", "forgetmenot-kitchen", "forgetmenot_item_laptop-bag"])
        #expect(site.published(on: .aggregatorAvailability) == ["online"])
        #expect(site.published(on: .itemLocation(item: "laptop-bag")).count == 1)
        let location = site.outputs.firstIndex {
            if case .publish(let message) = $0 { message.topic == .itemLocation(item: "laptop-bag") } else { false }
        }
        let discovery = site.outputs.lastIndex { if case .publishElsewhere = $0 { true } else { false } }
        let (before, behind) = (try #require(discovery), try #require(location))
        #expect(before < behind)
    }

    @Test func `a Home Assistant that starts again and again gets all devices every ten seconds at most`() {
        var site = TestSite()
        site.advance(to: 10)
        site.forgetOutputs()
        for second in 10..<70 {
            site.deliverElsewhere("homeassistant/status", "online")
            site.advance(to: Double(second + 1))
        }
        let announcements = site.messagesElsewhere.count { $0.topic.contains("forgetmenot_aggregator") }
        #expect((5...7).contains(announcements), "\(announcements)")
    }

    @Test(arguments: [("offline", false), ("online", true), ("", false), ("{}", false)])
    func `other payloads of Home Assistant's status, and retained ones, announce nothing`(
        word: String, isRetained: Bool
    ) {
        var site = TestSite()
        site.forgetOutputs()
        site.deliverElsewhere("homeassistant/status", word, retained: isRetained)
        site.advance(to: 8)
        #expect(site.announced == [])
    }

    @Test func `an item without a notification gets an empty one each time Home Assistant has taken it in`() {
        var site = TestSite()
        site.advance(to: 20)
        let topic = Topic.itemNotification(item: "laptop-bag")
        for _ in 0..<2 {
            site.forgetOutputs()
            site.deliverElsewhere("homeassistant/status", "online")
            site.advance(to: site.now + 2)
            #expect(site.published(on: topic) == [], "Home Assistant would lose it")
            site.advance(to: site.now + 30)
            #expect(site.published(on: topic) == [""])
        }
    }

    @Test(arguments: [nil, 1.0, 20])
    func `an item without a notification gets an empty one after a restart: Home Assistant may have started`(
        birth: Double?
    ) {
        var site = TestSite(settling: false)
        let device = Device(
            item: RegistryItem(id: "laptop-bag", name: "Laptop bag", beacon: TestSite.bag), receivedBy: [],
            under: .standard)
        site.deliverElsewhere(
            "homeassistant/device/forgetmenot_item_laptop-bag/config",
            String(decoding: device.payload(by: .aggregator, version: "0"), as: UTF8.self), retained: true)
        if let birth {
            site.advance(to: birth)
            site.deliverElsewhere("homeassistant/status", "online")
        }
        site.advance(to: 60)
        #expect(site.announced.contains("forgetmenot_item_laptop-bag"))
        let topic = Topic.itemNotification(item: "laptop-bag")
        #expect(site.published(on: topic) == (birth == 20 ? ["", ""] : [""]))
    }

    @Test func `items and the aggregator link to the page, and gateways do not`() {
        var site = TestSite(settling: false, page: "https://house.example")
        site.gateway("kitchen", room: "Kitchen")
        site.advance(to: 5)
        for id in [DeviceID.aggregator, .gateway("kitchen"), .item("laptop-bag")] {
            #expect(
                site.discovery(of: id).contains("\"configuration_url\":\"https://house.example\"")
                    == (id != .gateway("kitchen")), "\(id)")
        }
    }

    @Test func `everything is published again to a broker that came back`() {
        var site = TestSite()
        site.forgetOutputs()
        site.reconnect(after: 2)
        site.advance(to: 12)
        #expect(site.announced == ["forgetmenot_aggregator", "forgetmenot_item_laptop-bag"])
    }

    @Test func `events wait while Home Assistant takes in what they belong to`() {
        var site = TestSite()
        site.advance(to: 10)
        #expect(site.pipeline.eventsMayGo)
        _ = site.ask("items/add", Self.second)
        #expect(site.pipeline.eventsMayGo)
        site.advance(to: 11)
        #expect(!site.pipeline.eventsMayGo)
        site.advance(to: 13)
        #expect(!site.pipeline.eventsMayGo)
        site.advance(to: 14)
        #expect(site.pipeline.eventsMayGo)
    }

    @Test func `without Home Assistant nothing is announced, and retained announcements are cleared`() {
        var site = TestSite("[home_assistant]\ndiscovery = false\n" + TestSite.bagItem, settling: false)
        let before = Device(
            item: RegistryItem(id: "laptop-bag", name: "Laptop bag", beacon: TestSite.bag), receivedBy: [],
            under: .standard)
        site.deliverElsewhere(
            "homeassistant/device/forgetmenot_item_laptop-bag/config",
            String(decoding: before.payload(by: .aggregator, version: "0"), as: UTF8.self), retained: true)
        site.deliverElsewhere(
            "homeassistant/device/forgetmenot-lamp/config", "{\"o\":{\"name\":\"others\"}}", retained: true)
        site.advance(to: 20)
        #expect(site.announced == ["forgetmenot_item_laptop-bag"], "its disabled entities leave before it")
        #expect(site.cleared == ["forgetmenot_item_laptop-bag"])
        #expect(site.pipeline.eventsMayGo)
    }

    @Test func `an item that went while nobody was here is taken back`() {
        var site = TestSite(settling: false)
        let before = Device(
            item: RegistryItem(id: "wallet", name: "Wallet", beacon: TestSite.bag), receivedBy: [], under: .standard)
        site.deliverElsewhere(
            "homeassistant/device/forgetmenot_item_wallet/config",
            String(decoding: before.payload(by: .aggregator, version: "0"), as: UTF8.self), retained: true)
        site.advance(to: 10)
        #expect(site.cleared == ["forgetmenot_item_wallet"])
    }

    private static func items(_ count: Int) -> String {
        (0..<count).map {
            "[[item]]\nname = \"Item \($0)\"\nuuid = \"\(TestSite.bag.uuid)\"\nmajor = 9\nminor = \($0)\n"
        }.joined()
    }

    @Test
    func `many devices are announced as slowly as Home Assistant takes them in, and events wait for 10 s at most`() {
        var site = TestSite(Self.items(300), settling: false)
        var (perSecond, waited) = ([Int](), 0)
        for second in 1...90 {
            let before = site.messagesElsewhere.count
            site.advance(to: Double(second))
            perSecond.append(site.messagesElsewhere.count - before)
            if !site.pipeline.eventsMayGo { waited += 1 }
        }
        #expect(site.announced.count == 301)
        #expect(perSecond.max()! <= 40 && perSecond.dropFirst(4).allSatisfy { $0 <= 5 }, "\(perSecond)")
        #expect(waited <= 10, "\(waited)")
    }

    @Test func `many items that are removed at once are cleared one after another, each time`() {
        var site = TestSite("")
        for round in 1...2 {
            site.advance(to: site.now + 10)
            for number in 0..<100 {
                _ = site.ask(
                    "items/add",
                    "{\"name\":\"Item \(number)\",\"uuid\":\"\(TestSite.bag.uuid)\",\"major\":9,\"minor\":\(number)}")
            }
            site.advance(to: site.now + 60)
            #expect(site.announced.count == 101)
            for number in 0..<100 { _ = site.ask("items/remove", "{\"id\":\"item-\(number)\"}") }
            let atOnce = site.cleared.count - (round - 1) * 100
            #expect((1...40).contains(atOnce), "\(atOnce)")
            site.advance(to: site.now + 30)
            #expect(site.cleared.count == round * 100)
            #expect(Set(site.cleared).count == 100)
        }
    }

    @Test func `an item that is removed while Home Assistant is down is shown to it once more, and then cleared`() {
        var site = TestSite("")
        site.deliverElsewhere("homeassistant/status", "online")
        site.advance(to: 20)
        for _ in 0..<2 {
            _ = site.ask("items/add", Self.second)
            site.advance(to: site.now + 10)
            site.deliverElsewhere("homeassistant/status", "offline")
            _ = site.ask("items/remove", "{\"id\":\"keys\"}")
            site.advance(to: site.now + 300)
            #expect(site.discovery(of: .item("keys")).isEmpty)
            site.forgetOutputs()
            site.deliverElsewhere("homeassistant/status", "online")
            site.advance(to: site.now + 3)
            #expect(site.discovery(of: .item("keys")).contains("\"name\":\"Keys\""))
            #expect(!site.discovery(of: .item("keys")).contains("via_device"))
            #expect(site.cleared == [])
            site.advance(to: site.now + 5)
            #expect(site.cleared == ["forgetmenot_item_keys"])
            site.forgetOutputs()
            site.deliverElsewhere("homeassistant/status", "online")
            site.advance(to: site.now + 30)
            #expect(!site.announced.contains("forgetmenot_item_keys") && site.cleared == [])
        }
    }

    @Test func `an item that is removed while Home Assistant is connected is not shown to the next one`() {
        var site = TestSite("")
        site.deliverElsewhere("homeassistant/status", "online")
        site.advance(to: 20)
        _ = site.ask("items/add", Self.second)
        site.advance(to: 30)
        _ = site.ask("items/remove", "{\"id\":\"keys\"}")
        site.advance(to: 300)
        site.deliverElsewhere("homeassistant/status", "offline")
        site.advance(to: 400)
        site.forgetOutputs()
        site.deliverElsewhere("homeassistant/status", "online")
        site.advance(to: 420)
        #expect(!site.announced.contains("forgetmenot_item_keys"))
    }

    @Test func `an item that comes back before Home Assistant does is an item like others`() {
        var site = TestSite("")
        site.deliverElsewhere("homeassistant/status", "offline")
        for _ in 0..<2 {
            _ = site.ask("items/add", Self.second)
            site.advance(to: site.now + 10)
            _ = site.ask("items/remove", "{\"id\":\"keys\"}")
            site.advance(to: site.now + 10)
        }
        _ = site.ask("items/add", Self.second)
        site.advance(to: site.now + 10)
        site.forgetOutputs()
        site.deliverElsewhere("homeassistant/status", "online")
        site.advance(to: site.now + 30)
        #expect(site.discovery(of: .item("keys")).contains("via_device"))
        #expect(site.cleared == [])
    }

    @Test func `discovery that was switched off is taken back again when Home Assistant comes`() throws {
        var site = TestSite("[home_assistant]\ndiscovery = false\n" + TestSite.bagItem, settling: false)
        let before = Device(
            item: RegistryItem(id: "laptop-bag", name: "Laptop bag", beacon: TestSite.bag), receivedBy: ["hall"],
            under: .standard)
        site.deliverElsewhere(
            "homeassistant/device/forgetmenot_item_laptop-bag/config",
            String(decoding: before.payload(by: .aggregator, version: "0"), as: UTF8.self), retained: true)
        site.advance(to: 20)
        #expect(site.cleared == ["forgetmenot_item_laptop-bag"])
        site.forgetOutputs()
        site.deliverElsewhere("homeassistant/status", "online")
        site.advance(to: 40)
        #expect(site.messagesElsewhere.count == 3, "the device, what it leaves with, and nothing")
        let shown = try #require(site.messagesElsewhere.first)
        #expect(String(decoding: shown.payload, as: UTF8.self).contains("distance:hall"))
        #expect(site.cleared == ["forgetmenot_item_laptop-bag"])
    }

    @Test func `the zone counts the items of a site as long as its list may be stored`() throws {
        var site = TestSite(Self.items(Device.mostInZone), settling: false)
        site.advance(to: 60)
        #expect(site.discovery(of: .item("item-0")).contains("zone.home"))
        for _ in 0..<2 {
            _ = site.ask("items/add", Self.second)
            site.advance(to: site.now + 60)
            #expect(!site.discovery(of: .item("item-0")).contains("zone.home"))
            #expect(!site.discovery(of: .item("keys")).contains("zone.home"))
            _ = site.ask("items/remove", "{\"id\":\"keys\"}")
            site.advance(to: site.now + 60)
            #expect(site.discovery(of: .item("item-0")).contains("zone.home"))
            _ = site.ask("people/add", "{\"name\":\"Anna\"}")
            site.advance(to: site.now + 60)
            #expect(!site.discovery(of: .item("item-0")).contains("zone.home"))
            #expect(site.discovery(of: .person("anna")).contains("zone.home"))
            _ = site.ask("people/remove", "{\"name\":\"anna\"}")
            site.advance(to: site.now + 60)
            #expect(site.discovery(of: .item("item-0")).contains("zone.home"))
        }
    }

    @Test func `the prefix is Home Assistant's, whatever it is`() {
        let site = TestSite("[home_assistant]\nprefix = \"ha/discovery\"\n" + TestSite.bagItem)
        #expect(site.messagesElsewhere.allSatisfy { $0.topic.hasPrefix("ha/discovery/device/") })
        #expect(!site.messagesElsewhere.isEmpty)
    }

    @Test func `each room is published as mqtt_room reads it, again and again, if that is configured`() {
        var site = TestSite("[home_assistant]\ndiscovery = false\nmqtt_room = true\n" + TestSite.bagItem)
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        for second in stride(from: 5.0, to: 60, by: 5) {
            site.heartbeat("kitchen", room: "Kitchen")
            site.ranged(at: "kitchen")
            site.advance(to: second + 5)
        }
        let published = site.messagesElsewhere
        // One more than every ten seconds where `last_seen_at` is refreshed.
        #expect((5...8).contains(published.count))
        #expect(Set(published.map(\.topic)) == ["forgetmenot/rooms/Kitchen"])
        #expect(
            String(decoding: published[0].payload, as: UTF8.self)
                == "{\"id\":\"laptop-bag\",\"name\":\"Laptop bag\",\"distance\":1.5}")
    }

    @Test(arguments: [10.0, 30])
    func `a location's last_seen_at is never more than 60 s older than the truth, however still the item is`(
        heartbeat: Double
    ) throws {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        var last = site.now
        for second in stride(from: 6.0, through: 3600, by: 1) {
            if Int(second) % 30 == 0 { site.heartbeat("kitchen", room: "Kitchen") }
            if Int(second) % Int(heartbeat) == 0 {
                site.ranged(at: "kitchen", validFor: UInt32(heartbeat * 2.5))
                last = site.now
            }
            site.advance(to: second)
            guard let seen = site.location?.lastSeenAt else { continue }
            #expect(TestSite.start + .seconds(last) - seen <= .seconds(60), "at \(second)")
        }
        #expect(site.location?.lastSeenAt != nil)
        // No more often than it has to be: each of them goes into Home Assistant's database.
        let sent = site.published(on: .itemLocation(item: "laptop-bag")).count
        #expect(sent < (heartbeat == 10 ? 85 : 135), "\(sent)")
    }
}

extension TestSite {
    mutating func deliverElsewhere(_ topic: String, _ payload: String, retained: Bool = false) {
        pipeline.receive(topic: topic, payload: Array(payload.utf8), isRetained: retained, at: moment)
        collect()
    }

    var messagesElsewhere: [ForeignMessage] {
        outputs.compactMap { if case .publishElsewhere(let message) = $0 { message } else { nil } }
    }

    /// The devices that were announced, and those that were withdrawn, by their ids.
    var announced: [String] { messagesElsewhere.filter { !$0.payload.isEmpty }.compactMap { device(of: $0) }.unique }
    var cleared: [String] { messagesElsewhere.filter(\.payload.isEmpty).compactMap { device(of: $0) } }

    func discovery(of id: DeviceID) -> String {
        let topic = HomeAssistantTopic.device(id).name(under: TopicPrefix("homeassistant")!)
        return messagesElsewhere.last { $0.topic == topic }.map { String(decoding: $0.payload, as: UTF8.self) } ?? ""
    }

    private func device(of message: ForeignMessage) -> String? {
        let levels = message.topic.split(separator: "/")
        return levels.count == 4 ? String(levels[2]) : nil
    }
}

extension [String] {
    fileprivate var unique: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
