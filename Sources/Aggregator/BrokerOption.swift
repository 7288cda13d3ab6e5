import ArgumentParser
import Console
import Linux
import SiteClient

/// The option that names the broker.
struct BrokerOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The file whose [mqtt] table names the broker.",
            discussion:
                "Default: the file that \(configurationVariable) names, else ~/\(ownBrokerFile) if it exists, else \(standardConfigurationPath)."
        ))
    var path: String?
}

/// The options of a command that shows something of the site.
struct ShowOptions: ParsableArguments {
    @Flag(help: "Print one JSON array.")
    var json = false

    @OptionGroup var broker: BrokerOption
}

/// A command that shows something of the site.
protocol ShowCommand: SiteCommand {
    var show: ShowOptions { get }
}

extension ShowCommand {
    var broker: BrokerOption { show.broker }
}

/// A command that needs the broker.
protocol SiteCommand: Command {
    var broker: BrokerOption { get }

    /// Does what the command is for; `session` connects to the broker when it is used.
    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus
}

extension SiteCommand {
    func perform() throws(Failure) -> ExitStatus {
        try perform(over: try BrokerSession(settings: try loadBrokerSettings(at: broker.path)))
    }
}
