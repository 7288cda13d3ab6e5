import TestBroker
import Testing

@testable import Mosquitto

/// A broker with several addresses: a connection goes on to the next one when it fails or ends.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto to talk to here"))
struct AlternativeTests {
    /// Two brokers on one port, at two addresses of the loopback.
    private func twoBrokers() throws -> (TestBroker, TestBroker, port: UInt16) {
        let first = try TestBroker()
        var options = TestBroker.Options()
        options.address = "127.0.0.2"
        options.port = first.port
        return (first, try TestBroker(options), first.port)
    }

    @Test func `a connection goes on to the other broker when its own is killed, and back when that one is killed`()
        throws
    {
        let (first, second, port) = try twoBrokers()
        var options = BrokerOptions.at(port, subscribedTo: "a")
        (options.host, options.alternatives) = ("127.0.0.1", ["127.0.0.2"])
        let owner = try Owner(options)
        try owner.subscribed()
        first.kill()
        _ = try owner.disconnected()
        try owner.subscribed()
        owner.connection.publish(.text("a", "by the second broker"))
        #expect(try owner.message().text == "by the second broker")
        try first.restart()
        second.kill()
        _ = try owner.disconnected()
        try owner.subscribed()
        owner.connection.publish(.text("a", "by the first broker"))
        #expect(try owner.message().text == "by the first broker")
    }

    @Test func `an address at which nothing responds is passed over, and reported once`() throws {
        let (first, second, port) = try twoBrokers()
        first.kill()
        var options = BrokerOptions.at(port)
        (options.host, options.alternatives) = ("127.0.0.1", ["127.0.0.2"])
        let owner = try Owner(options)
        let fault = try owner.failing()
        #expect(fault.kind == .unreachable && fault.description.contains("127.0.0.1:\(port)"))
        try owner.connected()
        second.kill()
        _ = try owner.disconnected()
        let faults = [try owner.failing(), try owner.failing()].map(\.description)
        #expect(faults.contains { $0.contains("127.0.0.1:") } && faults.contains { $0.contains("127.0.0.2:") })
        try second.restart()
        try owner.connected()
        // Each address fails for one reason after the connection ended, whatever the number of attempts.
        let later = owner.notices.drop { if case .disconnected = $0 { false } else { true } }
        #expect(later.count { if case .failing = $0 { true } else { false } } <= 2)
    }
}
