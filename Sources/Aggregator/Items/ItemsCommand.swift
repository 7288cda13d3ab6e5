import ArgumentParser

/// `forgetmenot items`.
struct ItemsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "items", abstract: "The things that carry a beacon.",
        subcommands: [
            ItemsListCommand.self, ItemsAddCommand.self, ItemsEditCommand.self, ItemsRenameCommand.self,
            ItemsRemoveCommand.self, ItemsImportCommand.self, ItemsExportCommand.self,
        ],
        defaultSubcommand: ItemsListCommand.self)
}
