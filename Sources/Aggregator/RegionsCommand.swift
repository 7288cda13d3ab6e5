import ArgumentParser
import Console
import Linux
import SiteClient

/// `forgetmenot regions`.
struct RegionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "regions", abstract: "List, add and remove regions, which every gateway monitors.",
        subcommands: [RegionsListCommand.self, RegionsAddCommand.self, RegionsRemoveCommand.self],
        defaultSubcommand: RegionsListCommand.self)
}

/// `forgetmenot regions list`.
struct RegionsListCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the regions that all gateways monitor.")

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try listRegions(over: session, asJSON: show.json)
    }
}

/// `forgetmenot regions add IDENTIFIER --uuid U [--major M [--minor N]]`.
struct RegionsAddCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a region, which every gateway then monitors.",
        discussion:
            "A region is all beacons of a UUID, all of a UUID and major, or exactly one: give --uuid, --major and --minor accordingly."
    )

    @Argument(help: "The region's name, in any script.")
    var identifier: String

    @OptionGroup var beacons: BeaconOptions

    @Option(help: "The region's id in topics. (default: made from the identifier)")
    var id: String?

    @Flag(inversion: .prefixedNo, help: "Publish an event when the region is entered.")
    var notifyOnEntry = true

    @Flag(inversion: .prefixedNo, help: "Publish an event when the region is exited.")
    var notifyOnExit = true

    @Option(help: "The message when the region is entered, like \"Welcome\".")
    var entryText: String?

    @Option(help: "The message when the region is exited, like \"Come back soon\".")
    var exitText: String?

    @Flag(help: "Print the region as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try addRegion(
            identifier, beacons, id: id, notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit,
            entryText: entryText, exitText: exitText, over: session, asJSON: json)
    }
}

/// `forgetmenot regions remove REGION`.
struct RegionsRemoveCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a region.",
        discussion: "The region's topics are cleared. No exit event is published.")

    @Argument(help: "The region's id or exact identifier.")
    var region: String

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try removeRegion(region, over: session)
    }
}
