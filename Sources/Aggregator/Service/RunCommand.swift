import AggregatorService
import ArgumentParser
import Console
import Linux

/// What the service's own commands take.
struct ConfigurationOption: ParsableArguments {
    @Option(name: .customLong("config"), help: "The configuration file.")
    var path = "/etc/forgetmenot/aggregator.toml"
}

/// `forgetmenot run`.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Be the site's aggregator, until told to stop.")

    @OptionGroup var configuration: ConfigurationOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try runAggregator(try loadConfiguration(at: configuration.path))
        }
    }
}
