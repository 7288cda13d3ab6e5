import ArgumentParser
import BrokerSetup
import Console
import Linux
import Settings
import SiteClient

struct BrokerSetupCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "broker-setup",
        abstract: "Lock the site's mosquitto: users, passwords and access rights.",
        discussion: """
            Writes mosquitto.conf, ACLs, and passwords or certificates at once and without a question: into \(configurationFolder)/broker, or \
            the folder that --folder names. Prints one command line for the broker, for each gateway and for each user. Run it again to add or \
            remove gateways and users: existing keys and passwords stay, and all changes are reported.
            """)

    @Option(
        name: .customLong("gateway"), help: "A gateway to let in, by its room's name or its id; may be repeated."
    )
    var gateways: [String] = []

    @Option(
        name: .customLong("user"),
        help:
            "A person or program that may read everything and send requests, like anna or homeassistant; may be repeated."
    )
    var users: [String] = []

    @Option(
        name: .customLong("remove"),
        help: "A gateway to shut out, by its room's name or its id, or a user; may be repeated.")
    var removed: [String] = []

    @Option(help: "The name or address under which other machines reach this one. (default: localhost)")
    var host: String?

    @Option(help: "The address to which the broker binds. (default: all addresses)")
    var bind: String?

    @Option(help: "The port for people, home automation and the aggregator. (default: 1883, or 8883 with certificates)")
    var port: Int?

    @Option(help: "The port for gateways. (default: 1884, or 8884 with certificates)")
    var gatewayPort: Int?

    @Option(help: "The prefix of all topics. (default: forgetmenot)")
    var prefix: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Use TLS for other machines; the ports without TLS are then open to this machine alone.")
    var tls: Bool?

    @Option(help: "With --tls, the port for people and home automation on other machines. (default: 8883)")
    var tlsPort: Int?

    @Option(help: "With --tls, the port for gateways on other machines. (default: 8884)")
    var tlsGatewayPort: Int?

    @Flag(help: "Use TLS and client certificates instead of passwords.")
    var certificates = false

    @Option(help: "The folder to write.")
    var folder = "\(configurationFolder)/broker"

    @Option(help: "The aggregator's configuration. If the file exists, its [mqtt] table is completed.")
    var config = standardConfigurationPath

    func validate() throws {
        for port in [port, gatewayPort, tlsPort, tlsGatewayPort].compactMap({ $0 }) where !(1...65_535).contains(port) {
            throw ValidationError("\(port) is not a port: write 1 to 65535.")
        }
    }

    func perform() throws(Failure) -> ExitStatus {
        var words = BrokerSetupWords(folder: folder, aggregatorFile: config)
        (words.gateways, words.users, words.removed) = (gateways, users, removed)
        (words.host, words.bind, words.port, words.gatewayPort) = (host, bind, port, gatewayPort)
        (words.prefix, words.certificates, words.tls) = (prefix, certificates, tls)
        (words.tlsPort, words.tlsGatewayPort) = (tlsPort, tlsGatewayPort)
        return try setUpBroker(words)
    }
}
