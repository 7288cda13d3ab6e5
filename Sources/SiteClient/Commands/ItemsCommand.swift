import ArgumentParser
import Beacons
import Glibc
import Linux
import Messages
import Text

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

struct ItemsListCommand: ShowCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List items and their beacons.")

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try listItems(over: session, asJSON: show.json)
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
        // A placeholder until the nearest beacon is known.
        let anyBeacon = BeaconIdentity(uuid: BeaconUUID(high: 0, low: 0), major: 0, minor: 0)
        var requested = RegistryItem(
            id: try wellFormed(id) ?? "", name: try named(name), beacon: nearest ? anyBeacon : try beacon.beacon(),
            measuredPower: try beacon.measuredPower.power(), sleeps: sleeps, notify: try notify.requested(),
            ownership: try ownership.requested())
        if nearest {
            let nearby = try Nearby(over: session)
            nearby.reportSilentGateways()
            requested.beacon = try nearby.nearest()
        }
        let item = try session.ask(.addItem, NewItem(requested)).entry
        report(item.bytes, "\(item.name) is added as \(item.id)", asJSON: json)
        return .right
    }
}

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
        var changes = JSONObject()
        let power = try measuredPower.power()
        guard power == nil || !claimedPower else {
            throw Failure(.usage, "--measured-power and --claimed-power contradict each other: give one of them")
        }
        if claimedPower { changes.set("measured_power_dbm", to: .null) }
        if let power { changes.set("measured_power_dbm", to: .integer(Int64(power.dBm))) }
        if let sleeps { changes.set("sleeps", to: sleeps ? .bool(true) : .null) }
        try ownership.change(&changes, isNobodys: noOwner)
        let notifications = try notify.changes(isAtAnyHour: notifyAlways)
        if !notifications.members.isEmpty { changes.set("notify", to: .object(notifications)) }
        guard !changes.members.isEmpty else {
            throw Failure(.usage, "no change is given: \"forgetmenot items edit --help\" lists the options")
        }
        let item = try session.ask(.editItem, EditedItem(NameOrID(name: self.item), changes: changes)).entry
        report(item.bytes, "\(item.name) is changed", asJSON: json)
        return .right
    }
}

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
        let requested = RenamedItem(NameOrID(name: self.item), newName: try named(newName))
        let item = try session.ask(.renameItem, requested).entry
        report(item.bytes, "\(item.id) is renamed to \(item.name)", asJSON: json)
        return .right
    }
}

struct ItemsRemoveCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove items.",
        discussion: """
            The aggregator clears the items' topics. Their beacons are unknown again. On a terminal, the command asks first, once for all. The \
            past stays in the history under an item's id. If an item cannot be removed, the others are, and the command exits as for that item.
            """)

    @Argument(help: "The items' ids or exact names.", completion: .items)
    var items: [String]

    @OptionGroup var confirmation: Confirmation

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        // An item that is not in the view is the aggregator's to refuse.
        let view = confirmation.isNeeded ? try session.wholeView() : nil
        let known = items.compactMap { view?.location(named: $0) }
        if !known.isEmpty {
            let (their, are) = known.count == 1 ? ("Its", "is") : ("Their", "are")
            let names =
                known.count > 9
                ? "\(known.count) items" : known.map { "\($0.name) (\($0.item))" }.joined(separator: ", ")
            try confirmation.ask(
                "Remove \(names)? \(their) notifications end.",
                "\(names) \(are) not removed")
        }
        var rest = items[...]
        var status = ExitStatus.right
        try session.askInTurn(.removeItem) { (outcome: Response<ItemResponse>.Outcome?) in
            switch outcome {
            case .done(let response): printLine("\(response.entry.name) is removed")
            case .failed(let sentence):
                let refusal = failure(ofRefusal: sentence)
                refusal.report(as: "forgetmenot")
                status = refusal.status
            case nil: break
            }
            return rest.popFirst().map { NameOrID(name: $0) }
        }
        return status
    }
}

struct ItemsImportCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Add all items of a JSON file.",
        discussion:
            """
            Items that exist already are skipped: an import changes no item. If an entry is not an item, the command reports its line, adds \
            nothing, and exits with 78. If the aggregator refuses an item, the command reports its line, adds the others, and exits with 1.
            """
    )

    @Argument(
        help: "A JSON array of items, as \"items export\" prints it; - for standard input.", completion: .file())
    var file: String

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let file = try ItemFile(at: self.file)
        let entries = file.entries
        let plan = file.plan(among: try session.wholeView().items)
        let requested = plan.new.map { entries[$0] }
        let again = plan.repeated == 0 ? "" : ", \(plan.repeated) repeat a former one"
        for refusal in plan.refused {
            printError("\(self.file):\(entries[refusal.index].line): \(errorLine(ofRefusal: refusal.error))")
        }
        guard !requested.isEmpty else {
            printLine("\(plan.known) of \(entries.count) items exist already\(again)")
            return plan.refused.isEmpty ? .right : .no
        }
        var batches = ImportedItems.batches(of: requested.map(\.requested))[...]
        var asked: ArraySlice<ItemFile.Entry> = []
        var added = 0
        try session.askInTurn(.importItems, patience: .seconds(30)) { (outcome: Response<ImportResponse>.Outcome?) in
            switch outcome {
            case .done(let response):
                added += response.added
                for refusal in response.refused where refusal.index < asked.count {
                    let line = asked[asked.startIndex + refusal.index].line
                    printError("\(self.file):\(line): \(errorLine(ofRefusal: refusal.error))")
                }
            case .failed(let sentence):
                printError("\(self.file):\(asked.first?.line ?? 1): \(errorLine(ofRefusal: sentence))")
            case nil: break
            }
            asked = batches.popFirst().map { requested[$0] } ?? []
            return asked.isEmpty ? nil : ImportedItems(items: asked.map(\.requested))
        }
        printLine(
            "\(added) of \(entries.count) items \(added == 1 ? "is" : "are") added, \(plan.known) exist already\(again)"
        )
        return added == requested.count && plan.refused.isEmpty ? .right : .no
    }
}

struct ItemsExportCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print all items as JSON that \"items import\" reads.")

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try listItems(over: session, asJSON: true)
    }
}

struct AcknowledgeCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "acknowledge", abstract: "Acknowledge an item's notification, so that it stops repeating.",
        discussion: "Exits with 1 if the item has no active notification.")

    @Argument(help: "The item's id or exact name.", completion: .items)
    var item: String

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let item = try session.ask(.acknowledgeItem, NameOrID(name: self.item)).entry
        printLine("\(item.name) is acknowledged")
        return .right
    }
}

private func listItems(over session: BrokerSession, asJSON: Bool) throws(Failure) -> ExitStatus {
    let view = try session.view()
    let items = view.items.values.sorted { ($0.name, $0.id) }
    let (isAlive, now) = (view.isAggregatorAlive(), Clock.wall)
    if asJSON {
        printJSON(jsonArray(items) { $0.write(to: &$1) })
    } else {
        var table = Table(["ITEM", "ID", "UUID", .right("MAJOR"), .right("MINOR"), "WHERE"])
        for item in items {
            table.append([
                item.name, item.id, "\(item.beacon.uuid)", "\(item.beacon.major)", "\(item.beacon.minor)",
                view.locations[item.id].map { isAlive ? $0.place : "\($0.place), \((now - $0.stamp.at).age) ago" },
            ])
        }
        for line in table.lines(width: terminalWidth()) { printLine(line) }
    }
    return status(.right, of: view, hint: items.isEmpty && !asJSON ? noItems : nil)
}

/// The option of a command that asks before it does what cannot be undone.
package struct Confirmation: ParsableArguments {
    @Flag(help: "Do not ask.")
    var yes = false

    package init() {}

    /// Whether there is a user who can be asked, and wants to be.
    package var isNeeded: Bool { !yes && isatty(STDIN_FILENO) == 1 }

    /// Asks the user of the terminal, and throws `refusal` unless the user types yes. Without a terminal, it counts as typed.
    package func ask(_ question: String, _ refusal: String) throws(Failure) {
        guard let terminal = Terminal() else { return }
        let typed = terminal.ask("\(question) y or n", standard: "n")
        guard ["y", "yes"].contains(typed?.lowercased()) else { throw Failure(.no, refusal) }
    }
}

/// The name; throws if it is empty.
func named(_ name: String) throws(Failure) -> String {
    guard !name.isBlank else { throw Failure(.usage, "the name is empty: write a name") }
    return name
}

/// The id, if one is given; throws if it is not a valid id.
func wellFormed(_ id: String?) throws(Failure) -> String? {
    guard let id else { return nil }
    guard isValidID(id) else {
        throw Failure(
            .usage,
            "--id is \"\(id)\": write 1 to 64 of a-z, 0-9, \"-\", \"_\", \".\", the first a letter or digit, like \"laptop-bag\""
        )
    }
    return id
}
