import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot items rename ITEM NAME`.
struct ItemsRenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Call a thing something else: its id stays, and its history.")

    @Argument(help: "An item's id or exact name.")
    var item: String

    @Argument(help: "What people call it from now on.")
    var newName: String

    @Flag(help: "The answer as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try renameItem(item, to: newName, over: try broker.connect(), asJSON: json)
        }
    }
}
