import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot items export`.
struct ItemsExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print all items as JSON that \"items import\" reads.")

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try exportItems(over: try broker.connect())
        }
    }
}
