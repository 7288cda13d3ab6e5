import ArgumentParser
import AggregatorService
import Beacons
import Console
import Joining
import Linux
import Settings
import SiteClient

struct GatewaysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateways", abstract: "List, invite, change and remove gateways.",
        subcommands: [
            SiteCommands.listGateways, GatewaysInviteCommand.self, SiteCommands.setGateway, GatewaysRemoveCommand.self,
        ],
        defaultSubcommand: SiteCommands.listGateways)
}

struct GatewaysInviteCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Let a new gateway join the site with one line.",
        discussion: """
            Runs on the broker's machine. Lets the gateway in at the broker, prints the command line for the new gateway, and waits \
            until the gateway has fetched its configuration. The code in the line works once. If the room has a gateway already, the new \
            machine takes its place, unless --another is given. To shut the gateway out again: sudo forgetmenot gateways remove ID.
            """)

    @Argument(help: "The room that the gateway serves, or its id.", completion: .rooms)
    var gateway: String

    @Flag(help: "Let in one more gateway, if the room has one already.")
    var another = false

    @Option(help: "How long the code is valid, from 1s to 1d: longer for a machine that first has to start.")
    var valid = Invitation.validity.duration

    @Option(help: "The name or address under which the gateway reaches this machine. (default: found out)")
    var host: String?

    @Option(help: "The port on which to wait for the gateway; 0: any that is free.")
    var port = Invitation.standardPort

    @Option(help: "The folder of `broker-setup`.")
    var folder = "\(configurationFolder)/broker"

    @Option(help: "The aggregator's configuration, whose [mqtt] table names the broker.")
    var config = standardConfigurationPath

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port takes a number from 0 to 65535.") }
        guard validity != nil else { throw ValidationError("--valid takes a duration from 1s to 1d, like 30m or 2h.") }
    }

    private var validity: Interval? {
        guard let interval = Interval(duration: valid) else { return nil }
        return (.seconds(1)...Invitation.longestValidity).contains(interval) ? interval : nil
    }

    func perform() throws(Failure) -> ExitStatus {
        try inviteGateway(
            gateway, isAnother: another, validity: validity ?? Invitation.validity, folder: folder,
            aggregatorFile: config, host: host, port: port)
    }
}

struct GatewaysRemoveCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a gateway that is gone for good, and revoke its password.",
        discussion: """
            The aggregator forgets the gateway and clears the gateway's topics on the broker. With sudo on the broker's machine, the gateway's \
            password is revoked first, and mosquitto is restarted, so that also a gateway that runs is shut out at once. Elsewhere the command \
            prints the line that does so. On a terminal, the command asks first.
            """)

    @Argument(help: "The gateway's id.", completion: .gateways)
    var gateway: String

    @OptionGroup var confirmation: Confirmation

    @Option(help: "The folder of `broker-setup`.")
    var folder = "\(configurationFolder)/broker"

    @OptionGroup var broker: BrokerOption

    func perform() throws(Failure) -> ExitStatus {
        try removeGateway(gateway, folder: folder, broker: broker.path, confirmation)
    }
}
