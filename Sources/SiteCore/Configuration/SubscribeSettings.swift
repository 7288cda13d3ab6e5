import Messages
import Settings

/// The `[[subscribe]]` tables, and `name`: the part of the site's beacons whose items this aggregator locates.
package struct SubscribeSettings: Hashable, Sendable {
    /// The name of this aggregator; `nil`: the aggregator that also writes the registry and responds to the commands.
    package var name: String?
    /// The shares of this aggregator; `nil`: the beacons that are in no share of another one.
    package var shares: [BeaconShare]?

    /// An aggregator without a name, which locates every item that is in no share of another one.
    package init() {}

    /// Reads `name` and every `[[subscribe]]`.
    init(_ root: SettingsTable) {
        name = root.id("name")
        var lines: [(share: BeaconShare, line: Int)] = []
        let tables = root.tables("subscribe")
        for table in tables {
            let uuid = table.required.uuid("uuid")
            let major = table.number16("major")
            // A major that cannot be read is a problem already, and no share of the whole uuid.
            guard let uuid, major != nil || !table.has("major") else { continue }
            let share = BeaconShare(uuid: uuid, major: major)
            if let other = lines.first(where: { $0.share.overlaps(share) }) {
                table.note(
                    "uuid",
                    "\(share) overlaps with the share \(other.share) in line \(other.line): leave one of the two out")
            }
            lines.append((share, table.line ?? 0))
        }
        if tables.count > BeaconShares.most {
            root.note("subscribe", "has \(tables.count) tables: write at most \(BeaconShares.most)")
        }
        if !tables.isEmpty { shares = lines.map(\.share).sorted() }
        if name != nil { Self.checkNamed(root, hasShares: !tables.isEmpty) }
    }

    /// Reports what an aggregator with a name cannot have.
    private static func checkNamed(_ root: SettingsTable, hasShares: Bool) {
        if !hasShares {
            root.note("name", "stands without [[subscribe]]: write the uuid of its beacons in a [[subscribe]]")
        }
        let reasons = [
            ("item", "[[item]]", "write it to the file of the aggregator without a name, which writes the registry"),
            (
                "region", "[[region]]",
                "write it to the file of the aggregator without a name, which writes the registry"
            ),
            ("standby", "[standby]", "only the aggregator without a name can have a standby, leave one of the two out"),
        ]
        for (key, table, remedy) in reasons where root.has(key) {
            root.note(key, "stands in the file of an aggregator with a name, which has no \(table): \(remedy)")
        }
    }
}
