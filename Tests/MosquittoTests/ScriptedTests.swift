import Beacons
import Linux
import Messages
import TestBroker
import Testing

@testable import Mosquitto

/// Tests with a scripted broker that does what real brokers rarely do.
@Suite struct ScriptedTests {
    @Test func `CONNECT contains the options`() throws {
        let broker = try ScriptedBroker()
        var options = BrokerOptions.at(broker.port, as: "k")
        options.sessionExpirySeconds = 86_400
        options.keepAliveSeconds = 60
        options.will = OutgoingMessage(topic: "w", payload: [0x78], qos: .atLeastOnce, retain: true, expirySeconds: 75)
        options.willDelaySeconds = 10
        let owner = try Owner(options)
        let body = try broker.accept().expect(.connect).body
        var expected: [UInt8] = [0, 4] + Array("MQTT".utf8) + [5]
        // Flags: will retained 0x20, with QoS 1 0x08, a will 0x04; no clean start 0x02.
        expected += [0x2C, 0, 60]
        // Properties, 13 bytes: session expiry 86400 s, greatest packet 1 MiB + 128 KiB, then libmosquitto's receive maximum 20.
        expected += [13, 0x11, 0x00, 0x01, 0x51, 0x80, 0x27, 0x00, 0x12, 0x00, 0x00, 0x21, 0x00, 0x14]
        expected += [0, 1] + Array("k".utf8)
        // The will's properties, 10 bytes: expiry 75 s and delay 10 s; its topic and payload.
        expected += [10, 0x02, 0, 0, 0, 75, 0x18, 0, 0, 0, 10, 0, 1] + Array("w".utf8) + [0, 1, 0x78]
        #expect(Properties.sorted(body) == Properties.sorted(expected))
        owner.connection.stop(within: .zero)
    }

    @Test func `a session without expiry starts clean`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let body = try broker.accept().expect(.connect).body
        #expect(body[7] == 0x02)
        owner.connection.stop(within: .zero)
    }

    @Test func `a publication contains its expiry`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.welcome()
        try owner.connected()
        owner.connection.publish(
            OutgoingMessage(topic: "t", payload: [1, 2], qos: .atLeastOnce, retain: true, expirySeconds: 75))
        let publication = try client.expect(.publish)
        #expect(publication.flags == 0x03)
        // 5 bytes of properties: expiry 75 s; the payload.
        #expect(publication.propertiesAndPayload == [5, 0x02, 0, 0, 0, 75, 1, 2])
    }

    @Test func `at most twenty publications are unacknowledged, further ones wait in order`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.welcome()
        try owner.connected()
        for number in 0..<50 { owner.connection.publish(.text("\(number)", "x")) }
        var unanswered = try (0..<20).map { _ in try client.expect(.publish) }
        #expect(unanswered.map(\.topic) == (0..<20).map { "\($0)" })
        #expect(!client.stirs(within: .milliseconds(200)))
        #expect(owner.connection.queued == 30)
        for number in 20..<50 {
            client.acknowledge(unanswered.removeFirst())
            unanswered.append(try client.expect(.publish))
            #expect(unanswered.last?.topic == "\(number)")
        }
        #expect(!client.stirs(within: .milliseconds(200)))
    }

    @Test func `a connection outlives an owner that takes no messages for longer than the keepalive allows`() throws {
        let broker = try ScriptedBroker()
        var options = BrokerOptions.at(broker.port)
        options.keepAliveSeconds = 5
        let owner = try Owner(options)
        let client = try broker.welcome()
        try owner.connected()
        // More than the connection reads for an owner that takes none.
        for _ in 0..<1500 { client.publish(topic: Array("t".utf8), payload: [0x78]) }
        // A broker drops a client that sends nothing for one and a half times the keepalive. The response to a PINGREQ could not be read.
        let end = Clock.now + .seconds(12)
        while Clock.now < end {
            _ = try #require(try client.next(within: .seconds(7.5)), "the client hung up")
        }
        for _ in 0..<1500 { _ = try owner.message() }
        owner.connection.publish(.text("a", "still here", qos: .atMostOnce))
        while try #require(try client.next()).kind != .publish {}
        #expect(!owner.notices.contains { if case .disconnected = $0 { true } else { false } })
    }

    @Test func `publications are sent one at a time if the broker's limit is one`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        // Receive maximum 1.
        let client = try broker.welcome(properties: [0x21, 0, 1])
        try owner.connected()
        for number in 0..<3 { owner.connection.publish(.text("\(number)", "x")) }
        for number in 0..<3 {
            let publication = try client.expect(.publish)
            #expect(publication.topic == "\(number)")
            #expect(!client.stirs(within: .milliseconds(100)))
            client.acknowledge(publication)
        }
    }

    @Test(arguments: [
        (135, "Not authorized (135)"), (151, "Quota exceeded (151)"), (153, "Payload format invalid (153)"),
    ])
    func `a refused publication is reported with its reason, and the connection continues`(reason: UInt8, words: String)
        throws
    {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.welcome()
        try owner.connected()
        let id = owner.connection.publish(.text("a", "x"))
        client.acknowledge(try client.expect(.publish), reason: reason)
        let refusal = try owner.refused(id)
        #expect(refusal.reasonCode == Int(reason))
        #expect(refusal.description.contains(words), "\(refusal)")
        let next = owner.connection.publish(.text("b", "x"))
        // 16: no matching subscribers; the publication is accepted nevertheless.
        client.acknowledge(try client.expect(.publish), reason: 16)
        #expect(try owner.next("answer") { if case .acknowledged(next, let unheard) = $0 { unheard } else { nil } })
    }

    @Test func `a surplus acknowledgement changes nothing`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.welcome(properties: [0x21, 0, 1])
        try owner.connected()
        let first = owner.connection.publish(.text("a", "x"))
        let publication = try client.expect(.publish)
        for _ in 0..<3 { client.acknowledge(publication) }
        try owner.acknowledged(first)
        let second = owner.connection.publish(.text("b", "x"))
        client.acknowledge(try client.expect(.publish))
        try owner.acknowledged(second)
        #expect(owner.notices.filter { if case .acknowledged = $0 { true } else { false } }.count == 2)
    }

    @Test func `a connection without acknowledgements is ended, and nothing is sent twice`() throws {
        let broker = try ScriptedBroker()
        var timing = Timing()
        timing.acknowledge = .milliseconds(300)
        let owner = try Owner(.at(broker.port), timing: timing)
        let client = try broker.welcome()
        try owner.connected()
        for number in 0..<30 { owner.connection.publish(.text("\(number)", "x")) }
        for _ in 0..<20 { _ = try client.expect(.publish) }
        #expect(try owner.disconnected().kind == .unacknowledged)
        #expect(try client.next() == nil)
        let again = try broker.welcome()
        try owner.connected()
        owner.connection.publish(.text("new", "x"))
        #expect(try again.expect(.publish).topic == "new")
    }

    @Test func `a broker that does not respond to CONNECT is retried`() throws {
        let broker = try ScriptedBroker()
        var timing = Timing()
        timing.response = .milliseconds(300)
        let owner = try Owner(.at(broker.port), timing: timing)
        let silent = try broker.accept()
        _ = try silent.expect(.connect)
        let fault = try owner.failing()
        #expect(fault.kind == .silent)
        #expect(fault.description == "localhost:\(broker.port) accepts connections but does not respond")
        #expect(try silent.next() == nil)
        _ = try broker.welcome()
        try owner.connected()
    }

    @Test func `a connection closed without a response is reported with a hint`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        _ = try broker.accept().expect(.connect)
        #expect(
            try owner.failing().description.hasSuffix("closed the connection without a response: is it a port for TLS?")
        )
    }

    @Test(arguments: [
        (UInt8(132), BrokerFault.Kind.refused, "does not support MQTT 5: try version = \"3.1.1\""),
        (133, .refused, "does not accept the client id kitchen"),
        (134, .credentials, "rejects a client without username"),
        (137, .refused, "Server busy (137)"),
        (138, .refused, "Banned (138)"),
    ])
    func `a rejected client gets the reason`(reason: UInt8, kind: BrokerFault.Kind, words: String) throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.accept()
        _ = try client.expect(.connect)
        client.acknowledgeConnect(reason: reason)
        let fault = try owner.failing()
        #expect(fault.kind == kind)
        #expect(fault.description.contains(words), "\(fault)")
    }

    @Test func `a broker that supports only MQTT 3 is reported`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.accept()
        _ = try client.expect(.connect)
        // CONNACK of MQTT 3.1.1: no properties; 1: unacceptable protocol version.
        client.send([0x20, 2, 0, 1])
        #expect(try owner.failing().description.contains("try version = \"3.1.1\""))
    }

    @Test func `a server without MQTT is reported`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.accept()
        _ = try client.expect(.connect)
        client.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        #expect(try owner.failing().kind == .silent)
    }

    @Test func `subscriptions are granted or refused one by one`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port, subscribedTo: "a", "b"))
        let client = try broker.welcome()
        for code in [135, 0] as [UInt8] {
            client.acknowledge(subscription: try client.expect(.subscribe), codes: [code])
        }
        let refused = try owner.next("refusal") { notice -> BrokerRejection? in
            if case .subscriptionRefused("a", let refusal) = notice { refusal } else { nil }
        }
        #expect(refused.reasonCode == 135)
        try owner.next("grant") { $0 == .subscribed(filter: "b", qos: .atMostOnce) ? true : nil }
    }

    @Test func `a refused subscription is requested again on the same connection until the broker grants it`() throws {
        let broker = try ScriptedBroker()
        var timing = Timing()
        timing.resubscribe = .milliseconds(10)
        let owner = try Owner(.at(broker.port, subscribedTo: "a", "b"), timing: timing)
        let client = try broker.welcome()
        // 0x87: not authorized; NATS responds with this while it elects a leader.
        client.acknowledge(subscription: try client.expect(.subscribe), codes: [135])
        client.acknowledge(subscription: try client.expect(.subscribe), codes: [0])
        for code in [135, 135, 0] as [UInt8] {
            client.acknowledge(subscription: try client.expect(.subscribe), codes: [code])
        }
        try owner.next("grant") { $0 == .subscribed(filter: "a", qos: .atMostOnce) ? true : nil }
        let refusals = owner.notices.count { if case .subscriptionRefused = $0 { true } else { false } }
        #expect(refusals == 1)
    }

    @Test func `a response without a code to a subscription is a refusal`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port, subscribedTo: "a"))
        let client = try broker.welcome()
        client.acknowledge(subscription: try client.expect(.subscribe), codes: [])
        // libmosquitto passes the response on or, since the fix of CVE-2024-10525, ends the connection.
        try owner.next("refusal") { notice -> Bool? in
            switch notice {
            case .subscriptionRefused("a", _), .disconnected: true
            default: nil
            }
        }
        #expect(!owner.notices.contains { if case .subscribed = $0 { true } else { false } })
    }

    @Test func `a client that was taken over does not reconnect soon`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.welcome()
        try owner.connected()
        // 142: session taken over.
        client.disconnect(reason: 142)
        #expect(try owner.disconnected().description.contains("another client connected as kitchen"))
        #expect(!broker.isCalled(within: .seconds(3)))
    }

    @Test func `subscriptions contain their QoS`() throws {
        let broker = try ScriptedBroker()
        var options = BrokerOptions.at(broker.port)
        options.subscriptions = [Subscription("a"), Subscription("b", .atMostOnce)]
        let owner = try Owner(options)
        let client = try broker.welcome()
        #expect(try (0..<2).map { _ in try client.expect(.subscribe).body.last } == [0x01, 0x00])
        owner.connection.stop(within: .zero)
    }

    @Test(arguments: [
        (UInt8(139), "Server shutting down (139)"), (149, "Packet too large (149)"), (151, "Quota exceeded (151)"),
    ])
    func `the reason of the broker's DISCONNECT is reported`(reason: UInt8, words: String) throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.welcome()
        try owner.connected()
        client.disconnect(reason: reason)
        let fault = try owner.disconnected()
        #expect(fault.kind == .ended)
        #expect(fault.description.contains(words), "\(fault)")
    }

    @Test func `an unstable link is not mistaken for another client with the same id`() throws {
        let broker = try ScriptedBroker()
        var timing = Timing()
        (timing.suspiciousEndings, timing.seed) = (3, 5)
        let owner = try Owner(.at(broker.port), timing: timing)
        for _ in 0..<3 {
            let client = try broker.welcome()
            try owner.connected()
            client.hangUp()
            #expect(try owner.disconnected().kind == .closed)
            // The link stays cut for a moment, in which connections get no response.
            if broker.isCalled(within: .milliseconds(400)) { _ = try broker.accept() }
        }
    }

    @Test func `a client whose accepted connections are closed soon suspects another client with its id`() throws {
        let broker = try ScriptedBroker()
        var timing = Timing()
        timing.suspiciousEndings = 4
        let owner = try Owner(.at(broker.port), timing: timing)
        for count in 1...4 {
            let client = try broker.welcome()
            try owner.connected()
            client.hangUp()
            let fault = try owner.disconnected()
            #expect(fault.kind == (count < 4 ? .closed : .takenOver))
        }
    }

    @Test func `a publication for which the broker ends the connection is held back, and others are sent`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.welcome()
        try owner.connected()
        let big = OutgoingMessage.text("big", String(repeating: "x", count: 500))
        for publication in [.text("a", "x"), big, .text("b", "x")] { owner.connection.publish(publication) }
        client.acknowledge(try client.expect(.publish))
        _ = try client.expect(.publish)
        client.disconnect(reason: 149)
        #expect(try owner.disconnected().description.contains("Packet too large (149)"))
        let again = try broker.welcome()
        try owner.connected()
        let ids = [big, .text("b", "x")].map { owner.connection.publish($0) }
        #expect(try owner.refused(ids[0]).reasonCode == 149)
        let next = try again.expect(.publish)
        #expect(next.topic == "b")
        again.acknowledge(next)
        try owner.acknowledged(ids[1])
    }

    @Test func `messages that are too large or have an invalid topic are counted and not delivered`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.welcome()
        try owner.connected()
        let limit = BrokerOptions.largestPayload
        client.publish(topic: Array("big".utf8), payload: [UInt8](repeating: 1, count: limit + 1))
        client.publish(topic: Array("limit".utf8), payload: [UInt8](repeating: 2, count: limit))
        #expect(try owner.message().payload.count == limit)
        client.publish(topic: [0x61, 0xFF], payload: [])
        let fault = try owner.disconnected()
        #expect(fault.kind == .lost, "libmosquitto itself ends a connection on which a topic is not UTF-8")
        owner.takeNow()
        #expect(owner.notices.filter { $0 == .dropped(count: 1, .tooLarge) }.count == 1)
    }

    @Test func `an owner that takes no notices gets a thousand first, and the rest later`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.welcome()
        try owner.connected()
        // Sends messages of 1 kB until the kernel's buffers are full because the thread no longer reads.
        let payload = [UInt8](repeating: 7, count: 1000)
        var rest = (0..<20_000).flatMap {
            ScriptedPacket.publish(topic: [0x74], payload: payload + [UInt8($0 & 0xFF)])
        }[...]
        var isFull = false
        while !isFull && !rest.isEmpty {
            let sent = client.sendWithoutWaiting(Array(rest.prefix(1 << 16)))
            rest = rest.dropFirst(sent)
            isFull = sent == 0 && !client.takesMore(within: .seconds(1))
        }
        #expect(isFull, "20 MB fit in somewhere")
        #expect(owner.connection.take().count <= 1020)
        while !rest.isEmpty {
            let sent = client.sendWithoutWaiting(Array(rest.prefix(1 << 16)))
            rest = rest.dropFirst(sent)
            if sent == 0 { owner.takeNow() }
        }
        client.publish(topic: Array("end".utf8), payload: [])
        try owner.next("last message") { $0.message(on: "end") }
        #expect(!owner.notices.contains { if case .dropped = $0 { true } else { false } })
    }

    @Test func `the outbox accepts at most a thousand publications`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.welcome()
        try owner.connected()
        let first = (0..<20).map { owner.connection.publish(.text("\($0)", "x")) }
        for _ in first { _ = try client.expect(.publish) }
        let ids = (0..<1100).map { owner.connection.publish(.text("\($0)", "x")) }
        #expect(ids.prefix(1000).allSatisfy { $0 != nil })
        #expect(ids.dropFirst(1000).allSatisfy { $0 == nil })
        #expect(owner.connection.queued == 1000)
    }

    @Test func `a broker without retained messages is reported`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        // Retain available: 0.
        let client = try broker.welcome(properties: [0x25, 0])
        try owner.connected()
        #expect(
            try owner.refused(owner.connection.publish(.text("a", "x", retain: true))).description.contains(
                "retains no messages"))
        owner.connection.publish(.text("b", "x"))
        #expect(try client.expect(.publish).topic == "b")
    }

    @Test func `a stop without acknowledgements is bounded and leaves the will active`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.welcome()
        try owner.connected()
        owner.connection.stop(farewell: [.text("farewell", "x")], within: .milliseconds(200))
        #expect(try client.expect(.publish).topic == "farewell")
        // The connection was closed without a DISCONNECT.
        #expect(try client.next() == nil)
    }

    @Test func `notices from before the end can be taken after it`() throws {
        let broker = try ScriptedBroker()
        let owner = try Owner(.at(broker.port))
        let client = try broker.welcome()
        try owner.connected()
        let id = owner.connection.publish(.text("a", "x"))
        client.acknowledge(try client.expect(.publish))
        client.publish(topic: [0x6D], payload: [1])
        try owner.acknowledged(id)
        owner.connection.stop(within: .seconds(20))
        #expect(try client.next()?.kind == .disconnect)
        owner.takeNow()
        #expect(owner.notices.last == .disconnected(.stopped))
    }
}

/// The properties of CONNECT may have any order.
private enum Properties {
    static func sorted(_ body: [UInt8]) -> [UInt8] {
        // The offset is behind the protocol's name (6), version (1), flags (1), keepalive (2) and the length (1); the
        // properties have five, five and three bytes.
        let properties = body[11..<24]
        var pieces: [[UInt8]] = []
        var rest = properties
        while let identifier = rest.first {
            let size = identifier == 0x21 ? 3 : 5
            pieces.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return Array(body[..<11]) + pieces.sorted { $0[0] < $1[0] }.joined() + Array(body[24...])
    }
}
