import GatewayCore
import Settings
import Testing

@testable import GatewayService

/// What the gateway reads of the broker.
struct SubscriptionTests {
    @Test func `a gateway subscribes to Home Assistant's birth whether it announces itself or not`() {
        for text in ["", "[home_assistant]\ndiscovery = true\n"] {
            let reading = readSettings(Array(text.utf8), file: "g.toml") { GatewayConfiguration($0, hostName: "host") }
            let topics = reading.configuration?.brokerOptions.subscriptions.map(\.filter) ?? []
            #expect(topics.contains("homeassistant/status"))
        }
    }

    @Test(arguments: [("5", true), ("3.1.1", false)])
    func `a gateway subscribes with QoS 1 under MQTT 5, and with QoS 0 under MQTT 3.1.1`(version: String, is1: Bool) {
        let text = "[mqtt]\nversion = \"\(version)\"\n"
        let reading = readSettings(Array(text.utf8), file: "g.toml") { GatewayConfiguration($0, hostName: "host") }
        let subscriptions = reading.configuration?.brokerOptions.subscriptions ?? []
        #expect(subscriptions.count > 1)
        #expect(subscriptions.allSatisfy { $0.qos == (is1 ? .atLeastOnce : .atMostOnce) })
    }
}
