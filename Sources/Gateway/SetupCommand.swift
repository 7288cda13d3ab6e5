import ArgumentParser
import Console
import GatewayService
import Linux

/// `forgetmenot-gateway setup`.
struct SetupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Make this machine a gateway: write the configuration, look whether all is well, start the service.",
        discussion: """
            Asks for the room and the broker where they are not given. `forgetmenot broker-setup` prints the line to paste here. \
            All it does can be done by hand: write the file, run doctor, systemctl enable --now forgetmenot-gateway.
            """)

    @Option(help: "Who this gateway is, to the broker and in topics. (default: the host's name)")
    var id: String?

    @Option(help: "The room that it serves. (default: it is asked for)")
    var room: String?

    @Option(help: "The broker's name or address. (default: it is asked for)")
    var host: String?

    @Option(help: "The broker's port for gateways.")
    var port: Int?

    @Option(help: "What all topics begin with.")
    var prefix: String?

    @Option(help: "What listens: bluez:hci0, capture:FILE.btsnoop, simulation.")
    var source: String?

    @Flag(help: "Read the broker's password for this gateway from standard input; a terminal is asked for it.")
    var passwordStdin = false

    @Flag(help: "Read the certificates and the key for this gateway from standard input.")
    var certificatesStdin = false

    @Flag(help: "Do not start the service.")
    var noStart = false

    @OptionGroup var configuration: ConfigurationOption

    func validate() throws {
        guard !(passwordStdin && certificatesStdin) else {
            throw ValidationError("A password or certificates come by standard input, not both.")
        }
    }

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            var words = GatewaySetupWords(file: configuration.path)
            (words.id, words.room, words.host, words.port) = (id, room, host, port)
            (words.prefix, words.source, words.starts) = (prefix, source, !noStart)
            words.secret = passwordStdin ? .password : certificatesStdin ? .certificates : nil
            return try setUpGateway(words)
        }
    }
}
