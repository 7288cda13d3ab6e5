import AggregatorService
import ArgumentParser
import Broker
import Console
import Linux
import Page
import Settings
import SiteClient

/// The option that names the service's configuration file.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The aggregator's configuration file.",
            discussion: "Default: the file that \(configurationVariable) names, else \(standardConfigurationPath)."))
    var given: String?

    var path: String {
        get throws(Failure) { try aggregatorFile(at: given) }
    }
}

struct RunCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the aggregator service.")

    @OptionGroup var configuration: ConfigurationOption
    @Flag(name: .customLong("verbose"), help: "Log every message and every write of the event log.")
    var isVerbose = false

    func perform() throws(Failure) -> ExitStatus {
        let path = try configuration.path
        let (configuration, problems) = try loadConfigurationToStart(at: path)
        try FileChecks.pass(configuration.aggregator.broker, from: path)
        let page = Page(configuration, isVerbose: isVerbose) { (plan, offsets) throws(SettingsError) in
            try readServiceConfiguration(at: path, drawn: plan, offsets: offsets).aggregator
        }
        let companion = Companion(
            pushServices: configuration.page.pushServices, start: page.start, reload: page.reload,
            problem: { page.problem }, unsubscribe: page.unsubscribe, stop: page.stop)
        return try runAggregator(
            configuration.aggregator, beside: companion, problems: problems, isVerbose: isVerbose)
    }
}
