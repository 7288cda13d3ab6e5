import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

@testable import Mosquitto

/// What a broker retains, for a client that is slower than the broker.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto to talk to here"))
struct CatchUpTests {
    @Test func `the response to the catch-up filter follows all retained messages, also over a socket that was full`()
        throws
    {
        let broker = try TestBroker()
        let writer = try Owner(.at(broker.port, as: "writer"))
        try writer.connected()
        // 30 MB for the first filter: more than the sockets and the owner's queue hold.
        let large = String(repeating: "x", count: 120_000)
        let topics = (1...250).map { "a/\($0)" } + ["b/1", "c/1"]
        for topic in topics { try writer.deliver(topic, topic.hasPrefix("a") ? large : "small", retain: true) }
        for round in 1...2 {
            var options = BrokerOptions.at(broker.port, as: "reader\(round)", subscribedTo: "a/+", "b/+", "c/+")
            options.catchUpFilter = "end"
            let reader = try Owner(options)
            // The owner takes nothing before the broker has received all subscriptions.
            let deadline = Clock.now + .seconds(60)
            while !broker.log.contains("reader\(round) 0 end\n"), Clock.now < deadline { poll(nil, 0, 5) }
            try reader.next("end") { $0 == .subscribed(filter: "end", qos: .atMostOnce) ? true : nil }
            let before = reader.notices.prefix { $0 != .subscribed(filter: "end", qos: .atMostOnce) }
            #expect(before.count { if case .message = $0 { true } else { false } } == topics.count, "time \(round)")
        }
    }

    @Test func `filters that share a packet are granted or refused one by one`() throws {
        let broker = try ScriptedBroker()
        var timing = Timing()
        timing.resubscribe = .milliseconds(10)
        var options = BrokerOptions.at(broker.port, subscribedTo: "a", "b", "c")
        options.catchUpFilter = "end"
        let owner = try Owner(options, timing: timing)
        let client = try broker.welcome()
        let (all, last) = (try client.expect(.subscribe), try client.expect(.subscribe))
        // MQTT: the identifier, no properties, and for each filter its length, its text and its QoS.
        #expect(all.body.dropFirst(3) == [0, 1, 97, 0, 0, 1, 98, 0, 0, 1, 99, 0])
        #expect(last.body.dropFirst(3) == [0, 3, 101, 110, 100, 0])
        // A response may lack a code.
        client.acknowledge(subscription: all, codes: [0, 135])
        client.acknowledge(subscription: last, codes: [0])
        try owner.next("end") { $0 == .subscribed(filter: "end", qos: .atMostOnce) ? true : nil }
        var refused: [String] = []
        for case .subscriptionRefused(let filter, _) in owner.notices { refused.append(filter) }
        #expect(refused == ["b", "c"] && owner.notices.contains(.subscribed(filter: "a", qos: .atMostOnce)))
        for filter in [98, 99] as [UInt8] {
            let again = try client.expect(.subscribe)
            #expect(again.body.dropFirst(3) == [0, 1, filter, 0])
            client.acknowledge(subscription: again, codes: [0])
        }
        for filter in ["b", "c"] {
            try owner.next("grant of \(filter)") { $0 == .subscribed(filter: filter, qos: .atMostOnce) ? true : nil }
        }
    }
}
