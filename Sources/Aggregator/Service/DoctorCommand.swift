import AggregatorService
import ArgumentParser
import Console
import Linux
import SiteClient

struct DoctorCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Diagnose broker, aggregator, gateways, clock and disk.",
        discussion:
            "Prints one line for each check, and what to do if the check failed. Exits with 69 if a check failed. Changes nothing."
    )

    @Flag(help: "Print one JSON array.")
    var json = false

    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The aggregator's configuration file.",
            discussion:
                "Default: the file that \(configurationVariable) names, else \(standardConfigurationPath) if an aggregator is installed here, else ~/\(ownBrokerFile)."
        ))
    var path: String?

    func perform() throws(Failure) -> ExitStatus {
        try examineSite(at: path, asJSON: json)
    }
}
