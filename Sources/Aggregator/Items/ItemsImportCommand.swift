import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot items import FILE`.
struct ItemsImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Make all things of a file known.",
        discussion:
            "What cannot be added is told with its line, and exits with 1; the rest is added. What is there already stays as it is."
    )

    @Argument(help: "A JSON array of items, as \"items export\" writes it; -: standard input.")
    var file: String

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try importItems(from: file, over: try broker.connect())
        }
    }
}
