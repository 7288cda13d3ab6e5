import ArgumentParser
import Console
import GatewayService
import Linux

struct ScanCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Show the beacons in range, strongest first, until interrupted.",
        discussion:
            "If radio.source is a recording with speed = \"fast\", the command shows all beacons of the recording and ends."
    )

    @Flag(help: "Show other devices as well.")
    var all = false

    @Flag(help: "Print one JSON object per line; for a recording with speed = \"fast\", one array.")
    var json = false

    @OptionGroup var adapter: AdapterOption
    @OptionGroup var configuration: ConfigurationOption

    func perform() throws(Failure) -> ExitStatus {
        try scan(try configuration.ifAny(with: adapter), all: all, asJSON: json)
    }
}
