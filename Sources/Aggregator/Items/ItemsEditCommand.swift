import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot items edit ITEM`.
struct ItemsEditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change what is told of a thing, or how strong its beacon is taken to be.",
        discussion: "What is not named stays as it is; an empty text stands for the usual sentence.")

    @Argument(help: "An item's id or exact name.")
    var item: String

    // Unconditional: else the minus of every right value would be taken for an option's.
    @Option(
        name: .customLong("measured-power"), parsing: .unconditional, help: "dBm at 1 m, whatever the beacon claims.")
    var measuredPower: Int?

    @Flag(help: "As strong as the beacon claims again.")
    var claimedPower = false

    @OptionGroup(title: "Notifications") var notify: NotifyOptions

    @Flag(help: "At any hour again, instead of --notify-from and --notify-to.")
    var notifyAlways = false

    @Flag(help: "The answer as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            var told = notify.words
            told.atAnyHour = notifyAlways
            let words = ItemChangeWords(notify: told, measuredPower: measuredPower, isPowerAsClaimed: claimedPower)
            return try editItem(item, words, over: try broker.connect(), asJSON: json)
        }
    }
}
