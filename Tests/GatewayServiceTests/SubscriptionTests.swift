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
}
