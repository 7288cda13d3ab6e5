import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot items remove ITEM`.
struct ItemsRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an item.",
        discussion: "The aggregator clears the item's topics. The item's beacon is unknown again.")

    @Argument(help: "The item's id or exact name.")
    var item: String

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try removeItem(item, over: try broker.connect())
        }
    }
}
