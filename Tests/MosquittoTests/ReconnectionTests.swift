import Beacons
import Glibc
import Linux
import TestBroker
import Testing

@testable import Mosquitto

/// Tests with a real mosquitto that fails.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto to talk to here"))
struct ReconnectionTests {
    @Test(arguments: [BrokerOptions.Version.v5, .v311])
    func `a connection and its subscriptions are restored after the broker was killed`(
        version: BrokerOptions.Version
    ) throws {
        let broker = try TestBroker()
        var options = BrokerOptions.at(broker.port, subscribedTo: "a")
        options.version = version
        let owner = try Owner(options)
        try owner.subscribed()
        broker.kill()
        #expect(try owner.disconnected().kind == .closed)
        #expect(owner.connection.publish(.text("a", "into nothing")) == nil)
        let failing = try owner.failing()
        #expect(failing.kind == .unreachable)
        #expect(
            failing.description.hasSuffix(
                "localhost:\(broker.port): Connection refused; is the broker running, and is this its port?"))
        try broker.restart()
        try owner.connected()
        try owner.subscribed()
        owner.connection.publish(.text("a", "again"))
        #expect(try owner.message().text == "again")
        // The refusal may occur many times, but is reported once.
        #expect(owner.notices.filter { $0 == .failing(failing) }.count == 1)
    }

    @Test func `an unacknowledged publication is not sent again by the connection`() throws {
        let broker = try TestBroker()
        let owner = try Owner(.at(broker.port))
        try owner.connected()
        // A stopped broker receives what the kernel buffers and acknowledges nothing; then it is killed.
        broker.signal(SIGSTOP)
        for number in 0..<50 { #expect(owner.connection.publish(.text("lost/\(number)", "x")) != nil) }
        broker.kill()
        _ = try owner.disconnected()
        #expect(owner.connection.queued == 0)
        try broker.restart()
        let observer = try Owner(.at(broker.port, as: "observer", subscribedTo: "#"))
        try observer.subscribed()
        try owner.connected()
        try owner.deliver("end", "x")
        #expect(try observer.message().topic == "end")
        #expect(!owner.notices.contains { if case .refused = $0 { true } else { false } })
    }

    @Test func `a broker that is down at the start is retried`() throws {
        let broker = try TestBroker()
        broker.kill()
        let owner = try Owner(.at(broker.port))
        #expect(try owner.failing().kind == .unreachable)
        try broker.restart()
        try owner.connected()
    }

    @Test func `a name that cannot be resolved is reported`() throws {
        let owner = try Owner(
            {
                var options = BrokerOptions.at(1883)
                options.host = "no-such-broker.invalid"
                return options
            }())
        let fault = try owner.failing()
        #expect(fault.kind == .name)
        #expect(fault.description.hasPrefix("cannot find the broker no-such-broker.invalid: "))
        #expect(fault.description.count > "cannot find the broker no-such-broker.invalid: ".count)
    }

    @Test(arguments: [BrokerOptions.Version.v5, .v311])
    func `a corrected password file takes effect`(version: BrokerOptions.Version) throws {
        var configuration = TestBroker.Options()
        configuration.users = ["kitchen": "right"]
        let broker = try TestBroker(configuration)
        var options = BrokerOptions.at(broker.port)
        options.version = version
        options.username = "kitchen"
        options.passwordFile = try broker.folder.write("wrong\n", to: "password")
        let owner = try Owner(options)
        let fault = try owner.failing()
        #expect(fault.kind == .credentials)
        #expect(fault.description.contains("rejects user kitchen"))
        // The file is missing for a moment, as with some editors; then all users can read it; then it is correct.
        unlink(options.passwordFile!)
        #expect(try owner.failing().description.hasSuffix("does not exist"))
        try broker.folder.write("right\n", to: "password", mode: 0o644)
        #expect(try owner.failing().description.contains("chmod 600"))
        try broker.folder.write("right\n", to: "password")
        try owner.connected()
    }

    @Test func `a user that is added to the broker can connect`() throws {
        var configuration = TestBroker.Options()
        configuration.users = ["hall": "secret"]
        let broker = try TestBroker(configuration)
        var options = BrokerOptions.at(broker.port)
        options.username = "kitchen"
        options.passwordFile = try broker.folder.write("secret", to: "password")
        let owner = try Owner(options)
        #expect(try owner.failing().kind == .credentials)
        try broker.setUsers(["hall": "secret", "kitchen": "secret"])
        broker.signal(SIGHUP)
        try owner.connected()
    }

    @Test(arguments: [BrokerOptions.Version.v5, .v311])
    func `two clients with one id disconnect each other until one suspects the other`(version: BrokerOptions.Version)
        throws
    {
        let broker = try TestBroker()
        var options = BrokerOptions.at(broker.port, as: "twin")
        options.version = version
        var timing = Timing()
        timing.suspiciousEndings = 3
        let twins = [try Owner(options, timing: timing), try Owner(options, timing: timing)]
        let deadline = Clock.now + .seconds(120)
        var suspicions: [BrokerFault] = []
        while suspicions.isEmpty {
            try #require(wait(for: twins.map(\.connection.wakeup), until: deadline).contains(true))
            for twin in twins { twin.takeNow() }
            suspicions = twins.flatMap(\.notices).compactMap { notice in
                if case .disconnected(let fault) = notice, fault.kind == .takenOver { fault } else { nil }
            }
        }
        // mosquitto from 2.0.15 on reports the takeover with MQTT 5, which is trusted at once.
        #expect(
            suspicions[0].description.contains("connect as twin")
                || suspicions[0].description.contains("connected as twin"))
    }

    @Test func `a client to which the broker delivers nothing connects again, and a second time`() throws {
        let broker = try TestBroker()
        var options = BrokerOptions.at(broker.port, subscribedTo: "a/#")
        (options.echo, options.sessionExpirySeconds) = (.text("a/echo", "x"), 3600)
        var timing = Timing()
        // A broker that waits for a processor for a moment is not deaf.
        (timing.echo, timing.tick) = (.seconds(2), .milliseconds(50))
        let owner = try Owner(options, timing: timing)
        let writer = try Owner(.at(broker.port, as: "writer", subscribedTo: "a/echo"))
        try writer.connected()
        try owner.connected()
        for round in ["first", "second"] {
            // An echo of this connection has returned: those of the one before arrive earlier than the acknowledgement.
            try writer.deliver("b", round)
            _ = try writer.message()
            // mosquitto keeps a place of the window for each message that is too large for the client.
            for _ in 0..<25 { try writer.deliver("a/large", String(repeating: "x", count: 1_400_000)) }
            try writer.deliver("a/small", round)
            #expect(try owner.disconnected().kind == .deaf)
            try owner.connected()
            #expect(try owner.message().text == round)
        }
        #expect(owner.notices.count { if case .message = $0 { true } else { false } } == 2, "no echo is handed out")
    }

    @Test func `a stop does not wait for an unreachable broker`() throws {
        let port = try Loopback.freePort()
        let owner = try Owner(.at(port))
        _ = try owner.failing()
        owner.connection.stop(farewell: [.text("a", "x")], within: .seconds(3600))
        owner.takeNow()
        #expect(!owner.notices.contains(.disconnected(.stopped)), "there never was a connection to end")
    }
}
