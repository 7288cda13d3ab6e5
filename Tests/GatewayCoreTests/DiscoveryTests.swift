import HomeAssistant
import Messages
import Settings
import Testing

@testable import GatewayCore

/// A gateway announces itself to Home Assistant.
struct DiscoveryTests {
    private static let topic = "homeassistant/device/forgetmenot-kitchen/config"
    private static let on = "[home_assistant]\ndiscovery = true\n" + TestGateway.bagRegion

    private func announcements(_ gateway: TestGateway) -> [ForeignMessage] {
        gateway.outputs.compactMap { if case .publishElsewhere(let message) = $0 { message } else { nil } }
    }

    @Test func `a gateway announces itself and its regions on the one topic that it may write`() throws {
        var gateway = TestGateway(Self.on)
        gateway.connect()
        gateway.advance(to: 1)
        let messages = announcements(gateway)
        try #require(messages.count == 1)
        #expect(messages[0].topic == Self.topic && messages[0].isRetained)
        #expect(Device.origin(of: messages[0].payload) == .gateway)
        let text = String(decoding: messages[0].payload, as: UTF8.self)
        #expect(text.contains("\"suggested_area\":\"Kitchen\""))
        #expect(text.contains("forgetmenot/regions/bags/kitchen/state"))
        #expect(!text.contains("via_device") && !text.contains("forgetmenot/aggregator"), "there is no aggregator")
    }

    @Test func `a reload announces another room or region, and nothing if neither has changed`() {
        var gateway = TestGateway(Self.on)
        gateway.connect()
        gateway.advance(to: 1)
        for (room, count) in [("Hall", 2), ("Hall", 2), ("Attic", 3)] {
            let text = "id = \"kitchen\"\nroom = \"\(room)\"\n" + Self.on
            let reading = readSettings(Array(text.utf8), file: "test.toml") {
                GatewayConfiguration($0, hostName: "host")
            }
            _ = gateway.pipeline.reload(reading.configuration!, at: TestGateway.moment(2))
            gateway.advance(to: 2)
            #expect(announcements(gateway).count == count)
        }
    }

    @Test func `a region that a reload removes is removed from Home Assistant by name, once, each time`() {
        var gateway = TestGateway(Self.on)
        gateway.connect()
        gateway.advance(to: 1)
        let without = "[home_assistant]\ndiscovery = true\n"
        for (number, toml) in [without, Self.on, without].enumerated() {
            gateway.forgetOutputs()
            let text = "id = \"kitchen\"\nroom = \"Kitchen\"\n" + toml
            let reading = readSettings(Array(text.utf8), file: "test.toml") {
                GatewayConfiguration($0, hostName: "host")
            }
            _ = gateway.pipeline.reload(reading.configuration!, at: TestGateway.moment(Double(number + 2)))
            gateway.advance(to: Double(number + 2))
            let texts = announcements(gateway).map { String(decoding: $0.payload, as: UTF8.self) }
            let removal = "\"region:bags\":{\"p\":\"binary_sensor\"}"
            #expect(texts.map { $0.contains(removal) } == (toml == without ? [true, false] : [false]))
            #expect(texts.last?.contains("region:bags") == (toml == Self.on))
        }
    }

    @Test func `nothing is announced unless discovery is switched on`() {
        var gateway = TestGateway()
        gateway.connect()
        gateway.pipeline.receive(
            topic: "homeassistant/status", payload: Array("online".utf8), isRetained: false, at: TestGateway.moment(5))
        gateway.advance(to: 10)
        #expect(announcements(gateway) == [])
        #expect(gateway.pipeline.eventsMayGo)
    }

    @Test func `a Home Assistant that starts gets all devices again, and the present states after them`() {
        var gateway = TestGateway(Self.on)
        gateway.connect()
        gateway.advance(to: 1)
        let before = gateway.published(on: .gatewayInfo(gateway: "kitchen")).count
        gateway.pipeline.receive(
            topic: "homeassistant/status", payload: Array("online".utf8), isRetained: false, at: TestGateway.moment(9))
        gateway.advance(to: 9)
        #expect(announcements(gateway).count == 2)
        #expect(gateway.published(on: .gatewayInfo(gateway: "kitchen")).count == before + 1)
        gateway.pipeline.receive(
            topic: "homeassistant/status", payload: Array("offline".utf8), isRetained: false, at: TestGateway.moment(10)
        )
        gateway.advance(to: 10)
        #expect(announcements(gateway).count == 2)
    }

    /// How often telemetry was requested.
    private func measured(_ gateway: TestGateway) -> Int {
        gateway.outputs.count { if case .perform(.measure) = $0 { true } else { false } }
    }

    private func deliver(_ word: String, to gateway: inout TestGateway, at seconds: Double, isRetained: Bool = false) {
        gateway.pipeline.receive(
            topic: "homeassistant/status", payload: Array(word.utf8), isRetained: isRetained,
            at: TestGateway.moment(seconds))
    }

    @Test(arguments: [on, TestGateway.bagRegion])
    func `telemetry is published three seconds after Home Assistant was born, whoever announces the gateway`(
        toml: String
    ) {
        var gateway = TestGateway(toml)
        gateway.connect()
        gateway.advance(to: 1)
        deliver("online", to: &gateway, at: 9)
        gateway.advance(to: 9)
        #expect(measured(gateway) == 0, "what is not retained is lost while Home Assistant takes the device in")
        gateway.advance(to: 12)
        #expect(measured(gateway) == 1)
        gateway.advance(to: 60)
        #expect(measured(gateway) == 1, "the next one is due a minute later")
        gateway.advance(to: 72)
        #expect(measured(gateway) == 2)
    }

    @Test(arguments: [("offline", false), ("online", true), ("", false)])
    func `other words about Home Assistant make no telemetry`(word: String, isRetained: Bool) {
        var gateway = TestGateway()
        gateway.connect()
        deliver(word, to: &gateway, at: 9, isRetained: isRetained)
        gateway.advance(to: 30)
        #expect(measured(gateway) == 0)
    }

    @Test(arguments: [on, TestGateway.bagRegion])
    func `a Home Assistant that starts again and again gets a response every few seconds`(toml: String) {
        var gateway = TestGateway(toml)
        gateway.connect()
        gateway.advance(to: 1)
        for tenth in 100..<400 {
            deliver("online", to: &gateway, at: Double(tenth) / 10)
            gateway.advance(to: Double(tenth) / 10)
        }
        #expect((1...4).contains(measured(gateway)), "\(measured(gateway))")
        #expect(announcements(gateway).count <= 8, "\(announcements(gateway).count)")
        gateway.advance(to: 60)
        #expect(measured(gateway) <= 5)
    }

    @Test func `events wait while Home Assistant takes the device in`() {
        var gateway = TestGateway(Self.on)
        gateway.connect(at: 10)
        gateway.advance(to: 11)
        #expect(!gateway.pipeline.eventsMayGo)
        gateway.advance(to: 13)
        #expect(gateway.pipeline.eventsMayGo)
    }

    @Test func `an id with a dot is refused, since Home Assistant reads no such topic`() {
        let text = "id = \"pi.attic\"\n[home_assistant]\ndiscovery = true\n"
        let reading = readSettings(Array(text.utf8), file: "g.toml") { GatewayConfiguration($0, hostName: "host") }
        #expect(reading.problems.count == 1)
        #expect("\(reading.problems)".contains("an id without a dot"))
    }
}
