import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

/// Commands beside brokers that are slow, or down, and beside an aggregator that does not respond at once.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct FaultyBrokerTests {
    @Test func `a command waits for a broker as long as retained messages arrive, and not longer`() throws {
        let broker = try ScriptedBroker()
        let folder = try TestFolder()
        let file = try folder.write("[mqtt]\nhost = \"localhost\"\nport = \(broker.port)\n", to: "broker.toml")
        for isFinished in [true, false] {
            let command = try Program.aggregator.start("items", "list", "--config", file)
            let client = try broker.welcome()
            let packets = [try client.expect(.subscribe), try client.expect(.subscribe)]
            for number in 1...7 {
                let item = RegistryItem(id: "thing-\(number)", name: "Thing \(number)", beacon: Site.ghost)
                client.publish(
                    topic: Array("forgetmenot/registry/items/thing-\(number)".utf8), payload: item.bytes, retained: true
                )
                if client.stirs(within: .seconds(1)) { break }
            }
            if isFinished {
                // A response without codes for the others: commands need only the last one.
                client.acknowledge(subscription: packets[1], codes: [0])
            }
            let end = try command.ended()
            #expect(end.status == 69 && end.outputLines.count == (isFinished ? 8 : 0), "\(end)")
            let reason = isFinished ? "the aggregator is not running" : "raise its max_queued_messages"
            #expect(end.errors.contains(reason) && end.errorLines.count == 1, "\(end)")
        }
    }

    @Test func `a command uses the other address of a cluster while the first one is down, and names what is wrong`()
        throws
    {
        let first = try TestBroker()
        var options = TestBroker.Options()
        (options.address, options.port) = ("127.0.0.2", first.port)
        let second = try TestBroker(options)
        let folder = try TestFolder()
        let file = try folder.write(
            "[mqtt]\nhost = [\"127.0.0.1\", \"127.0.0.2\"]\nport = \(first.port)\n", to: "broker.toml")
        for (down, up) in [(first, second), (second, first)] {
            down.kill()
            for _ in 1...2 {
                let end = try Program.aggregator.run("items", "list", "--config", file)
                #expect(end.status == 69 && end.errors.contains("the aggregator is not running"), "\(end)")
            }
            up.kill()
            let end = try Program.aggregator.run("items", "list", "--config", file)
            #expect(end.status == 69 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
            #expect(end.errors.contains(":\(first.port)"), "\(end)")
            try down.restart()
            try up.restart()
        }
    }

    @Test func `events --follow asks again for the past that it did not get, and misses and repeats nothing`() throws {
        let site = try Site()
        let file = try site.aggregatorFile()
        let observer = try Observer(site.broker)
        let boot = try #require(Boot("17.kfqx"))
        func event(_ seq: UInt64) -> ItemEvent {
            ItemEvent(
                .moved(from: "Hall", to: "Room \(seq)"), seq: seq, item: "bag", name: "Bag",
                stamp: Stamp(
                    at: Clock.wall - .seconds(100 - Double(seq)), boot: boot, uptime: .zero, isClockSynchronised: true))
        }
        var asked: [JSONValue] = []
        observer.onMessage = { seen in
            guard seen.topic == "forgetmenot/aggregator/request/history" else { return }
            asked.append((try? JSONValue(parsing: seen.payload)) ?? .null)
        }
        func respond(_ number: Int, _ outcome: Response<HistoryResponse>.Outcome) throws {
            try observer.wait(for: "request \(number)") { asked.count == number }
            let transaction = asked[number - 1].object?["transaction"] ?? .null
            try observer.publish(
                "forgetmenot/aggregator/response/history", Response(outcome, transaction: transaction).bytes,
                retain: false)
        }
        let follower = try Program.aggregator.start("events", "--follow", "--config", file)
        try respond(1, .failed("The disk is slow."))
        try follower.complaint(of: "the disk is slow")
        try observer.publish("forgetmenot/items/bag/event", event(3).bytes, retain: false)
        #expect(try follower.line().hasSuffix("Room 3"))
        try respond(2, .failed("The disk is slow."))
        try respond(3, .done(HistoryResponse(events: [event(1), event(2), event(3)])))
        #expect(try follower.line().hasSuffix("Room 1") && follower.line().hasSuffix("Room 2"))
        try observer.publish("forgetmenot/items/bag/event", event(4).bytes, retain: false)
        #expect(try follower.line().hasSuffix("Room 4"))
        // One request after each connect is enough again.
        site.broker.kill()
        try follower.complaint(of: "broker")
        try site.broker.restart()
        try observer.wait(for: "the request after the connect") { asked.count == 4 }
        #expect(asked[3].object?["after"] == .string(event(4).id.description), "\(asked[3])")
        try respond(4, .done(HistoryResponse(events: [event(5)])))
        #expect(try follower.line().hasSuffix("Room 5"))
        let end = try follower.ended(by: SIGINT)
        #expect(end.status == 0 && end.errorLines.count { $0.contains("the disk is slow") } == 1, "\(end)")
    }
}
