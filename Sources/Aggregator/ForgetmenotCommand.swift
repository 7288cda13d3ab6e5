import ArgumentParser
import Console
import Messages
import SiteClient

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
            CommandGroup(name: "Daily", subcommands: SiteCommands.daily),
            CommandGroup(
                name: "Site",
                subcommands: [
                    SiteCommands.items, SiteCommands.people, SiteCommands.nearby, SiteCommands.regions,
                    GatewaysCommand.self, SiteCommands.survey, SiteCommands.learning, PlacementCommand.self,
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
