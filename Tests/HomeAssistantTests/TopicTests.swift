import HomeAssistant
import Messages
import Testing

struct HomeAssistantTopicTests {
    @Test func `a topic is written and read back`() throws {
        for (topic, name) in [
            (HomeAssistantTopic.status, "homeassistant/status"),
            (.device(.aggregator), "homeassistant/device/forgetmenot_aggregator/config"),
            (.device(.gateway("kitchen")), "homeassistant/device/forgetmenot-kitchen/config"),
            (.device(.item("laptop-bag")), "homeassistant/device/forgetmenot_item_laptop-bag/config"),
            (.device(.item("a.b.")), "homeassistant/device/forgetmenot_item_aDOTbDOT/config"),
        ] {
            let prefix = try #require(TopicPrefix("homeassistant"))
            #expect(topic.name(under: prefix) == name)
            #expect(HomeAssistantTopic(named: name, under: prefix) == topic)
        }
    }

    @Test(arguments: [
        "homeassistant/device/zigbee2mqtt_bridge/config", "homeassistant/device/forgetmenot-/config",
        "homeassistant/device/forgetmenot-Kitchen/config", "homeassistant/device/forgetmenot-a.b/config",
        "homeassistant/device/forgetmenot-kitchen", "homeassistant/sensor/forgetmenot-kitchen/config",
        "homeassistant/statuses", "forgetmenot/status", "homeassistant",
    ])
    func `other topics are refused`(name: String) throws {
        #expect(HomeAssistantTopic(named: name, under: try #require(TopicPrefix("homeassistant"))) == nil)
    }

    /// Home Assistant reads `[a-zA-Z0-9_-]+` and logs a warning for other ids.
    @Test func `the ids of devices are distinct and valid for Home Assistant`() {
        let devices: [DeviceID] = [
            .aggregator, .gateway("aggregator"), .gateway("item_a"), .item("a"), .item("aggregator"), .gateway("a.b"),
            .gateway("a_b"), .gateway("a-b"), .item("a.b"), .item("aDOTb"),
        ]
        let texts = devices.dropLast().map(\.text)
        #expect(Set(texts).count == texts.count)
        #expect(texts.allSatisfy { $0.wholeMatch(of: /[a-zA-Z0-9_-]+/) != nil })
    }
}
