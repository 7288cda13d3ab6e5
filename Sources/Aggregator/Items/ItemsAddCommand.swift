import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot items add NAME --uuid U --major M --minor N`, or `--nearest`.
struct ItemsAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Make a thing known: every gateway looks for its beacon from now on.",
        discussion:
            "Its leaving is said after 30 s, every 5 min for an hour, and its return is not, unless the options that begin with --notify say otherwise."
    )

    @Argument(help: "What people call it, in any script.")
    var name: String

    @Flag(help: "Its beacon is the one that is held against a gateway now, instead of --uuid, --major and --minor.")
    var nearest = false

    @OptionGroup var beacon: BeaconOptions

    @Option(help: "The id in topics; made from the name unless given.")
    var id: String?

    @OptionGroup(title: "Notifications") var notify: NotifyOptions

    @Flag(help: "The answer as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func validate() throws {
        guard !nearest || (beacon.uuid == nil && beacon.major == nil && beacon.minor == nil) else {
            throw ValidationError("--nearest finds the beacon itself: leave --uuid, --major and --minor out.")
        }
    }

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            let wanted = ItemWords(name: name, beacon: beacon.words, id: id, notify: notify.words)
            let session = try broker.connect()
            return nearest
                ? try addNearestItem(wanted, over: session, asJSON: json)
                : try addItem(wanted, over: session, asJSON: json)
        }
    }
}
