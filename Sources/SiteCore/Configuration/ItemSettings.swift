import Beacons
import Messages
import Settings
import Text

/// An `[[item]]` of the configuration.
package struct ItemSettings: Hashable, Sendable {
    /// The item; no two have the same name or beacon.
    package var item: RegistryItem
    /// Whether the file has the id; else it is made from the name.
    package var hasWrittenID: Bool
    package var line: Int

    static func all(in root: SettingsTable) -> [ItemSettings] {
        var names = UniqueNames(), ids = UniqueIDs()
        var lines: [BeaconIdentity: Int] = [:]
        let drafts = root.tables("item").map { table in
            let name = table.required.text("name")
            names.check(name, "name", in: table)
            let identity = identity(table)
            if let identity, let line = lines.updateValue(table.line ?? 0, forKey: identity) {
                table.note(
                    "uuid",
                    "with its major and minor is also the beacon of the item in line \(line): write another beacon")
            }
            return (table, name, ids.written("id", in: table), identity)
        }
        return drafts.compactMap { table, name, writtenID, identity in
            let measuredPower = table.measuredPower("measured_power_dbm")
            let sleeps = table.boolean("sleeps") ?? false
            let notify = Notify(table.table("notify"))
            let ownership = table.ownership()
            guard let name, let identity else { return nil }
            let item = RegistryItem(
                id: writtenID ?? ids.made(from: name, kind: .item, of: "\(identity)"), name: name, beacon: identity,
                measuredPower: measuredPower, sleeps: sleeps, notify: notify, ownership: ownership)
            return ItemSettings(item: item, hasWrittenID: writtenID != nil, line: table.line ?? 0)
        }
    }

    private static func identity(_ table: SettingsTable) -> BeaconIdentity? {
        let uuid = table.required.uuid("uuid")
        let major = table.required.number16("major")
        let minor = table.required.number16("minor")
        guard let uuid, let major, let minor else { return nil }
        return BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }
}

extension Notify {
    /// Reads `[item.notify]`; an absent table has the defaults.
    init(_ notify: SettingsTable) {
        self = .standard
        left = notify.boolean("left") ?? left
        returned = notify.boolean("returned") ?? returned
        let after = notify.duration("after", in: Notify.durations)
        afterSeconds = after.map { Int($0.seconds.rounded()) } ?? afterSeconds
        if let again = notify.duration("repeat", in: Notify.durations) { repeatSeconds = again.notifySeconds }
        if let until = notify.duration("until", in: Notify.durations) { untilSeconds = until.notifySeconds }
        readHours(notify)
        leftText = notify.text("left_text", limit: SettingsTable.longestText)
        returnedText = notify.text("returned_text", limit: SettingsTable.longestText)
    }

    private mutating func readHours(_ notify: SettingsTable) {
        let from = notify.timeOfDay("from"), to = notify.timeOfDay("to")
        for (key, other) in [("from", "to"), ("to", "from")] where notify.has(key) && !notify.has(other) {
            notify.note(key, "stands without \(other): write both or neither")
        }
        guard let from, let to else { return }
        if from == to { notify.note("to", "is \"\(to)\", the same as from: write two times, or neither") }
        (self.from, self.to) = (from, to)
    }
}
