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

    @OptionGroup var configuration: ConfigurationOption

    @Flag(help: "JSON: one array for what ends, one object per line for what goes on.")
    var json = false

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try scan(try loadConfiguration(at: configuration.path), asJSON: json)
        }
    }
}
