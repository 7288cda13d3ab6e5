import Beacons
import HomeAssistant
import Messages
import Testing

/// Announcements under our discovery topics that are not ours.
struct ForeignDiscoveryTests {
    private static let topic = "homeassistant/device/forgetmenot-kitchen/config"
    private static let lock = """
        {"dev":{"identifiers":["front-door"],"name":"Front door"},"o":{"name":"Forgetmenot gateway"},\
        "cmps":{"lock":{"p":"lock","name":"Front door","unique_id":"x","command_topic":"forgetmenot/gateways/kitchen/x"}}}
        """

    private func siteWithKitchen(_ toml: String = TestSite.bagItem) -> TestSite {
        var site = TestSite(toml, settling: false)
        site.gateway("kitchen", room: "Kitchen")
        site.advance(to: 10)
        site.forgetOutputs()
        return site
    }

    private func problems(_ site: inout TestSite) throws -> [String] {
        site.advance(to: site.now + 31)
        let info = try #require(site.published(on: .aggregatorInfo).last)
        return try AggregatorInfo(parsing: Array(info.utf8)).problems
    }

    @Test func `a lock that a gateway announces is a problem, is cleared and is replaced`() throws {
        var site = siteWithKitchen()
        site.deliverElsewhere(Self.topic, Self.lock)
        site.advance(to: 11)
        #expect(site.cleared == ["forgetmenot-kitchen"])
        let named = try #require(site.published(on: .aggregatorInfo).last)
        #expect(named.contains("kitchen") && named.contains("Home Assistant"), "the problem is said at once")
        site.deliverElsewhere(Self.topic, "")
        site.advance(to: 14)
        #expect(site.announced == ["forgetmenot-kitchen"])
        #expect(site.discovery(of: .gateway("kitchen")).contains("\"o\":{\"name\":\"Forgetmenot\","))
        #expect(site.messagesElsewhere.count == 2)
        #expect(try problems(&site).count == 1, "it is there to be read for an hour")
        site.advance(to: 3700)
        #expect(try problems(&site) == [])
    }

    @Test func `a stranger's announcement retained from before the start is a problem, and is replaced`() throws {
        var site = TestSite(settling: false)
        site.gateway("kitchen", room: "Kitchen")
        site.deliverElsewhere(Self.topic, Self.lock, retained: true)
        site.advance(to: 10)
        #expect(site.cleared == ["forgetmenot-kitchen"])
        #expect(site.announced.last == "forgetmenot-kitchen")
        #expect(try problems(&site).count == 1)
    }

    @Test func `what stands there from before the prefix was changed is replaced, and is no problem, after each start`()
        throws
    {
        var former = TestSite(settling: false)
        former.gateway("kitchen", room: "Kitchen")
        former.advance(to: 10)
        for prefix in ["home2", "a/b"] {
            let left = former.discovery(of: .gateway("kitchen")).replacing("\"forgetmenot/", with: "\"\(prefix)/")
            var site = TestSite(settling: false)
            site.gateway("kitchen", room: "Kitchen")
            site.deliverElsewhere(Self.topic, left, retained: true)
            site.advance(to: 10)
            #expect(site.announced.contains("forgetmenot-kitchen") && site.cleared.isEmpty)
            #expect(site.discovery(of: .gateway("kitchen")).contains("\"forgetmenot/"))
            #expect(try problems(&site) == [])
            // With anything else in it, it is somebody's.
            var attacked = TestSite(settling: false)
            attacked.gateway("kitchen", room: "Kitchen")
            attacked.deliverElsewhere(
                Self.topic, left.replacing("\"binary_sensor\"", with: "\"lock\""), retained: true)
            attacked.advance(to: 10)
            #expect(try problems(&attacked).count == 1)
            former = site
        }
    }

    @Test(arguments: ["aggregator", "gateway"])
    func `a gateway that insists gets few responses, and stays a problem`(writer: String) throws {
        var site = siteWithKitchen()
        let word = writer == "gateway" ? Self.lock : Self.lock.replacing("Forgetmenot gateway", with: "Forgetmenot")
        for second in 10..<610 {
            site.deliverElsewhere(Self.topic, word)
            site.advance(to: Double(second + 1))
        }
        #expect(site.messagesElsewhere.count <= 16, "\(site.messagesElsewhere.count)")
        #expect(!site.messagesElsewhere.isEmpty)
        #expect(try problems(&site).count == 1)
    }

    @Test(arguments: [
        "no JSON", "[]", "{\"o\":{\"name\":\"zigbee2mqtt\"}}", "{\"o\":{\"name\":\"Forgetmenot\"},\"cmps\":{}}",
    ])
    func `any other payload on an announcement's topic is a problem as well`(payload: String) throws {
        var site = siteWithKitchen()
        site.deliverElsewhere(Self.topic, payload)
        site.advance(to: 15)
        #expect(site.cleared == ["forgetmenot-kitchen"])
        #expect(try problems(&site).count == 1)
    }

    @Test func `a gateway that is not known is not replaced, only cleared`() throws {
        var site = siteWithKitchen()
        site.deliverElsewhere("homeassistant/device/forgetmenot-shed/config", Self.lock)
        site.advance(to: 20)
        #expect(site.cleared == ["forgetmenot-shed"] && site.announced == [])
    }

    @Test func `where discovery is switched off a stranger is a problem, and is left alone`() throws {
        var site = siteWithKitchen("[home_assistant]\ndiscovery = false\n" + TestSite.bagItem)
        site.deliverElsewhere(Self.topic, Self.lock)
        site.advance(to: 20)
        #expect(site.messagesElsewhere == [])
        #expect(try problems(&site).count == 1)
    }

    @Test func `a new Home Assistant gets no device in place of a foreign one that is still retained`() throws {
        var site = siteWithKitchen()
        for second in 10..<40 {
            site.deliverElsewhere(Self.topic, Self.lock)
            site.advance(to: Double(second + 1))
        }
        site.forgetOutputs()
        site.deliverElsewhere("homeassistant/status", "online")
        site.advance(to: 45)
        #expect(!site.announced.contains("forgetmenot-kitchen"), "the lock would stay")
    }

    // MARK: What is legitimate

    private static let own = Device(
        gateway: KnownGateway(id: "kitchen", room: "Küche", version: "0.9"),
        regions: [
            Region(id: "bags", identifier: "Bags", scope: .uuid(TestSite.bag.uuid)),
            Region(id: "my-key", identifier: "My \"key\"", scope: .beacon(TestSite.bag)),
        ], hasParent: false, under: .standard)

    @Test func `a gateway may announce itself and its own regions`() throws {
        var site = siteWithKitchen()
        site.deliverElsewhere(
            Self.topic, String(decoding: Self.own.payload(by: .gateway, version: "0.9"), as: UTF8.self))
        site.advance(to: 30)
        #expect(site.messagesElsewhere == [])
        #expect(try problems(&site) == [])
    }

    @Test(arguments: [
        ("\"device_class\":\"connectivity\"", "\"device_class\":\"door\""),
        ("\"name\":\"Connectivity\"", "\"name\":\"Front door\""),
        ("\"model\":\"Gateway\"", "\"model\":\"Lock\""),
        ("[\"forgetmenot-kitchen\"]", "[\"somebody-else\"]"),
        ("\"dev\":{", "\"dev\":{\"connections\":[[\"mac\",\"00:11:22:33:44:55\"]],"),
        ("forgetmenot/gateways/kitchen/request/radio/restart", "zigbee2mqtt/front-door/set"),
        ("forgetmenot/gateways/kitchen/telemetry", "forgetmenot/gateways/hall/telemetry"),
        ("\"p\":\"button\"", "\"p\":\"lock\""),
        ("\"qos\":1", "\"qos\":1,\"cmd_t\":\"x\""),
        ("\"cmps\":{", "\"cmps\":{\"lock\":{\"p\":\"lock\",\"unique_id\":\"x\"},"),
        ("\"unique_id\":\"forgetmenot-kitchen:beacons\"", "\"unique_id\":\"0x1234\""),
        ("\"default_entity_id\":\"sensor.", "\"default_entity_id\":\"sensor.bank_account_"),
    ])
    func `a gateway's announcement with one lie in it is foreign`(word: String, lie: String) throws {
        let honest = String(decoding: Self.own.payload(by: .gateway, version: "0.9"), as: UTF8.self)
        try #require(honest.contains(word))
        var site = siteWithKitchen()
        site.deliverElsewhere(Self.topic, honest.replacing(word, with: lie))
        site.advance(to: 15)
        #expect(site.cleared == ["forgetmenot-kitchen"])
        #expect(try problems(&site).count == 1)
    }

    @Test func `all that the aggregator itself publishes is its own`() throws {
        var site = siteWithKitchen()
        site.gateway("hall.2", room: "Hall")
        site.ranged(at: "kitchen")
        site.ranged(at: "hall.2")
        site.advance(to: 21)
        _ = site.ask("gateways/remove", "{\"id\":\"kitchen\"}")
        site.offline("kitchen")
        _ = site.ask("gateways/remove", "{\"id\":\"kitchen\"}")
        site.advance(to: 35)
        let published = site.messagesElsewhere
        #expect(published.count >= 4)
        site.forgetOutputs()
        for message in published {
            site.deliverElsewhere(message.topic, String(decoding: message.payload, as: UTF8.self))
        }
        #expect(try problems(&site) == [])
    }

    @Test func `a problem shows nothing that a terminal would obey`() throws {
        var site = siteWithKitchen()
        site.deliverElsewhere(Self.topic, Self.lock.replacing("\"lock\":{", with: "\"\\u001b[2J\\n\\u202e\":{"))
        let reported = try problems(&site)
        #expect(reported.count == 1)
        #expect(reported.allSatisfy { $0.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) } })
    }
}
