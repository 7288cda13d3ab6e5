import AggregatorService
import ArgumentParser
import Linux

/// How a command finds the broker.
struct BrokerOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The file whose [mqtt] table says where the broker is.",
            discussion: "Else ~/.config/forgetmenot/forgetmenot.toml, else /etc/forgetmenot/aggregator.toml."))
    var path: String?

    /// A connection of the command's own.
    func connect() throws(Failure) -> BrokerSession {
        try BrokerSession(settings: try loadBrokerSettings(at: path))
    }
}
