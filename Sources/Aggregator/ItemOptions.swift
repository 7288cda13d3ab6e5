import ArgumentParser
import SiteClient

/// The options that name a beacon, or a set of beacons.
struct BeaconOptions: ParsableArguments {
    @Option(help: "The beacon's UUID.")
    var uuid: String?

    // Unconditional: the parser would otherwise read a negative number as an option.
    @Option(parsing: .unconditional, help: "The beacon's major, 0 to 65535.")
    var major: Int?

    @Option(parsing: .unconditional, help: "The beacon's minor, 0 to 65535.")
    var minor: Int?

    @Option(
        name: .customLong("measured-power"), parsing: .unconditional,
        help: "The beacon's RSSI at 1 m in dBm, instead of the one it claims.")
    var measuredPower: Int?

    var words: BeaconWords { BeaconWords(uuid: uuid, major: major, minor: minor, measuredPower: measuredPower) }
}

/// The options of `items add` and `items edit` about the owners of an item.
struct OwnershipOptions: ParsableArguments {
    @Option(help: "An owner, by the id or exact name of a person; give the option again for each.")
    var owner: [String] = []

    @Option(help: "When it must not stay behind: \"always\", or like \"mon-fri 07:00-09:00\".")
    var needed: String?

    @Option(help: "A room in which it must not be without an owner; give the option again for each.")
    var notAloneIn: [String] = []

    var words: OwnershipWords { OwnershipWords(owners: owner, needed: needed, notAloneIn: notAloneIn) }
}

/// The options for an item's notifications.
struct NotifyOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Notify when the item leaves.")
    var notifyLeft: Bool?

    @Flag(inversion: .prefixedNo, help: "Notify when the item returns.")
    var notifyReturned: Bool?

    @Option(help: "Notify only if the item is still away after this time, like 30s.")
    var notifyAfter: String?

    @Option(help: "Repeat the notification this often, like 5m; 0s: never.")
    var notifyRepeat: String?

    @Option(help: "Stop repeating this long after the item left, like 1h; 0s: only when it is acknowledged or back.")
    var notifyUntil: String?

    @Option(help: "Notify only from this time of day on, like 07:00; needs --notify-to.")
    var notifyFrom: String?

    @Option(help: "Notify only until this time of day, like 22:00; a time before --notify-from is on the next day.")
    var notifyTo: String?

    @Option(help: "The message when the item leaves, instead of the usual sentence.")
    var leftText: String?

    @Option(help: "The message when the item returns, instead of the usual sentence.")
    var returnedText: String?

    var words: NotifyWords {
        var words = NotifyWords()
        (words.left, words.returned) = (notifyLeft, notifyReturned)
        (words.after, words.again, words.until) = (notifyAfter, notifyRepeat, notifyUntil)
        (words.from, words.to) = (notifyFrom, notifyTo)
        (words.leftText, words.returnedText) = (leftText, returnedText)
        return words
    }
}
