import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot broker-setup`.
struct BrokerSetupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker-setup",
        abstract: "Lock the site's mosquitto: who may come in, and what each may say and read.",
        discussion: """
            Writes mosquitto.conf, an ACL and passwords or certificates into a folder, and prints a line for each gateway to paste there. \
            Run it again to add a gateway: keys and passwords that are there stay, and it says what it changed.
            """)

    @Option(
        name: .customLong("gateway"), help: "A gateway that may come in, by its room's name or its id; may be repeated."
    )
    var gateways: [String] = []

    @Option(
        name: .customLong("user"),
        help: "Somebody or something that may read all and ask: a person, homeassistant; may be repeated.")
    var users: [String] = []

    @Option(name: .customLong("remove"), help: "A gateway or a user that is no longer let in; may be repeated.")
    var removed: [String] = []

    @Option(help: "The name or address by which the others find this machine. (default: localhost)")
    var host: String?

    @Option(help: "The address to listen on. (default: every one)")
    var bind: String?

    @Option(help: "The port for people, home automation and the aggregator. (default: 1883, or 8883 with certificates)")
    var port: Int?

    @Option(help: "The port for gateways. (default: 1884, or 8884 with certificates)")
    var gatewayPort: Int?

    @Option(help: "What all topics begin with. (default: forgetmenot)")
    var prefix: String?

    @Flag(help: "Certificates for everybody, and TLS, instead of passwords.")
    var certificates = false

    @Option(help: "The folder that is written.")
    var folder = "/etc/forgetmenot/broker"

    @Option(help: "The aggregator's configuration, whose [mqtt] is completed if it is there.")
    var config = "/etc/forgetmenot/aggregator.toml"

    func validate() throws {
        for port in [port, gatewayPort].compactMap({ $0 }) where !(1...65_535).contains(port) {
            throw ValidationError("\(port) is no port: write 1 to 65535.")
        }
    }

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            var words = BrokerSetupWords(folder: folder, aggregatorFile: config)
            (words.gateways, words.users, words.removed) = (gateways, users, removed)
            (words.host, words.bind, words.port, words.gatewayPort) = (host, bind, port, gatewayPort)
            (words.prefix, words.certificates) = (prefix, certificates)
            return try setUpBroker(words)
        }
    }
}
