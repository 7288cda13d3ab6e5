import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot acknowledge ITEM`.
struct AcknowledgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "acknowledge", abstract: "Say that you know: what is told of a thing is not told again.",
        discussion: "Exits with 1 where nothing is told of it.")

    @Argument(help: "An item's id or exact name.")
    var item: String

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try acknowledge(item, over: try broker.connect())
        }
    }
}
