import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot items rename ITEM NAME`.
struct ItemsRenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Rename an item; its id and its history stay.")

    @Argument(help: "The item's id or exact name.")
    var item: String

    @Argument(help: "The new name, in any script.")
    var newName: String

    @Flag(help: "Print the item as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try renameItem(item, to: newName, over: try broker.connect(), asJSON: json)
        }
    }
}
