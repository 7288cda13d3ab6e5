import SiteClient
import ArgumentParser
import Linux

/// The option that names the broker.
struct BrokerOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The file whose [mqtt] table names the broker.",
            discussion:
                "Default: ~/.config/forgetmenot/forgetmenot.toml if it exists, else /etc/forgetmenot/aggregator.toml."))
    var path: String?

    /// A new connection to the broker.
    func connect() throws(Failure) -> BrokerSession {
        try BrokerSession(settings: try loadBrokerSettings(at: path))
    }
}
