import ArgumentParser
import Console
import GatewayService
import Linux

struct SetupCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Set up this machine as a gateway and start the service.",
        discussion: """
            Writes the configuration, runs doctor, and starts the service. Asks for the room and the broker if they are not given. \
            `forgetmenot broker-setup` prints the command line to paste here. To do it by hand: write the file, run doctor, and run \
            systemctl enable --now forgetmenot-gateway.
            """)

    @Option(help: "This gateway's id in topics and at the broker. (default: made from the host's name)")
    var id: String?

    @Option(help: "The room that this gateway serves. (default: asked for)")
    var room: String?

    @Option(help: "The broker's name or address. (default: asked for)")
    var host: String?

    @Option(help: "The broker's port for gateways.")
    var port: Int?

    @Option(help: "The prefix of all topics.")
    var prefix: String?

    @Option(help: "The radio: bluez:hci0, capture:FILE.btsnoop or simulation. (default: bluez:hci0)")
    var source: String?

    @Flag(help: "Read this gateway's password from standard input; at a terminal, ask for it.")
    var passwordStdin = false

    @Flag(help: "Read this gateway's certificates and key from standard input.")
    var certificatesStdin = false

    @Flag(help: "Do not start the service.")
    var noStart = false

    @OptionGroup var configuration: ConfigurationOption

    func validate() throws {
        guard !(passwordStdin && certificatesStdin) else {
            throw ValidationError("Give --password-stdin or --certificates-stdin, not both.")
        }
    }

    func perform() throws(Failure) -> ExitStatus {
        var words = GatewaySetupWords(file: configuration.path)
        (words.id, words.room, words.host, words.port) = (id, room, host, port)
        (words.prefix, words.source, words.starts) = (prefix, source, !noStart)
        words.secret = passwordStdin ? .password() : certificatesStdin ? .certificates() : nil
        return try setUpGateway(words)
    }
}
