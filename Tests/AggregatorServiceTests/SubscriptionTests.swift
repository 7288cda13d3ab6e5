import Settings
import SiteCore
import Testing

@testable import AggregatorService

/// What the aggregator reads of the broker.
struct SubscriptionTests {
    @Test(arguments: ["", "[standby]\nname = \"left\"\n"])
    func `the aggregator subscribes to occupancy sensors only if they are enabled`(other: String) {
        for (text, isExpected) in [("", false), ("[occupancy]\nenabled = true\n", true)] {
            let reading = readSettings(Array((other + text).utf8), file: "a.toml") { AggregatorConfiguration($0) }
            let topics = reading.configuration?.brokerOptions.subscriptions.map(\.filter) ?? []
            #expect(topics.contains("forgetmenot/registry/manifest"))
            #expect(topics.contains("forgetmenot/rooms/+/occupancy") == isExpected)
        }
    }
}
