import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot where [ITEM]`.
struct WhereCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "where", abstract: "Show where everything is, or one item.",
        discussion:
            "With an item, exits with 0 if it is home and with 1 if it is not. Without a live aggregator it shows what was last known, and exits with 69."
    )

    @Argument(help: "An item's id or exact name.")
    var item: String?

    @Flag(help: "One JSON array.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try showLocations(of: item, over: try broker.connect(), asJSON: json)
        }
    }
}
