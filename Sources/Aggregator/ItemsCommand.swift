import ArgumentParser
import Console
import Linux
import SiteClient

/// `forgetmenot items`.
struct ItemsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "items", abstract: "List, add, change and remove items.",
        subcommands: [
            ItemsListCommand.self, ItemsShowCommand.self, ItemsAddCommand.self, ItemsEditCommand.self,
            ItemsRenameCommand.self,
            ItemsRemoveCommand.self, ItemsImportCommand.self, ItemsExportCommand.self,
        ],
        defaultSubcommand: ItemsListCommand.self)
}

/// `forgetmenot items list`.
struct ItemsListCommand: ShowCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List items and their beacons.")

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try listItems(over: session, asJSON: show.json)
    }
}

/// `forgetmenot items show ITEM`.
struct ItemsShowCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show everything that is known of one item.")

    @Argument(help: "The item's id or exact name.", completion: .items)
    var item: String

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try showItem(item, over: session, asJSON: json)
    }
}

/// `forgetmenot items add NAME --uuid U --major M --minor N`, or `--nearest`.
struct ItemsAddCommand: SiteCommand {
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

    @OptionGroup(title: "Owners") var ownership: OwnershipOptions

    @OptionGroup(title: "Notifications") var notify: NotifyOptions

    @Flag(help: "Print the item as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func validate() throws {
        guard !nearest || beacon.areEmpty else {
            throw ValidationError("--nearest finds the beacon itself: leave --uuid, --major and --minor out.")
        }
    }

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try addItem(
            name, beacon, isNearest: nearest, id: id, sleeps: sleeps, notify: notify, ownership: ownership,
            over: session, asJSON: json)
    }
}

/// `forgetmenot items edit ITEM`.
struct ItemsEditCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change an item's notifications, owners, measured power or sleep.",
        discussion:
            "Settings without an option stay as they are. An empty --left-text or --returned-text restores the usual sentence."
    )

    @Argument(help: "The item's id or exact name.", completion: .items)
    var item: String

    @OptionGroup var measuredPower: MeasuredPowerOption

    @Flag(help: "Use the measured power that the beacon claims again.")
    var claimedPower = false

    @Flag(
        inversion: .prefixedNo, help: "Whether the beacon advertises only while the item moves: its silence means rest."
    )
    var sleeps: Bool?

    @OptionGroup(title: "Owners") var ownership: OwnershipOptions

    @Flag(help: "The item is nobody's any more.")
    var noOwner = false

    @OptionGroup(title: "Notifications") var notify: NotifyOptions

    @Flag(help: "Notify at any hour again, instead of --notify-from and --notify-to.")
    var notifyAlways = false

    @Flag(help: "Print the item as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try editItem(
            item, notify: notify, isAtAnyHour: notifyAlways, measuredPower: measuredPower,
            isPowerAsClaimed: claimedPower, sleeps: sleeps, ownership: ownership, isNobodys: noOwner, over: session,
            asJSON: json)
    }
}

/// `forgetmenot items rename ITEM NAME`.
struct ItemsRenameCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Rename an item; its id and its history stay.")

    @Argument(help: "The item's id or exact name.", completion: .items)
    var item: String

    @Argument(help: "The new name, in any script.")
    var newName: String

    @Flag(help: "Print the item as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try renameItem(item, to: newName, over: session, asJSON: json)
    }
}

/// `forgetmenot items remove ITEM`.
struct ItemsRemoveCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an item.",
        discussion: """
            The aggregator clears the item's topics. The item's beacon is unknown again. On a terminal, the command asks first. The past \
            stays in the history under the item's id.
            """)

    @Argument(help: "The item's id or exact name.", completion: .items)
    var item: String

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try removeItem(item, over: session, asks: !yes)
    }
}

/// `forgetmenot items import FILE`.
struct ItemsImportCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Add all items of a JSON file.",
        discussion:
            """
            Items that exist already as they stand in the file are skipped. If an item cannot be added, the command reports its line, \
            adds the others, and exits with 1.
            """
    )

    @Argument(help: "A JSON array of items, as \"items export\" prints it; - for standard input.")
    var file: String

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try importItems(from: file, over: session)
    }
}

/// `forgetmenot items export`.
struct ItemsExportCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print all items as JSON that \"items import\" reads.")

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try listItems(over: session, asJSON: true)
    }
}
