import Glibc
import Testing

/// Who announces a gateway to Home Assistant, with the real programs.
struct DiscoveryTests {
    private static let topic = "homeassistant/device/forgetmenot-kitchen/config"

    @Test
    func
        `a gateway that stops announcing itself is announced by the aggregator, and what a stranger wrote is replaced`()
        throws
    {
        let site = try Site()
        let observer = try Observer(site.broker, filters: ["forgetmenot/#", "homeassistant/#"])
        let aggregator = try site.startAggregator()
        let talkative = try site.startGateway(
            "kitchen", room: "Kitchen", more: "[home_assistant]\ndiscovery = true\n")
        try observer.wait(for: "the gateway's own announcement") {
            observer.latest[Self.topic]?.contains("\"Forgetmenot gateway\"") == true
        }
        #expect(try talkative.ended(by: SIGTERM).status == 0)
        let silent = try site.startGateway("kitchen", room: "Kitchen")
        try observer.wait(for: "the aggregator's announcement", within: .seconds(30)) {
            observer.latest[Self.topic]?.contains("via_device") == true
        }

        let lock = #"{"dev":{"identifiers":["x"]},"o":{"name":"x"},"cmps":{"y":{"p":"lock","unique_id":"x"}}}"#
        try observer.publish([(Self.topic, lock, true)])
        try observer.wait(for: "the problem") {
            observer.latest["forgetmenot/aggregator/info"]?.contains("that is not ours") == true
        }
        try observer.wait(for: "the aggregator's announcement again", within: .seconds(30)) {
            observer.latest[Self.topic]?.contains("via_device") == true
        }
        for program in [silent, aggregator] { #expect(try program.ended(by: SIGTERM).status == 0) }
    }
}
