import ArgumentParser
import Console
import Linux
import SiteClient

/// `forgetmenot gateways`.
struct GatewaysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateways", abstract: "List and remove gateways.",
        subcommands: [GatewaysListCommand.self, GatewaysRemoveCommand.self], defaultSubcommand: GatewaysListCommand.self
    )
}

/// `forgetmenot gateways list`.
struct GatewaysListCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List gateways and their health.")

    @Flag(help: "Print one JSON array.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try listGateways(over: session, asJSON: json)
    }
}

/// `forgetmenot gateways remove GATEWAY`.
struct GatewaysRemoveCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a gateway that is gone for good.",
        discussion: "The aggregator forgets the gateway and clears the gateway's topics on the broker.")

    @Argument(help: "The gateway's id.")
    var gateway: String

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try removeGateway(gateway, over: session)
    }
}
