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
}
