import Beacons
import Messages
import Settings
import Text

/// An `[[item]]` of the configuration.
package struct ItemSettings: Hashable, Sendable {
    /// Its id in topics: written, or made from the name.
    package var id: String
    /// Whether the file has the id; else it is made from the name.
    package var hasWrittenID: Bool
    /// Its name, in any script; no two have the same.
    package var name: String
    /// Its beacon; no two have the same.
    package var identity: BeaconIdentity
    /// The measured power of its beacon; `nil`: the one that the beacon claims.
    package var measuredPower: MeasuredPower?
    /// Whether its beacon advertises only while the item moves.
    package var sleeps: Bool
    package var notify: NotifySettings
    /// Whose it is; `nil`: nobody's in particular.
    package var ownership: Ownership?
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
            let notify = NotifySettings(table.table("notify"))
            let ownership = table.ownership()
            guard let name, let identity else { return nil }
            return ItemSettings(
                id: writtenID ?? ids.made(from: name, kind: .item, of: "\(identity)"),
                hasWrittenID: writtenID != nil, name: name, identity: identity, measuredPower: measuredPower,
                sleeps: sleeps, notify: notify, ownership: ownership, line: table.line ?? 0)
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
