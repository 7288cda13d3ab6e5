import Messages
import Console
import ArgumentParser

/// `forgetmenot`: the aggregator service and the command-line tool.
@main
struct ForgetmenotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forgetmenot",
        abstract: "Show in which room your items are, and when they leave.",
        discussion: "The service is `forgetmenot run`; all other commands talk to it, or set it up.",
        version: version,
        subcommands: [
            WhereCommand.self, WatchCommand.self, EventsCommand.self, HistoryCommand.self, AcknowledgeCommand.self,
            ItemsCommand.self, NearbyCommand.self, RegionsCommand.self, GatewaysCommand.self, RunCommand.self,
            SurveyCommand.self, LearningCommand.self, CheckCommand.self, DoctorCommand.self, BrokerSetupCommand.self,
            ReplayCommand.self, PageCommand.self,
        ])

    static func main() { runProgram() }
}
