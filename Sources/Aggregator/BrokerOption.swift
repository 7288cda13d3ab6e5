import ArgumentParser
import Linux
import SiteClient

/// The option that names the broker.
struct BrokerOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The file whose [mqtt] table names the broker.",
            discussion:
                "Default: ~/\(ownBrokerFile) if it exists, else \(standardConfigurationPath)."))
    var path: String?

    /// A new connection to the broker.
    func connect() throws(Failure) -> BrokerSession {
        try BrokerSession(settings: try loadBrokerSettings(at: path))
    }
}
