import ArgumentParser
import Console
import GatewayService
import Linux

/// `forgetmenot-gateway record`.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record what the adapter delivers, as btmon and Wireshark read it.",
        discussion: """
            Runs until interrupted, or for as long as --for says. Played again by source = "capture:FILE.btsnoop" it gives the same sightings. \
            On a full disk it ends with 74, and the file holds what was heard until then.
            """)

    @Argument(help: ArgumentHelp("The file to make.", valueName: "file.btsnoop"))
    var file: String

    @Option(name: .customLong("for"), help: "For how long, like 30s, 10m or 2h. (default: until interrupted)")
    var span: String?

    @Flag(help: "Replace the file if it is there.")
    var force = false

    @OptionGroup var adapter: AdapterOption
    @OptionGroup var configuration: ConfigurationOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            let words = RecordWords(path: file, span: span, replaces: force)
            return try record(words, from: try configuration.ifAny(with: adapter))
        }
    }
}
