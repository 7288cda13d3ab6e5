import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

@testable import Mosquitto

/// Tests with a real mosquitto in normal operation.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto to talk to here"))
struct ConversationTests {
    @Test(arguments: [BrokerOptions.Version.v5, .v311])
    func `publications arrive in order and are acknowledged`(version: BrokerOptions.Version) throws {
        let broker = try TestBroker()
        var options = BrokerOptions.at(broker.port, subscribedTo: "a/#")
        options.version = version
        let owner = try Owner(options)
        try owner.connected()
        try owner.subscribed()
        let ids = (0..<300).map {
            owner.connection.publish(.text("a/\($0)", "\($0)", qos: $0 % 3 == 0 ? .atMostOnce : .atLeastOnce))
        }
        #expect(ids.allSatisfy { $0 != nil })
        let messages = try (0..<300).map { _ in try owner.message() }
        #expect(messages.map(\.topic) == (0..<300).map { "a/\($0)" })
        #expect(messages.map(\.text) == (0..<300).map { "\($0)" })
        #expect(messages.allSatisfy { !$0.retained })
        // The last message may overtake the last acknowledgement.
        try owner.deliver("b", "last")
        let acknowledged = owner.notices.compactMap { if case .acknowledged(let id, _) = $0 { id } else { nil } }
        #expect(acknowledged.dropLast() == ids.enumerated().filter { $0.offset % 3 != 0 }.map { $0.element! }[...])
    }

    @Test func `a retained message is delivered to later subscribers until an empty one deletes it`() throws {
        let broker = try TestBroker()
        let writer = try Owner(.at(broker.port, as: "writer"))
        try writer.connected()
        try writer.deliver("state", "on", retain: true)
        let early = try Owner(.at(broker.port, as: "early", subscribedTo: "#"))
        let message = try early.message()
        #expect(message.text == "on" && message.retained)
        try writer.deliver("state", "", retain: true)
        let late = try Owner(.at(broker.port, as: "late", subscribedTo: "#"))
        try late.connected()
        try late.subscribed()
        try writer.deliver("other", "x")
        #expect(try late.message().topic == "other")
    }

    @Test func `a message that expired is not delivered`() throws {
        let broker = try TestBroker()
        let writer = try Owner(.at(broker.port, as: "writer"))
        try writer.connected()
        var brief = OutgoingMessage.text("brief", "x", retain: true)
        brief.expirySeconds = 1
        try writer.acknowledged(writer.connection.publish(brief))
        // The test asks the broker until the message has expired. Only the clock limits it: a fast machine asks 1,000
        // times within the two seconds that mosquitto, which counts whole seconds, may take.
        let deadline = Clock.now + .seconds(20)
        for round in 1... {
            try #require(Clock.now < deadline, "the broker keeps what has expired")
            let reader = try Owner(.at(broker.port, as: "reader\(round)", subscribedTo: "brief", "end"))
            try reader.subscribed()
            try writer.deliver("end", "x")
            if try reader.message().topic == "end" { break }
        }
    }

    @Test func `no publication is accepted before the owner has taken the connected notice`() throws {
        let broker = try TestBroker()
        let owner = try Owner(.at(broker.port))
        // The wakeup is readable when the broker has accepted the connection; the owner has not taken the notice.
        #expect(wait(for: [owner.connection.wakeup], until: Clock.now + .seconds(20))[0])
        #expect(owner.connection.publish(.text("a", "too early")) == nil)
        try owner.connected()
        #expect(owner.connection.publish(.text("a", "now")) != nil)
    }

    @Test func `the broker publishes the will of a process that died`() throws {
        let broker = try TestBroker()
        let observer = try Owner(.at(broker.port, as: "observer", subscribedTo: "#"))
        try observer.subscribed()
        var options = BrokerOptions.at(broker.port)
        options.will = .text("availability", "offline", retain: true)
        let owner = try Owner(options)
        try owner.connected()
        // Without time for the acknowledgement, the connection is cut, as if the process had died.
        owner.connection.stop(farewell: [.text("farewell", "x")], within: .zero)
        #expect(try observer.next("will") { $0.message(on: "availability") }.text == "offline")
    }

    @Test func `the broker publishes a farewell and no will`() throws {
        let broker = try TestBroker()
        let observer = try Owner(.at(broker.port, as: "observer", subscribedTo: "#"))
        try observer.subscribed()
        var options = BrokerOptions.at(broker.port)
        options.will = .text("availability", "will")
        let owner = try Owner(options)
        try owner.connected()
        let waiting = (0..<100).map { owner.connection.publish(.text("event/\($0)", "x")) }
        owner.connection.stop(
            farewell: [.text("availability", "offline", retain: true), .text("telemetry", "x", qos: .atMostOnce)],
            within: .seconds(20))
        #expect(waiting.allSatisfy { $0 != nil })
        let messages = try (0..<102).map { _ in try observer.message() }
        // In the broker, publications of QoS 0 may overtake those of QoS 1.
        #expect(messages.filter { $0.qos == .atMostOnce }.map(\.topic) == ["telemetry"])
        let topics = messages.filter { $0.qos == .atLeastOnce }.map(\.topic)
        #expect(topics == (0..<100).map { "event/\($0)" } + ["availability"])
        owner.takeNow()
        #expect(owner.notices.last == .disconnected(.stopped))
        #expect(owner.notices.filter { if case .acknowledged = $0 { true } else { false } }.count == 101)
        // The broker has received the DISCONNECT, so the will cannot follow.
        observer.connection.publish(.text("end", "x"))
        #expect(try observer.message().topic == "end")
        #expect(owner.connection.publish(.text("a", "after the end")) == nil)
    }

    @Test func `a persistent session receives what was published while it was away`() throws {
        let broker = try TestBroker()
        var options = BrokerOptions.at(broker.port, as: "aggregator", subscribedTo: "events/#")
        options.sessionExpirySeconds = 86_400
        let first = try Owner(options)
        #expect(try first.connected() == false)
        try first.subscribed()
        first.connection.stop(within: .seconds(20))

        let writer = try Owner(.at(broker.port, as: "writer"))
        try writer.connected()
        for number in 0..<50 { try writer.deliver("events/\(number)", "x") }

        let second = try Owner(options)
        #expect(try second.connected() == true)
        let topics = try (0..<50).map { _ in try second.message().topic }
        #expect(topics == (0..<50).map { "events/\($0)" })
    }

    @Test func `a session persists with MQTT 3.1.1, too, and expiry is omitted`() throws {
        let broker = try TestBroker()
        var options = BrokerOptions.at(broker.port, as: "aggregator", subscribedTo: "a")
        options.version = .v311
        options.sessionExpirySeconds = 60
        options.will = .text("will", "x")
        options.will?.expirySeconds = 60
        options.willDelaySeconds = 10
        let owner = try Owner(options)
        try owner.connected()
        try owner.subscribed()
        var publication = OutgoingMessage.text("a", "x")
        publication.expirySeconds = 60
        owner.connection.publish(publication)
        #expect(try owner.message().text == "x")
        owner.connection.stop(within: .seconds(20))
        #expect(try Owner(options).connected() == true)
    }

    @Test func `a publication that the ACL denies is refused with its topic`() throws {
        var configuration = TestBroker.Options()
        configuration.users = ["kitchen": "secret"]
        configuration.acl = ["user kitchen", "topic write allowed/#"]
        let broker = try TestBroker(configuration)
        var options = BrokerOptions.at(broker.port)
        options.username = "kitchen"
        options.passwordFile = try broker.folder.write("secret\n", to: "password")
        let owner = try Owner(options)
        try owner.connected()
        let forbidden = owner.connection.publish(.text("forbidden/topic", "x"))
        let refusal = try owner.refused(forbidden)
        #expect(refusal.reasonCode == 135)
        #expect(refusal.description.contains("forbidden/topic"))
        #expect(refusal.description.contains("its ACL denies kitchen write access"))
        try owner.deliver("allowed/topic", "x")
    }

    @Test func `a publication without subscribers is acknowledged and reported as such`() throws {
        let broker = try TestBroker()
        let owner = try Owner(.at(broker.port))
        try owner.connected()
        let id = owner.connection.publish(.text("into/the/void", "x"))
        #expect(try owner.next("answer") { if case .acknowledged(id, let unheard) = $0 { unheard } else { nil } })
    }

    @Test func `a publication to an invalid topic is refused, and others are delivered`() throws {
        let broker = try TestBroker()
        let owner = try Owner(.at(broker.port, subscribedTo: "#"))
        try owner.connected()
        for topic in ["", "a/#", "a/+", "a\0b", String(repeating: "x", count: 65_536)] {
            #expect(try owner.refused(owner.connection.publish(.text(topic, "x"))).reasonCode == nil)
        }
        try owner.deliver("fine", "x")
        #expect(owner.notices.compactMap { $0.message(on: "fine") }.count <= 1)
    }
}

extension BrokerNotice {
    func message(on topic: String) -> BrokerMessage? {
        if case .message(let message) = self, message.topic == topic { message } else { nil }
    }
}
