import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot items remove ITEM`.
struct ItemsRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an item.",
        discussion: """
            The aggregator clears the item's topics. The item's beacon is unknown again. On a terminal, the command asks first. The past \
            stays in the history under the item's id.
            """)

    @Argument(help: "The item's id or exact name.")
    var item: String

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try removeItem(item, over: try broker.connect(), asks: !yes)
        }
    }
}
