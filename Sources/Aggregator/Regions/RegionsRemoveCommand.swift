import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot regions remove REGION`.
struct RegionsRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget a region: its topics are cleared, without an event.")

    @Argument(help: "A region's id or exact identifier.")
    var region: String

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try removeRegion(region, over: try broker.connect())
        }
    }
}
