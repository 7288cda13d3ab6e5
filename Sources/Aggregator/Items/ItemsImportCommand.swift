import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot items import FILE`.
struct ItemsImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Add all items of a JSON file.",
        discussion:
            """
            Items that exist already as they stand in the file are skipped. If an item cannot be added, the command reports its line, \
            adds the others, and exits with 1.
            """
    )

    @Argument(help: "A JSON array of items, as \"items export\" prints it; - for standard input.")
    var file: String

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try importItems(from: file, over: try broker.connect())
        }
    }
}
