import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot gateways remove GATEWAY`.
struct GatewaysRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a gateway that is gone for good.",
        discussion: "The aggregator forgets the gateway and clears the gateway's topics on the broker.")

    @Argument(help: "The gateway's id.")
    var gateway: String

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try removeGateway(gateway, over: try broker.connect())
        }
    }
}
