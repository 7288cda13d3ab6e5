import Beacons
import Glibc
import Linux
import TestBroker
import Testing

@testable import Mosquitto

/// With a real mosquitto behind TLS.
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
    func `a broker whose certificate is signed by the authority is believed`(version: BrokerOptions.Version) throws {
        let authority = try TestAuthority()
        let broker = try broker(authority.issue(to: "localhost"))
        var options = options(broker, trusting: authority)
        options.version = version
        let owner = try Owner(options)
        try owner.connected()
        try owner.subscribed()
        // More than one record of TLS.
        let large = Publication(topic: "a", payload: [UInt8](repeating: 5, count: 300_000), qos: .atLeastOnce)
        for _ in 0..<3 { owner.connection.publish(large) }
        for _ in 0..<3 { #expect(try owner.message().payload == large.payload) }
        owner.connection.stop(farewell: [.text("farewell", "x")], within: .seconds(20))
        owner.takeNow()
        #expect(owner.notices.last == .disconnected(.stopped))
    }

    @Test func `a client shows its certificate where one is asked for, and hears when it shows none`() throws {
        let authority = try TestAuthority()
        let broker = try broker(authority.issue(to: "localhost"), clients: authority)
        var options = options(broker, trusting: authority)
        let without = try Owner(options)
        // If the broker has hung up before we read its alert, the first attempt has only a guess.
        let fault = try without.next("alert") { notice -> BrokerFault? in
            if case .failing(let fault) = notice, fault.kind == .tls { fault } else { nil }
        }
        #expect(fault.description.contains("refuses a client without certificate"), "\(fault)")
        let identity = try authority.issue(to: "kitchen")
        options.certificateFile = identity.certificate
        options.keyFile = identity.key
        try Owner(options).connected()
    }

    @Test func `a wrong authority is told, and heals when it is replaced`() throws {
        let authority = try TestAuthority()
        let other = try TestAuthority()
        let broker = try broker(authority.issue(to: "localhost"))
        var options = options(broker, trusting: authority)
        options.caFile = broker.folder.path("trusted.crt")
        try replaceFile(at: options.caFile!, with: readFile(at: other.certificate))
        let owner = try Owner(options)
        let fault = try owner.failing()
        #expect(fault.kind == .certificate)
        #expect(fault.description.hasSuffix("ca_file is not of those who signed it"), "\(fault)")
        try replaceFile(at: options.caFile!, with: readFile(at: authority.certificate))
        try owner.connected()
    }

    @Test func `a certificate that is not yet valid is told, and its time is waited for`() throws {
        let authority = try TestAuthority()
        let soon = WallTime(milliseconds: Clock.wall.milliseconds + 4000)
        let broker = try broker(authority.issue(to: "localhost", validFrom: soon))
        let owner = try Owner(options(broker, trusting: authority))
        // On a machine so slow that the time has come before the first attempt there is nothing to tell.
        let first = try owner.next("answer") { $0 }
        if case .failing(let fault) = first {
            #expect(fault.kind == .certificate)
            #expect(
                fault.description.hasSuffix("certificate is not yet valid; is this host's clock right?"), "\(fault)")
            try owner.connected()
        }
        #expect(Clock.wall.milliseconds >= soon.milliseconds - 1000)
    }

    @Test func `a certificate for another name is not believed`() throws {
        let authority = try TestAuthority()
        let broker = try broker(authority.issue(to: "elsewhere.example"))
        let owner = try Owner(options(broker, trusting: authority))
        let fault = try owner.failing()
        #expect(fault.kind == .certificate)
        #expect(fault.description.hasSuffix("is for another name than localhost"), "\(fault)")
    }

    @Test func `a broker with TLS that is down at the start, or killed, is waited for`() throws {
        let authority = try TestAuthority()
        let broker = try broker(authority.issue(to: "localhost"))
        broker.kill()
        let owner = try Owner(options(broker, trusting: authority))
        let down = try owner.failing()
        #expect(down.kind == .unreachable, "\(down)")
        try broker.restart()
        try owner.connected()
        broker.kill()
        // Without a farewell of TLS's own; the versions of libmosquitto differ in whether they mind.
        let killed = try owner.disconnected()
        #expect([.lost, .closed].contains(killed.kind), "\(killed)")
        try broker.restart()
        try owner.connected()
    }

    @Test func `TLS at a port without it, and the other way round, are told`() throws {
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

    @Test func `a broker that falls silent in the midst of the handshake is left`() throws {
        let authority = try TestAuthority()
        let broker = try ScriptedBroker()
        var options = BrokerOptions.at(broker.port)
        options.caFile = authority.certificate
        var timing = Timing()
        timing.answer = .seconds(1)
        let owner = try Owner(options, timing: timing)
        let silent = try broker.accept()
        #expect(silent.stirs(within: .seconds(20)), "the client says hello")
        #expect(try owner.failing().kind == .silent)
    }

    @Test func `a broker that hangs up in the midst of the handshake is told`() throws {
        let authority = try TestAuthority()
        let broker = try ScriptedBroker()
        var options = BrokerOptions.at(broker.port)
        options.caFile = authority.certificate
        let owner = try Owner(options)
        // Twice, because an attempt that failed at once is made again without IPv6.
        for _ in 0..<2 where broker.isCalled(within: .seconds(5)) {
            let client = try broker.accept()
            #expect(client.stirs(within: .seconds(20)), "the client says hello")
            client.hangUp()
        }
        let fault = try owner.failing()
        // Where it hangs up before libmosquitto's call to connect returns, no more is known than that.
        let words = ["closed the connection without an answer", "refused or closed at once"]
        #expect(words.contains(where: fault.description.contains), "\(fault)")
    }
}
