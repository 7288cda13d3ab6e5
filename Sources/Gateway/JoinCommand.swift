import ArgumentParser
import Console
import GatewayService
import Joining
import Linux

struct JoinCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Fetch this gateway's configuration from the site, and start.",
        discussion: """
            On the broker's machine, `sudo forgetmenot gateways invite ROOM` prints the line to type here, and waits. Both machines prove to each other \
            that they know the code, and everything between them is encrypted. Then join does what `setup` does. With the code alone, join looks for \
            the site on this network, by avahi (package avahi-utils).
            """)

    @Argument(help: "The name or address of the broker's machine. (default: found by avahi)")
    var host: String?

    @Argument(help: "The code that `gateways invite` has printed. (default: asked for)")
    var code: String?

    @Option(help: "The port on which `gateways invite` waits. (default: \(Invitation.standardPort), or as announced)")
    var port: Int?

    @Option(help: "The radio: bluez:hci0, capture:FILE.btsnoop or simulation. (default: bluez:hci0)")
    var source: String?

    @Flag(help: "Do not start the service.")
    var noStart = false

    @OptionGroup var configuration: ConfigurationOption

    mutating func validate() throws {
        // What looks like a code is never looked up as a host: most of a code with a mistake is still secret. A code has no dot.
        if code == nil, let word = host,
            JoinCode(word) != nil || !word.contains(".") && word.split(separator: "-").count > 4
        {
            (host, code) = (nil, word)
        }
        guard (1...65_535).contains(port ?? 1) else { throw ValidationError("--port takes a number from 1 to 65535.") }
    }

    func perform() throws(Failure) -> ExitStatus {
        var words = GatewaySetupWords(file: configuration.path)
        (words.source, words.starts) = (source, !noStart)
        return try joinSite(at: host, port: port, code: code, words)
    }
}
