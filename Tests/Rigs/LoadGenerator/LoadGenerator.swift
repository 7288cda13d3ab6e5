import ArgumentParser
import Beacons
import Console
import Linux
import SiteClient

/// `LoadGenerator`: a program of its own, because whoever sizes a broker does so before there is a site.
@main
struct LoadGenerator: Command {
    static let configuration = CommandConfiguration(
        commandName: "LoadGenerator",
        abstract: "Publish what the gateways of a large site would publish.",
        discussion: """
            Tests whether a broker and an aggregator carry a site before it is built. Simulates houses with people who walk and items that \
            most of the time lie still, and publishes what their gateways would publish, in the same topics, over a few connections. With \
            --measure it adds the items to the aggregator of the same prefix, measures the time from a ranged state to the location, and \
            counts what did not arrive. It ends by itself, and deletes what the broker retains of it. It refuses a prefix below which other \
            gateways publish.
            """)

    @Option(help: "The number of gateways, 1 to 10000.")
    var gateways = 20

    @Option(help: "The number of items, 1 to 100000.")
    var items = 500

    @Option(help: "How many minutes to publish, 0.05 to 1440.")
    var minutes = 10.0

    @Option(help: "The share of items that people carry about, in per cent.")
    var carried = 10.0

    @Option(help: "The broker, as HOST or HOST:PORT, without user and TLS. (default: the [mqtt] table of --config)")
    var broker: String?

    @Option(help: "The file whose [mqtt] table names the broker.")
    var config: String?

    @Option(help: "The prefix of all topics.")
    var prefix = "forgetmenot-simulation"

    @Option(help: "The number of connections that the gateways share, 1 to 64.")
    var connections = 4

    @Option(help: "The seed; equal seeds give equal sites.")
    var seed: UInt64 = 1

    @Flag(help: "Add the items to the aggregator, and measure its responses.")
    var measure = false

    @Flag(help: "Publish even if other gateways publish below this prefix.")
    var allowRealData = false

    static func main() { runProgram() }

    func validate() throws {
        guard (1...LoadPlan.mostGateways).contains(gateways) else {
            throw ValidationError("\(gateways) is no number of gateways: write 1 to \(LoadPlan.mostGateways).")
        }
        guard (1...LoadPlan.mostItems).contains(items) else {
            throw ValidationError("\(items) is no number of items: write 1 to \(LoadPlan.mostItems).")
        }
        guard (0.05...1440).contains(minutes) else {
            throw ValidationError("\(minutes) is no number of minutes: write 0.05 to 1440.")
        }
        guard (0...100).contains(carried) else {
            throw ValidationError("\(carried) is no percentage: write 0 to 100.")
        }
        guard (1...64).contains(connections) else {
            throw ValidationError("\(connections) is no number of connections: write 1 to 64.")
        }
    }

    func perform() throws(Failure) -> ExitStatus {
        let plan = LoadPlan(gateways: gateways, items: items, carried: carried / 100, seed: seed)
        let options = LoadOptions(
            plan: plan, span: .seconds(minutes * 60), connections: connections, measures: measure,
            allowsRealData: allowRealData)
        let settings =
            if let broker { try brokerSettings(at: broker) } else {
                try loadBrokerSettings(at: config)
            }
        return try simulateLoad(options, settings: try settings.below(prefix: prefix))
    }
}
