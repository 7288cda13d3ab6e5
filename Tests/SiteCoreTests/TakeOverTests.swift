import Beacons
import HomeAssistant
import Messages
import Testing

/// Discovery that a gateway cleared, and discovery that an earlier process of the aggregator left behind.
struct TakeOverTests {
    private static let kitchen = DeviceID.gateway("kitchen")
    private static let topic = "homeassistant/device/forgetmenot-kitchen/config"

    /// What a gateway with `discovery = true` publishes.
    private static let ownWord = String(
        decoding: Device(
            gateway: KnownGateway(id: "kitchen", room: "Kitchen", version: "1"), hasParent: false, under: .standard
        ).payload(by: .gateway, version: "1"), as: UTF8.self)

    private func siteWithKitchen() -> TestSite {
        var site = TestSite(settling: false)
        site.gateway("kitchen", room: "Kitchen")
        return site
    }

    @Test func `the aggregator announces a gateway within three seconds after the gateway cleared its own discovery`() {
        var site = siteWithKitchen()
        site.deliverElsewhere(Self.topic, Self.ownWord, retained: true)
        site.advance(to: 10)
        #expect(!site.announced.contains("forgetmenot-kitchen"), "the gateway announces itself")
        site.forgetOutputs()
        site.deliverElsewhere(Self.topic, "")
        site.advance(to: 11)
        #expect(site.announced == [], "Home Assistant is still taking the device away")
        site.advance(to: 13)
        #expect(site.announced == ["forgetmenot-kitchen"])
        #expect(site.discovery(of: Self.kitchen).contains("\"via_device\""))
        site.advance(to: 200)
        #expect(site.announced.count == 1 && site.messagesElsewhere.count == 1)
    }

    @Test func `the aggregator announces an item again whose discovery somebody else cleared`() {
        var site = TestSite()
        site.advance(to: 10)
        site.forgetOutputs()
        site.deliverElsewhere("homeassistant/device/forgetmenot_item_laptop-bag/config", "")
        site.advance(to: 13)
        #expect(site.announced == ["forgetmenot_item_laptop-bag"])
    }

    @Test func `the aggregator does not respond to the echo of its own clearing`() {
        var site = TestSite("")
        _ = site.ask("items/add", "{\"name\":\"Keys\",\"uuid\":\"\(TestSite.bag.uuid)\",\"major\":1,\"minor\":3}")
        site.advance(to: 10)
        _ = site.ask("items/remove", "{\"id\":\"keys\"}")
        _ = site.ask("items/add", "{\"name\":\"Keys\",\"uuid\":\"\(TestSite.bag.uuid)\",\"major\":1,\"minor\":3}")
        site.forgetOutputs()
        site.advance(to: 11)
        site.deliverElsewhere("homeassistant/device/forgetmenot_item_keys/config", "")
        site.advance(to: 60)
        #expect(site.messagesElsewhere.count == 1, "it is announced once, after Home Assistant took it away")
        #expect(site.announced == ["forgetmenot_item_keys"])
    }

    @Test func `a gateway that announces and clears itself without end gets few responses`() {
        var site = siteWithKitchen()
        site.advance(to: 10)
        site.forgetOutputs()
        for second in stride(from: 10.0, to: 610, by: 5) {
            site.deliverElsewhere(Self.topic, Self.ownWord)
            site.deliverElsewhere(Self.topic, "")
            site.advance(to: second + 5)
        }
        let responses = site.messagesElsewhere.count { $0.topic == Self.topic }
        #expect((6...9).contains(responses), "\(responses)")
        site.advance(to: 1500)
        #expect(site.messagesElsewhere.last { $0.topic == Self.topic }?.payload.isEmpty == false)
    }

    @Test func `a gateway that stopped announcing itself while the broker was gone is announced`() {
        var site = siteWithKitchen()
        site.deliverElsewhere(Self.topic, Self.ownWord, retained: true)
        site.advance(to: 10)
        site.forgetOutputs()
        site.reconnect(after: 5)
        site.gateway("kitchen", room: "Kitchen")
        site.advance(to: 30)
        #expect(site.announced.contains("forgetmenot-kitchen"))
    }

    // MARK: What an earlier process left behind

    private static let wallet = Device(
        item: RegistryItem(id: "wallet", name: "Wallet \"1\"", beacon: TestSite.bag),
        receivedBy: ["kitchen", "hall"], under: .standard)

    /// Home Assistant 2025.4.4 warns of each entity that is switched off in a device that is cleared.
    private func expectLeaving(_ site: TestSite) throws {
        let messages = site.messagesElsewhere.filter { $0.topic.contains("_wallet/") }
        try #require(messages.count == 2)
        let clean = Self.wallet.payload(by: .aggregator, version: version, isLeaving: true)
        #expect(messages[0].payload == clean, "as when the process that announced it removes it")
        #expect(messages[1].payload == [])
    }

    @Test func `an item that left the file while nobody was here goes as cleanly as one that is removed`() throws {
        var site = TestSite(settling: false)
        site.deliverElsewhere(
            "homeassistant/device/forgetmenot_item_wallet/config",
            String(decoding: Self.wallet.payload(by: .aggregator, version: "0"), as: UTF8.self), retained: true)
        site.advance(to: 10)
        try expectLeaving(site)
    }

    @Test func `discovery that was switched off while nobody was here goes as cleanly`() throws {
        var site = TestSite("[home_assistant]\ndiscovery = false\n", settling: false)
        site.deliverElsewhere(
            "homeassistant/device/forgetmenot_item_wallet/config",
            String(decoding: Self.wallet.payload(by: .aggregator, version: "0"), as: UTF8.self), retained: true)
        site.advance(to: 10)
        try expectLeaving(site)
    }

    @Test func `a component that only the broker's announcement has is named once, and then left out`() throws {
        var site = TestSite(settling: false)
        let before = Device(
            item: RegistryItem(id: "laptop-bag", name: "Laptop bag", beacon: TestSite.bag),
            receivedBy: ["attic"], under: .standard)
        site.deliverElsewhere(
            "homeassistant/device/forgetmenot_item_laptop-bag/config",
            String(decoding: before.payload(by: .aggregator, version: "0"), as: UTF8.self), retained: true)
        site.advance(to: 10)
        let texts = site.messagesElsewhere.filter { $0.topic.contains("laptop-bag") }
            .map { String(decoding: $0.payload, as: UTF8.self) }
        try #require(texts.count == 2)
        #expect(texts[0].contains("\"distance:attic\":{\"p\":\"sensor\"}"))
        #expect(!texts[1].contains("distance:attic"))
    }
}
