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
        try checkConfiguration(at: try configuration.path) { configuration, checks in
            checks.check { () throws(Failure) in
                _ = try BrokerConnection(BrokerOptions(configuration.aggregator.broker))
            }
            checks.check { () throws(Failure) in try checkTLSFiles(configuration.page) }
            for channel in configuration.aggregator.channels {
                for file in channel.secretFiles {
                    checks.check { () throws(Failure) in try checkSecret(at: file, of: channel) }
                }
            }
            checks.check { () throws(Failure) in _ = try sharedSecret(configuration.aggregator.standby) }
        }
    }
}
