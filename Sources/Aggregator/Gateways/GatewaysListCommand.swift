import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot gateways list`.
struct GatewaysListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List gateways and their health.")

    @Flag(help: "Print one JSON array.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try listGateways(over: try broker.connect(), asJSON: json)
        }
    }
}
