import AggregatorService
import ArgumentParser
import Broker
import Console
import Linux
import Mosquitto
import Page

struct CheckCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the configuration file and report every problem.",
        discussion:
            "Prints one line for each problem, with its line number, and exits with 78. Without problems it prints nothing and exits with 0."
    )

    @OptionGroup var configuration: ConfigurationOption

    func perform() throws(Failure) -> ExitStatus {
        try checkConfiguration(at: configuration.path) { (configuration) throws(Failure) in
            _ = try BrokerConnection(BrokerOptions(configuration.aggregator.broker))
            try checkTLSFiles(configuration.page)
            try checkSecrets(of: configuration.aggregator.channels)
            _ = try sharedSecret(configuration.aggregator.standby)
        }
    }
}
