import ArgumentParser

/// `forgetmenot regions`.
struct RegionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "regions", abstract: "List, add and remove regions, which every gateway monitors.",
        subcommands: [RegionsListCommand.self, RegionsAddCommand.self, RegionsRemoveCommand.self],
        defaultSubcommand: RegionsListCommand.self)
}
