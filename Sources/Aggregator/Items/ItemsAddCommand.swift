import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot items add NAME --uuid U --major M --minor N`, or `--nearest`.
struct ItemsAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an item, so that every gateway looks for its beacon.",
        discussion:
            """
            By default you are notified 30 s after the item leaves and then every 5 min for 1 h, but not when it returns. \
            Change this with the --notify options.
            """
    )

    @Argument(help: "The item's name, in any script.")
    var name: String

    @Flag(help: "Use the unknown beacon that you hold against a gateway now, instead of --uuid, --major and --minor.")
    var nearest = false

    @OptionGroup var beacon: BeaconOptions

    @Option(help: "The item's id in topics. (default: made from the name)")
    var id: String?

    @Flag(help: "The beacon advertises only while the item moves: its silence means rest.")
    var sleeps = false

    @OptionGroup(title: "Notifications") var notify: NotifyOptions

    @Flag(help: "Print the item as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func validate() throws {
        guard !nearest || (beacon.uuid == nil && beacon.major == nil && beacon.minor == nil) else {
            throw ValidationError("--nearest finds the beacon itself: leave --uuid, --major and --minor out.")
        }
    }

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            let words = ItemWords(name: name, beacon: beacon.words, id: id, sleeps: sleeps, notify: notify.words)
            let session = try broker.connect()
            return nearest
                ? try addNearestItem(words, over: session, asJSON: json)
                : try addItem(words, over: session, asJSON: json)
        }
    }
}
