import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot regions list`.
struct RegionsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the regions that all gateways monitor.")

    @Flag(help: "Print one JSON array.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try listRegions(over: try broker.connect(), asJSON: json)
        }
    }
}
