import Beacons
import Glibc
import Linux
import Messages
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
package func addItem(_ words: ItemWords, over session: BrokerSession, asJSON: Bool) throws(Failure) -> ExitStatus {
    let requested = try words.newItem(for: try words.beacon())
    return try add(requested, over: session, asJSON: asJSON)
}

/// Adds an item whose beacon the user holds against a gateway: `forgetmenot items add --nearest`.
package func addNearestItem(_ words: ItemWords, over session: BrokerSession, asJSON: Bool) throws(Failure) -> ExitStatus
{
    var requested = try words.newItem(for: ItemWords.anyBeacon)
    let nearby = try Nearby(over: session)
    nearby.reportSilentGateways()
    requested.beacon = try nearby.nearest()
    return try add(requested, over: session, asJSON: asJSON)
}

private func add(_ requested: NewItem, over session: BrokerSession, asJSON: Bool) throws(Failure) -> ExitStatus {
    let item = try session.ask(.addItem, requested).item
    report(item.bytes, "\(item.name) is added as \(item.id)", asJSON: asJSON)
    return .right
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

/// Changes an item's notifications or its measured power: `forgetmenot items edit`.
package func editItem(
    _ word: String, _ words: ItemChangeWords, over session: BrokerSession, asJSON: Bool
) throws(Failure) -> ExitStatus {
    let requested = EditedItem(NameOrID(name: word), changes: try words.changes())
    let item = try session.ask(.editItem, requested).item
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
