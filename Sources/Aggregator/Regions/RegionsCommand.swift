import ArgumentParser

/// `forgetmenot regions`.
struct RegionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "regions", abstract: "The sets of beacons that every gateway monitors.",
        subcommands: [RegionsListCommand.self, RegionsAddCommand.self, RegionsRemoveCommand.self],
        defaultSubcommand: RegionsListCommand.self)
}
