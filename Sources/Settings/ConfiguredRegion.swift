import Beacons
import Text

/// A region of a configuration file, with its line.
package struct ConfiguredRegion: Hashable, Sendable {
    package var region: Region
    /// Whether the file contains the id; otherwise the id is derived from the identifier.
    package var hasWrittenID: Bool
    package var line: Int

    /// Reads every `[[region]]`. Ids in the file are assigned first; missing ids are derived from the identifiers.
    package static func all(in root: SettingsTable) -> [ConfiguredRegion] {
        let tables = root.tables("region")
        var names = UniqueNames(), ids = UniqueIDs()
        let drafts = tables.map { table in
            let identifier = table.required.text("identifier")
            names.check(identifier, "identifier", in: table)
            return (table, identifier, ids.written("id", in: table), scope(table))
        }
        return drafts.compactMap { table, identifier, writtenID, scope in
            let notifyOnEntry = table.boolean("notify_on_entry") ?? true
            let notifyOnExit = table.boolean("notify_on_exit") ?? true
            let entryText = table.text("entry_text", limit: SettingsTable.longestText),
                exitText = table.text("exit_text", limit: SettingsTable.longestText)
            let measuredPower = table.measuredPower("measured_power_dbm")
            guard let identifier, let scope else { return nil }
            let region = Region(
                id: writtenID ?? ids.made(from: identifier, kind: .region, of: scope.identity), identifier: identifier,
                scope: scope, notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit, measuredPower: measuredPower,
                entryText: entryText, exitText: exitText)
            return ConfiguredRegion(region: region, hasWrittenID: writtenID != nil, line: table.line ?? 0)
        }
    }

    private static func scope(_ table: SettingsTable) -> Region.Scope? {
        let uuid = table.required.uuid("uuid")
        let major = table.number16("major")
        let minor = table.number16("minor")
        if table.has("minor"), !table.has("major") {
            table.note("minor", "stands without major: write major as well, or leave minor out")
        }
        guard let uuid else { return nil }
        guard let major else { return .uuid(uuid) }
        return minor.map { .beacon(BeaconIdentity(uuid: uuid, major: major, minor: $0)) } ?? .major(uuid, major)
    }
}

extension SettingsTable {
    /// Reads a beacon's major or minor.
    package func number16(_ key: String) -> UInt16? {
        integer(key, in: 0...65_535).map { UInt16($0) }
    }

    /// Reads a measured power for the estimation of distances: -100 to -10 dBm.
    package func measuredPower(_ key: String) -> MeasuredPower? {
        integer(key, in: -100 ... -10).map { MeasuredPower(dBm: Int8($0)) }
    }
}
