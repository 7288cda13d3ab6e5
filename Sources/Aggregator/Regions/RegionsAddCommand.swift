import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot regions add IDENTIFIER --uuid U [--major M [--minor N]]`.
struct RegionsAddCommand: ParsableCommand {
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

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            let words = RegionWords(
                identifier: identifier, beacons: beacons.words, id: id, notifyOnEntry: notifyOnEntry,
                notifyOnExit: notifyOnExit, entryText: entryText, exitText: exitText)
            return try addRegion(words, over: try broker.connect(), asJSON: json)
        }
    }
}
