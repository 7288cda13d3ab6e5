import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot regions remove REGION`.
struct RegionsRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a region.",
        discussion: "The region's topics are cleared. No exit event is published.")

    @Argument(help: "The region's id or exact identifier.")
    var region: String

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try removeRegion(region, over: try broker.connect())
        }
    }
}
