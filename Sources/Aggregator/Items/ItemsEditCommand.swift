import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot items edit ITEM`.
struct ItemsEditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change an item's notifications, measured power or sleep.",
        discussion:
            "Settings without an option stay as they are. An empty --left-text or --returned-text restores the usual sentence."
    )

    @Argument(help: "The item's id or exact name.")
    var item: String

    // Unconditional: the parser would otherwise read a negative number as an option.
    @Option(
        name: .customLong("measured-power"), parsing: .unconditional,
        help: "The beacon's RSSI at 1 m in dBm, instead of the one it claims.")
    var measuredPower: Int?

    @Flag(help: "Use the measured power that the beacon claims again.")
    var claimedPower = false

    @Flag(
        inversion: .prefixedNo, help: "Whether the beacon advertises only while the item moves: its silence means rest."
    )
    var sleeps: Bool?

    @OptionGroup(title: "Notifications") var notify: NotifyOptions

    @Flag(help: "Notify at any hour again, instead of --notify-from and --notify-to.")
    var notifyAlways = false

    @Flag(help: "Print the item as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            var words = notify.words
            words.atAnyHour = notifyAlways
            let changes = ItemChangeWords(
                notify: words, measuredPower: measuredPower, isPowerAsClaimed: claimedPower, sleeps: sleeps)
            return try editItem(item, changes, over: try broker.connect(), asJSON: json)
        }
    }
}
