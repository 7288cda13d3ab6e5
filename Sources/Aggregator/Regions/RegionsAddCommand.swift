import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot regions add IDENTIFIER --uuid U [--major M [--minor N]]`.
struct RegionsAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Have every gateway monitor all beacons of a uuid, of a uuid and major, or one.")

    @Argument(help: "What people call it, in any script.")
    var identifier: String

    @OptionGroup var beacons: BeaconOptions

    @Option(help: "The id in topics; made from the identifier unless given.")
    var id: String?

    @Flag(inversion: .prefixedNo, help: "Whether its enter is published.")
    var notifyOnEntry = true

    @Flag(inversion: .prefixedNo, help: "Whether its exit is published.")
    var notifyOnExit = true

    @Option(help: "What is said to people when it is entered, like \"Welcome\".")
    var entryText: String?

    @Option(help: "What is said to people when it is left, like \"Come back soon\".")
    var exitText: String?

    @Flag(help: "The answer as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            let wanted = RegionWords(
                identifier: identifier, beacons: beacons.words, id: id, notifyOnEntry: notifyOnEntry,
                notifyOnExit: notifyOnExit, entryText: entryText, exitText: exitText)
            return try addRegion(wanted, over: try broker.connect(), asJSON: json)
        }
    }
}
