import Beacons
import Messages
import Testing

@Suite("A gateway with a beacon of its own")
struct GatewayBeaconTests {
    private let other = BeaconIdentity(uuid: BeaconUUID("f7826da6-4fa2-4e98-8024-bc5b71e0893e")!, major: 100, minor: 2)
    private let toml = """
        [beacon]
        uuid = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"
        major = 100
        minor = 1
        measured_power_dbm = -62
        """

    @Test func `a gateway's info names the beacon that it sends`() throws {
        var gateway = TestGateway(toml)
        gateway.connect()
        gateway.advance(to: 1)
        let info = try GatewayInfo(parsing: Array(gateway.published(on: .gatewayInfo(gateway: "kitchen")).last!.utf8))
        #expect(info.beacon?.identity == BeaconIdentity(uuid: other.uuid, major: 100, minor: 1))
        #expect(info.beacon?.measuredPower == MeasuredPower(dBm: -62))
    }

    @Test func `a gateway ranges the beacons of the other gateways, which nobody has to name`() {
        for (toml, isReceived) in [(toml, true), ("", false)] {
            var gateway = TestGateway(toml)
            gateway.connect()
            for second in 1...5 {
                gateway.receive(other, at: Double(second))
                gateway.advance(to: Double(second))
            }
            #expect(!gateway.published(on: .proximity(other, gateway: "kitchen")).isEmpty == isReceived)
            gateway.ask("regions/state", at: 6)
            let states = gateway.published(on: .gatewayResponse(gateway: "kitchen", what: "regions/state")).last
            #expect(states?.contains(#""regions":[]"#) == true, "their region is nobody's: \(states ?? "")")
        }
    }
}
