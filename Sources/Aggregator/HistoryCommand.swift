import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot history ITEM`.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show where a thing was: when it moved, left and returned.")

    @Argument(help: "An item's id or exact name.")
    var item: String

    @Option(parsing: .unconditional, help: "Only what happened since so long ago, like 12h or 2d.")
    var since: String?

    @Flag(help: "One JSON array.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try showHistory(of: item, since: since, over: try broker.connect(), asJSON: json)
        }
    }
}
