import ArgumentParser

/// `forgetmenot items`.
struct ItemsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "items", abstract: "List, add, change and remove items.",
        subcommands: [
            ItemsListCommand.self, ItemsAddCommand.self, ItemsEditCommand.self, ItemsRenameCommand.self,
            ItemsRemoveCommand.self, ItemsImportCommand.self, ItemsExportCommand.self,
        ],
        defaultSubcommand: ItemsListCommand.self)
}
