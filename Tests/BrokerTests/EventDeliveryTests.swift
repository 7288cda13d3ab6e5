import Beacons
import TestBroker
import Testing

/// What becomes of events at a broker that does not just take them.
struct EventDeliveryTests {
    @Test(arguments: [135, 149, 151] as [UInt8])
    func `an event that is refused is tried again, ever more slowly, and holds up no others`(reason: UInt8) throws {
        var post = try Post()
        post.happen(3)
        post.deliver()
        let sent = try post.receive(3)
        #expect(sent.map(\.topic) == ["1", "2", "3"])
        post.client.acknowledge(sent[0])
        post.client.acknowledge(sent[1], reason: reason)
        post.client.acknowledge(sent[2])
        try post.settle { $0.refused == 1 && $0.undelivered == 1 }
        let problem = try #require(post.delivery.problem)
        #expect(problem.contains("(\(reason))") && problem.contains("; events are tried again"), "\(problem)")

        for pause in [30.0, 60, 120, 240, 480, 900, 900] {
            post.deliver(after: pause - 1)
            #expect(post.connection.queued == 0 && post.log.refused == 1)
            post.deliver(after: 1)
            #expect(post.log.refused == 0)
            post.client.acknowledge(try post.receive(1)[0], reason: reason)
            try post.settle { $0.refused == 1 }
            // It was said once.
            #expect(post.delivery.problem == problem)
        }
        post.deliver(after: 900)
        let last = try post.receive(1)[0]
        #expect(last.topic == "2")
        post.client.acknowledge(last)
        try post.settle { $0.undelivered == 0 }
        #expect(post.delivery.problem == nil && post.delivery.nextDeadline == nil)
    }

    @Test func `a broker that refuses everything is given twenty events, and in the end all of them in order`() throws {
        var post = try Post()
        post.happen(30)
        post.deliver()
        for publication in try post.receive(20) { post.client.acknowledge(publication, reason: 151) }
        try post.settle { $0.refused == 20 }
        post.deliver(after: 29)
        #expect(post.connection.queued == 0 && post.log.undelivered == 30)
        post.deliver(after: 1)
        let again = try post.receive(20)
        for publication in again { post.client.acknowledge(publication) }
        try post.settle { $0.undelivered == 10 }
        post.deliver()
        let rest = try post.receive(10)
        for publication in rest { post.client.acknowledge(publication) }
        try post.settle { $0.undelivered == 0 }
        #expect((again + rest).map(\.topic) == (1...30).map { "\($0)" })
        #expect(post.delivery.problem == nil)
    }

    @Test func `an event for which the broker ends the connection waits aside, and the others are delivered`() throws {
        var post = try Post()
        post.happen(3)
        post.deliver()
        let sent = try post.receive(3)
        post.client.acknowledge(sent[0])
        // 149: packet too large. The second was the next to be answered.
        post.client.disconnect(reason: 149)
        try post.settle { !$0.isHandedOver(2) }
        try post.welcome()
        post.deliver()
        let again = try post.receive(1)[0]
        #expect(again.topic == "3")
        post.client.acknowledge(again)
        try post.settle { $0.refused == 1 && $0.undelivered == 1 }
        #expect(post.delivery.problem?.contains("(149)") == true)
        // It is tried again after half a minute, and by the connection's clock that has not passed.
        post.deliver(after: 30)
        try post.settle { $0.refused == 1 }
        #expect(!post.client.stirs(within: .milliseconds(50)))
    }

    @Test func `that nobody subscribes is no refusal`() throws {
        var post = try Post()
        post.happen(1)
        post.deliver()
        post.client.acknowledge(try post.receive(1)[0], reason: 16)
        try post.settle { $0.undelivered == 0 }
        #expect(post.delivery.problem == nil)
    }

    @Test func `a broker that takes one at a time gets one at a time, in order`() throws {
        // Receive maximum 1.
        var post = try Post(properties: [0x21, 0, 1])
        post.happen(5)
        post.deliver()
        for number in 1...5 {
            let publication = try post.receive(1)[0]
            #expect(publication.topic == "\(number)")
            #expect(!post.client.stirs(within: .milliseconds(50)))
            post.client.acknowledge(publication)
        }
        try post.settle { $0.undelivered == 0 }
    }

    @Test func `acknowledgements that come late, in another order or twice are taken for what they say`() throws {
        var post = try Post()
        post.happen(4)
        post.deliver()
        let sent = try post.receive(4)
        for index in [2, 0, 2, 0] { post.client.acknowledge(sent[index]) }
        try post.settle { $0.undelivered == 2 }
        post.deliver(after: 3600)
        #expect(post.connection.queued == 0 && post.log.undelivered == 2)
        for index in [3, 1] { post.client.acknowledge(sent[index]) }
        try post.settle { $0.undelivered == 0 }
    }

    @Test func `what was not acknowledged, or refused, when the line broke comes again, in order`() throws {
        var post = try Post()
        post.happen(4)
        post.deliver()
        let sent = try post.receive(4)
        post.client.acknowledge(sent[0])
        post.client.acknowledge(sent[1], reason: 135)
        try post.settle { $0.refused == 1 && $0.undelivered == 3 }
        post.client.hangUp()
        try post.settle { $0.refused == 0 }
        #expect(post.delivery.problem == nil, "another broker may take it")
        try post.welcome()
        post.deliver()
        let again = try post.receive(3)
        #expect(again.map(\.topic) == ["2", "3", "4"])
        for publication in again { post.client.acknowledge(publication) }
        try post.settle { $0.undelivered == 0 }
    }
}
