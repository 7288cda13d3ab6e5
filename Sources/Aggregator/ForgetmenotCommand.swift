import AggregatorService
import Broker
import Console
import ArgumentParser

/// forgetmenot: the aggregator service, and the command-line tool that people use.
@main
struct ForgetmenotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forgetmenot",
        abstract: "Tells in which room your things are, and when they leave.",
        version: version,
        subcommands: [
            WhereCommand.self, WatchCommand.self, EventsCommand.self, HistoryCommand.self, AcknowledgeCommand.self,
            ItemsCommand.self, NearbyCommand.self, RegionsCommand.self, GatewaysCommand.self, RunCommand.self,
            SurveyCommand.self, LearningCommand.self, CheckCommand.self, DoctorCommand.self, BrokerSetupCommand.self,
            ReplayCommand.self,
        ])

    static func main() { runProgram() }
}
