import Beacons
import TestBroker
import Testing

/// What becomes of events at a broker that does not just take them.
struct EventPublisherTests {
    @Test(arguments: [135, 149, 151] as [UInt8])
    func `an event that is refused is tried again, ever more slowly, and holds up no others`(reason: UInt8) throws {
        var fixture = try BrokerFixture()
        fixture.happen(3)
        fixture.deliver()
        let sent = try fixture.receive(3)
        #expect(sent.map(\.topic) == ["1", "2", "3"])
        fixture.client.acknowledge(sent[0])
        fixture.client.acknowledge(sent[1], reason: reason)
        fixture.client.acknowledge(sent[2])
        try fixture.settle { $0.refused == 1 && $0.undelivered == 1 }
        let problem = try #require(fixture.events.problem)
        #expect(problem.contains("(\(reason))") && problem.contains("; events are tried again"), "\(problem)")

        for pause in [30.0, 60, 120, 240, 480, 900, 900] {
            fixture.deliver(after: pause - 1)
            #expect(fixture.connection.queued == 0 && fixture.log.refused == 1)
            fixture.deliver(after: 1)
            #expect(fixture.log.refused == 0)
            fixture.client.acknowledge(try fixture.receive(1)[0], reason: reason)
            try fixture.settle { $0.refused == 1 }
            // It was reported once.
            #expect(fixture.events.problem == problem)
        }
        fixture.deliver(after: 900)
        let last = try fixture.receive(1)[0]
        #expect(last.topic == "2")
        fixture.client.acknowledge(last)
        try fixture.settle { $0.undelivered == 0 }
        #expect(fixture.events.problem == nil)
    }

    @Test func `a broker that refuses everything is given twenty events, and in the end all of them in order`() throws {
        var fixture = try BrokerFixture()
        fixture.happen(30)
        fixture.deliver()
        for publication in try fixture.receive(20) { fixture.client.acknowledge(publication, reason: 151) }
        try fixture.settle { $0.refused == 20 }
        fixture.deliver(after: 29)
        #expect(fixture.connection.queued == 0 && fixture.log.undelivered == 30)
        fixture.deliver(after: 1)
        let again = try fixture.receive(20)
        for publication in again { fixture.client.acknowledge(publication) }
        try fixture.settle { $0.undelivered == 10 }
        fixture.deliver()
        let rest = try fixture.receive(10)
        for publication in rest { fixture.client.acknowledge(publication) }
        try fixture.settle { $0.undelivered == 0 }
        #expect((again + rest).map(\.topic) == (1...30).map { "\($0)" })
        #expect(fixture.events.problem == nil)
    }

    @Test func `an event for which the broker ends the connection waits aside, and the others are delivered`() throws {
        var fixture = try BrokerFixture()
        fixture.happen(3)
        fixture.deliver()
        let sent = try fixture.receive(3)
        fixture.client.acknowledge(sent[0])
        // 149: packet too large. The second publication was the next to be acknowledged.
        fixture.client.disconnect(reason: 149)
        try fixture.settle { !$0.isHandedOver(2) }
        try fixture.welcome()
        fixture.deliver()
        let again = try fixture.receive(1)[0]
        #expect(again.topic == "3")
        fixture.client.acknowledge(again)
        try fixture.settle { $0.refused == 1 && $0.undelivered == 1 }
        #expect(fixture.events.problem?.contains("(149)") == true)
        // It is tried again after half a minute, and by the connection's clock that has not passed.
        fixture.deliver(after: 30)
        try fixture.settle { $0.refused == 1 }
        #expect(!fixture.client.stirs(within: .milliseconds(50)))
    }

    @Test func `an event without a subscriber is not refused`() throws {
        var fixture = try BrokerFixture()
        fixture.happen(1)
        fixture.deliver()
        fixture.client.acknowledge(try fixture.receive(1)[0], reason: 16)
        try fixture.settle { $0.undelivered == 0 }
        #expect(fixture.events.problem == nil)
    }

    @Test func `a broker that takes one at a time gets one at a time, in order`() throws {
        // Receive maximum 1.
        var fixture = try BrokerFixture(properties: [0x21, 0, 1])
        fixture.happen(5)
        fixture.deliver()
        for number in 1...5 {
            let publication = try fixture.receive(1)[0]
            #expect(publication.topic == "\(number)")
            #expect(!fixture.client.stirs(within: .milliseconds(50)))
            fixture.client.acknowledge(publication)
        }
        try fixture.settle { $0.undelivered == 0 }
    }

    @Test func `late, reordered and repeated acknowledgements each count for their own event`() throws {
        var fixture = try BrokerFixture()
        fixture.happen(4)
        fixture.deliver()
        let sent = try fixture.receive(4)
        for index in [2, 0, 2, 0] { fixture.client.acknowledge(sent[index]) }
        try fixture.settle { $0.undelivered == 2 }
        fixture.deliver(after: 3600)
        #expect(fixture.connection.queued == 0 && fixture.log.undelivered == 2)
        for index in [3, 1] { fixture.client.acknowledge(sent[index]) }
        try fixture.settle { $0.undelivered == 0 }
    }

    @Test func `events that were not acknowledged, or refused, when the connection broke are sent again, in order`()
        throws
    {
        var fixture = try BrokerFixture()
        fixture.happen(4)
        fixture.deliver()
        let sent = try fixture.receive(4)
        fixture.client.acknowledge(sent[0])
        fixture.client.acknowledge(sent[1], reason: 135)
        try fixture.settle { $0.refused == 1 && $0.undelivered == 3 }
        fixture.client.hangUp()
        try fixture.settle { $0.refused == 0 }
        #expect(fixture.events.problem == nil, "another broker may take it")
        try fixture.welcome()
        fixture.deliver()
        let again = try fixture.receive(3)
        #expect(again.map(\.topic) == ["2", "3", "4"])
        for publication in again { fixture.client.acknowledge(publication) }
        try fixture.settle { $0.undelivered == 0 }
    }

    @Test(arguments: [135, 144, 151] as [UInt8])
    func `an event of a former id is given up if the broker does not permit its topic, which is reported once`(
        reason: UInt8
    ) throws {
        var fixture = try BrokerFixture()
        for _ in 1...2 {
            fixture.happen(2, on: "former/")
            fixture.happen(1)
            fixture.deliver()
            let sent = try fixture.receive(3)
            for publication in sent.prefix(2) { fixture.client.acknowledge(publication, reason: reason) }
            fixture.client.acknowledge(sent[2])
            try fixture.settle { reason == 151 ? $0.refused > 0 && $0.undelivered % 2 == 0 : $0.undelivered == 0 }
        }
        let reported = fixture.events.takeGivenUp()
        #expect(reported?.contains("former/1") == (reason == 151 ? nil : true))
        #expect(fixture.events.takeGivenUp() == nil)
        #expect((fixture.events.problem == nil) == (reason != 151))
    }
}
