import Messages
import Console
import ArgumentParser

/// `forgetmenot`: the aggregator service and the command-line tool.
@main
struct ForgetmenotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forgetmenot",
        abstract: "Show in which room your items are, and when they leave.",
        discussion: """
            The service is `forgetmenot run`; all other commands talk to it, or set it up. For example:

              forgetmenot where Keys
              forgetmenot events --since 2d
              forgetmenot items add Keys --nearest
              forgetmenot people add Anna --carries keys
              sudo forgetmenot setup
              sudo forgetmenot doctor
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Daily",
                subcommands: [
                    WhereCommand.self, WatchCommand.self, EventsCommand.self, HistoryCommand.self,
                    AcknowledgeCommand.self,
                ]),
            CommandGroup(
                name: "Site",
                subcommands: [
                    ItemsCommand.self, PeopleCommand.self, NearbyCommand.self, RegionsCommand.self,
                    GatewaysCommand.self, SurveyCommand.self, LearningCommand.self, PlacementCommand.self,
                ]),
            CommandGroup(
                name: "Service",
                subcommands: [
                    SetupCommand.self, RunCommand.self, CheckCommand.self, DoctorCommand.self, BrokerSetupCommand.self,
                    PageCommand.self, BackupCommand.self, RestoreCommand.self,
                ]),
            CommandGroup(name: "Developer", subcommands: [ReplayCommand.self]),
        ])

    static func main() { runProgram() }
}
