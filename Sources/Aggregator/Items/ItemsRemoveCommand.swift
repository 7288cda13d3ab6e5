import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot items remove ITEM`.
struct ItemsRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget a thing: its topics are cleared, and its beacon is a stranger's again."
    )

    @Argument(help: "An item's id or exact name.")
    var item: String

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try removeItem(item, over: try broker.connect())
        }
    }
}
