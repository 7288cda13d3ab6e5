import Messages
import Settings
import Testing

@testable import GatewayCore

/// A configuration that changes while the gateway runs.
struct ReloadTests {
    private func configuration(_ toml: String) -> GatewayConfiguration {
        let reading = readSettings(Array("id = \"kitchen\"\n\(toml)".utf8), file: "test.toml") {
            GatewayConfiguration($0, hostName: "host")
        }
        precondition(reading.problems.isEmpty, "\(reading.problems)")
        return reading.configuration!
    }

    private let rest = """
        [monitoring]
        exit_after = "10s"

        """

    @Test func `another room is published at once, without an event`() throws {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 5)
        let story = gateway.story
        let late = gateway.pipeline.reload(
            configuration("room = \"Hall\"\n" + TestGateway.bagRegion), at: TestGateway.moment(6))
        gateway.receive(from: 6, to: 8)
        #expect(late.isEmpty)
        let info: [GatewayInfo] = gateway.states(on: .gatewayInfo(gateway: "kitchen"))
        #expect(info.last?.room == "Hall")
        let ranged: [RangedState] = gateway.states(on: .proximity(TestGateway.bag, gateway: "kitchen"))
        #expect(ranged.last?.room == "Hall" && ranged.first?.room == "Kitchen")
        #expect(gateway.story == story)
    }

    @Test func `a region that is gone is taken back without an event, and a new one is monitored`() {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 5)
        let others = rest + "[[region]]\nidentifier = \"Cars\"\nuuid = \"f7826da6-4fa2-4e98-8024-bc5b71e0893e\"\n"
        _ = gateway.pipeline.reload(configuration("room = \"Kitchen\"\n" + others), at: TestGateway.moment(6))
        gateway.advance(to: 7)
        #expect(gateway.published(on: .regionState(region: "bags", gateway: "kitchen")).last == "")
        #expect(!gateway.published(on: .regionState(region: "cars", gateway: "kitchen")).isEmpty)
        #expect(!gateway.story.contains { $0.hasPrefix("exit") }, "\(gateway.story)")
    }

    @Test func `a reload applies a changed receiver offset, and the gateway publishes it`() throws {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 30)
        let offset = "[ranging]\nrssi_offset_db = -20.0\n"
        _ = gateway.pipeline.reload(
            configuration("room = \"Kitchen\"\n" + TestGateway.bagRegion + "\n" + offset), at: TestGateway.moment(30))
        gateway.receive(from: 31, to: 60)
        let ranged: [RangedState] = gateway.states(on: .proximity(TestGateway.bag, gateway: "kitchen"))
        let (before, after) = (
            try #require(ranged.first { $0.accuracy != nil }?.accuracy), try #require(ranged.last?.accuracy)
        )
        #expect(after > before * 2, "\(before) \(after)")
        let infos: [GatewayInfo] = gateway.states(on: .gatewayInfo(gateway: "kitchen"))
        #expect(infos.first?.rssiOffset == nil && infos.last?.rssiOffset == -20)
    }

    @Test func `settings that need a restart are named`() {
        var gateway = TestGateway()
        let new = configuration(
            "state_directory = \"/x\"\n[mqtt]\nhost = \"h\"\n[monitoring]\nexit_after = \"20s\"\n[radio]\nseed = 2\n[ranging]\nheartbeat = \"5s\"\n"
                + "[home_assistant]\ndiscovery = true\n"
        )
        let late = gateway.pipeline.reload(new, at: TestGateway.moment(1))
        #expect(late == ["state_directory", "[mqtt]", "[radio]", "[ranging]", "[monitoring]", "[home_assistant]"])
        #expect(gateway.pipeline.configuration.broker.host == "localhost")
    }
}
