import ArgumentParser
import Console
import GatewayService
import Linux

/// `forgetmenot-gateway scan`.
struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Show what is heard here, strongest first, until interrupted.",
        discussion:
            "A recording that is played as fast as it goes (speed = \"fast\") ends at once: then all that was in it is shown."
    )

    @Flag(help: "What is no beacon, too.")
    var all = false

    @Flag(help: "JSON: one array for what ends, one object per line for what goes on.")
    var json = false

    @OptionGroup var adapter: AdapterOption
    @OptionGroup var configuration: ConfigurationOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try scan(try configuration.ifAny(with: adapter), all: all, asJSON: json)
        }
    }
}
