import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

@testable import Mosquitto

/// Tests with a real mosquitto behind TLS.
@Suite(
    .enabled(
        if: TestBroker.isInstalled && isProgramInstalled("openssl"),
        "skipped: no mosquitto, or no openssl, to talk to here"))
struct TLSTests {
    private func broker(_ identity: TestIdentity, clients: TestAuthority? = nil) throws -> TestBroker {
        var configuration = TestBroker.Options()
        configuration.identity = identity
        configuration.clientAuthority = clients
        return try TestBroker(configuration)
    }

    private func options(_ broker: TestBroker, trusting authority: TestAuthority) -> BrokerOptions {
        var options = BrokerOptions.at(broker.port, subscribedTo: "#")
        options.caFile = authority.certificate
        return options
    }

    @Test(arguments: [BrokerOptions.Version.v5, .v311])
    func `a broker with a certificate of the authority is trusted`(version: BrokerOptions.Version) throws {
        let authority = try TestAuthority()
        let broker = try broker(authority.issue(to: "localhost"))
        var options = options(broker, trusting: authority)
        options.version = version
        let owner = try Owner(options)
        try owner.connected()
        try owner.subscribed()
        // The payload needs more than one TLS record.
        let large = OutgoingMessage(topic: "a", payload: [UInt8](repeating: 5, count: 300_000), qos: .atLeastOnce)
        for _ in 0..<3 { owner.connection.publish(large) }
        for _ in 0..<3 { #expect(try owner.message().payload == large.payload) }
        owner.connection.stop(farewell: [.text("farewell", "x")], within: .seconds(20))
        owner.takeNow()
        #expect(owner.notices.last == .disconnected(.stopped))
    }

    @Test func `a client sends its certificate if required, and a missing certificate is reported`() throws {
        let authority = try TestAuthority()
        let broker = try broker(authority.issue(to: "localhost"), clients: authority)
        var options = options(broker, trusting: authority)
        let without = try Owner(options)
        // If the broker has closed the connection before its alert was read, the first attempt has only a hint.
        let fault = try without.next("alert") { notice -> BrokerFault? in
            if case .failing(let fault) = notice, fault.kind == .tls { fault } else { nil }
        }
        #expect(fault.description.contains("rejects a client without certificate"), "\(fault)")
        let identity = try authority.issue(to: "kitchen")
        options.certificateFile = identity.certificate
        options.keyFile = identity.key
        try Owner(options).connected()
    }

    @Test func `a wrong authority is reported, and a replaced file takes effect`() throws {
        let authority = try TestAuthority()
        let other = try TestAuthority()
        let broker = try broker(authority.issue(to: "localhost"))
        var options = options(broker, trusting: authority)
        options.caFile = broker.folder.path("trusted.crt")
        try replaceFile(at: options.caFile!, with: readFile(at: other.certificate))
        let owner = try Owner(options)
        let fault = try owner.failing()
        #expect(fault.kind == .certificate)
        #expect(fault.description.hasSuffix("ca_file is not the authority that signed it"), "\(fault)")
        try replaceFile(at: options.caFile!, with: readFile(at: authority.certificate))
        try owner.connected()
    }

    @Test func `a certificate that is not yet valid is reported and retried`() throws {
        let authority = try TestAuthority()
        let soon = WallTime(milliseconds: Clock.wall.milliseconds + 4000)
        let broker = try broker(authority.issue(to: "localhost", validFrom: soon))
        let owner = try Owner(options(broker, trusting: authority))
        // On a very slow machine the certificate may be valid before the first attempt, so nothing is reported.
        let first = try owner.next("answer") { $0 }
        if case .failing(let fault) = first {
            #expect(fault.kind == .certificate)
            #expect(
                fault.description.hasSuffix("certificate is not yet valid; is this host's clock right?"), "\(fault)")
            try owner.connected()
        }
        #expect(Clock.wall.milliseconds >= soon.milliseconds - 1000)
    }

    @Test func `a certificate for another name is not trusted`() throws {
        let authority = try TestAuthority()
        let broker = try broker(authority.issue(to: "elsewhere.example"))
        let owner = try Owner(options(broker, trusting: authority))
        let fault = try owner.failing()
        #expect(fault.kind == .certificate)
        #expect(fault.description.hasSuffix("is for another name than localhost"), "\(fault)")
    }

    @Test func `a broker with TLS that is down at the start, or killed, is retried`() throws {
        let authority = try TestAuthority()
        let broker = try broker(authority.issue(to: "localhost"))
        broker.kill()
        let owner = try Owner(options(broker, trusting: authority))
        let down = try owner.failing()
        #expect(down.kind == .unreachable, "\(down)")
        try broker.restart()
        try owner.connected()
        broker.kill()
        // The broker ends without a TLS shutdown; versions of libmosquitto differ in how they report that.
        let killed = try owner.disconnected()
        #expect([.lost, .closed].contains(killed.kind), "\(killed)")
        try broker.restart()
        try owner.connected()
    }

    @Test func `TLS on a port without TLS, and the reverse, are reported`() throws {
        let authority = try TestAuthority()
        let plain = try TestBroker()
        let fault = try Owner(options(plain, trusting: authority)).failing()
        #expect([.tls, .silent, .unreachable].contains(fault.kind))
        #expect(
            ["is it a port without TLS", "and a port for TLS?"].contains(where: fault.description.contains), "\(fault)")

        let encrypted = try broker(authority.issue(to: "localhost"))
        let other = try Owner(.at(encrypted.port)).failing()
        #expect(other.description.hasSuffix("is it a port for TLS?"), "\(other)")
    }

    @Test func `a broker that stops responding during the handshake is retried`() throws {
        let authority = try TestAuthority()
        let broker = try ScriptedBroker()
        var options = BrokerOptions.at(broker.port)
        options.caFile = authority.certificate
        var timing = Timing()
        timing.response = .seconds(1)
        let owner = try Owner(options, timing: timing)
        let silent = try broker.accept()
        #expect(silent.stirs(within: .seconds(20)), "the client says hello")
        #expect(try owner.failing().kind == .silent)
    }

    @Test func `a broker that closes the connection during the handshake is reported`() throws {
        let authority = try TestAuthority()
        let broker = try ScriptedBroker()
        var options = BrokerOptions.at(broker.port)
        options.caFile = authority.certificate
        let owner = try Owner(options)
        // Each attempt is made twice, because an attempt that fails at once is repeated without IPv6.
        for _ in 0..<2 where broker.isCalled(within: .seconds(5)) {
            let client = try broker.accept()
            #expect(client.stirs(within: .seconds(20)), "the client says hello")
            client.hangUp()
        }
        let fault = try owner.failing()
        // If the broker closes the connection before libmosquitto's connect returns, the cause is unknown.
        let words = ["closed the connection without a response", "refused or closed at once"]
        #expect(words.contains(where: fault.description.contains), "\(fault)")
    }
}
