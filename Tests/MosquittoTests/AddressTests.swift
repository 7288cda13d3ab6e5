import Beacons
import TestBroker
import Testing

@testable import Mosquitto

/// The selection of the broker's address.
@Suite struct AddressTests {
    @Test func `a network that drops all packets is reported and retried soon`() throws {
        let broker = try ScriptedBroker.deaf()
        var timing = Timing()
        timing.reach = .milliseconds(300)
        let owner = try Owner(.at(broker.port), timing: timing)
        let fault = try owner.failing()
        #expect(fault.kind == .unreachable)
        #expect(fault.description.hasSuffix("Connection timed out"), "\(fault)")
    }

    @Test(.enabled(if: Loopback.isIPv6First("localhost"), "skipped: localhost does not lead to ::1 first here"))
    func `a broker on IPv4 is found under a name whose first address is an unreachable IPv6 address`() throws {
        let broker = try ScriptedBroker()
        let deaf = try ScriptedBroker.deaf(port: broker.port, on: .v6)
        var timing = Timing()
        timing.reach = .milliseconds(500)
        let owner = try Owner(.at(broker.port), timing: timing)
        let client = try broker.welcome()
        try owner.connected()
        #expect(owner.notices == [.connected(sessionPresent: false)], "there was nothing to tell")
        withExtendedLifetime((deaf, client)) {}
    }
}
