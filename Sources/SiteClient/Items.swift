import Beacons
import Glibc
import Linux
import Messages
import Settings
import Text

/// Lists items and their beacons: `forgetmenot items list`.
package func listItems(over session: BrokerSession, asJSON: Bool) throws(Failure) -> ExitStatus {
    let view = try session.view()
    let items = view.items.values.sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    let (isAlive, now) = (view.isAggregatorAlive(), Clock.wall)
    if asJSON {
        printJSON(jsonArray(items) { $0.write(to: &$1) })
    } else {
        var table = Table([
            Table.Column("ITEM"), Table.Column("ID"), Table.Column("UUID"), Table.Column("MAJOR", .right),
            Table.Column("MINOR", .right), Table.Column("WHERE"),
        ])
        for item in items {
            table.append([
                item.name, item.id, "\(item.beacon.uuid)", "\(item.beacon.major)", "\(item.beacon.minor)",
                view.locations[item.id].map { isAlive ? $0.place : "\($0.place), \((now - $0.stamp.at).age) ago" },
            ])
        }
        for line in table.lines(width: terminalWidth()) { printLine(line) }
    }
    return status(.right, of: view)
}

/// Adds an item: `forgetmenot items add`.
///
/// - Parameter isNearest: whether its beacon is the one that the user holds against a gateway.
package func addItem(
    _ name: String, _ words: BeaconWords, isNearest: Bool, id: String?, sleeps: Bool, notify: NotifyWords,
    ownership: OwnershipWords, over session: BrokerSession, asJSON: Bool
) throws(Failure) -> ExitStatus {
    // A placeholder until the nearest beacon is known.
    let anyBeacon = BeaconIdentity(uuid: BeaconUUID(high: 0, low: 0), major: 0, minor: 0)
    let beacon = isNearest ? anyBeacon : try words.beacon()
    var requested = NewItem(
        name: try named(name), beacon: beacon, id: try wellFormed(id), measuredPower: try words.power(),
        sleeps: sleeps, notify: try notify.requested(), ownership: try ownership.requested())
    if isNearest {
        let nearby = try Nearby(over: session)
        nearby.reportSilentGateways()
        requested.beacon = try nearby.nearest()
    }
    let item = try session.ask(.addItem, requested).item
    report(item.bytes, "\(item.name) is added as \(item.id)", asJSON: asJSON)
    return .right
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

/// Renames an item: `forgetmenot items rename`.
package func renameItem(
    _ word: String, to newName: String, over session: BrokerSession, asJSON: Bool
) throws(Failure) -> ExitStatus {
    let requested = RenamedItem(NameOrID(name: word), newName: try named(newName))
    let item = try session.ask(.renameItem, requested).item
    report(item.bytes, "\(item.id) is renamed to \(item.name)", asJSON: asJSON)
    return .right
}

/// Changes an item's notifications, owners, measured power or sleep: `forgetmenot items edit`.
///
/// - Parameter isPowerAsClaimed: whether to use the measured power that the beacon claims again.
package func editItem(
    _ word: String, notify: NotifyWords, measuredPower: Int?, isPowerAsClaimed: Bool, sleeps: Bool?,
    ownership: OwnershipWords, over session: BrokerSession, asJSON: Bool
) throws(Failure) -> ExitStatus {
    var changes = JSONObject()
    let power = try BeaconWords(uuid: nil, major: nil, minor: nil, measuredPower: measuredPower).power()
    guard power == nil || !isPowerAsClaimed else {
        throw Failure(.usage, "--measured-power and --claimed-power contradict each other: give one of them")
    }
    if isPowerAsClaimed { changes.set("measured_power_dbm", to: .null) }
    if let power { changes.set("measured_power_dbm", to: .integer(Int64(power.dBm))) }
    if let sleeps { changes.set("sleeps", to: sleeps ? .bool(true) : .null) }
    try ownership.change(&changes)
    let notify = try notify.changes()
    if !notify.members.isEmpty { changes.set("notify", to: .object(notify)) }
    guard !changes.members.isEmpty else {
        throw Failure(.usage, "no change is given: \"forgetmenot items edit --help\" lists the options")
    }
    let item = try session.ask(.editItem, EditedItem(NameOrID(name: word), changes: changes)).item
    report(item.bytes, "\(item.name) is changed", asJSON: asJSON)
    return .right
}

/// Removes an item: `forgetmenot items remove`.
///
/// - Parameter asks: whether a person at a terminal has to confirm.
package func removeItem(_ word: String, over session: BrokerSession, asks: Bool) throws(Failure) -> ExitStatus {
    // An item that is not in the view is the aggregator's to refuse.
    if asks, isatty(STDIN_FILENO) == 1, let item = try session.view().location(named: word), let terminal = Terminal() {
        let typed = terminal.ask("Remove \(item.name) (\(item.item))? Its notifications end. y or n", standard: "n")
        guard ["y", "yes"].contains(typed?.lowercased()) else {
            throw Failure(.no, "\(item.name) is not removed")
        }
    }
    let item = try session.ask(.removeItem, NameOrID(name: word)).item
    printLine("\(item.name) is removed")
    return .right
}

/// Acknowledges an item's notification: `forgetmenot acknowledge`.
package func acknowledge(_ word: String, over session: BrokerSession) throws(Failure) -> ExitStatus {
    let item = try session.ask(.acknowledgeItem, NameOrID(name: word)).item
    printLine("\(item.name) is acknowledged")
    return .right
}
