import ArgumentParser
import Console
import GatewayService
import Linux

struct RecordCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record the adapter's advertisements for btmon and Wireshark.",
        discussion: """
            Runs until interrupted, or for the time of --for. With radio.source = "capture:FILE.btsnoop" a gateway plays the recording and \
            has the same sightings. If the disk is full, the command exits with 74; the file holds all advertisements until then.
            """)

    @Argument(
        help: ArgumentHelp("The file to write; - for standard output.", valueName: "file.btsnoop"), completion: .file())
    var file: String

    @Option(name: .customLong("for"), help: "How long to record, like 30s, 10m or 2h. (default: until interrupted)")
    var span: String?

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @OptionGroup var adapter: AdapterOption
    @OptionGroup var configuration: ConfigurationOption

    func perform() throws(Failure) -> ExitStatus {
        try record(
            to: file == "-" ? "/dev/stdout" : file, for: span, replaces: force,
            from: try configuration.ifAny(with: adapter))
    }
}
