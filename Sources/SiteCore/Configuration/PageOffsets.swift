import Settings

/// The file of the state folder with the receiver offsets that were set on the page.
package let pageOffsetsFile = "offsets.toml"

/// The receiver offsets of `offsets.toml`, in dB, by gateway.
package struct PageOffsets: Hashable, Sendable {
    /// The offsets that can be set, in dB.
    package static let range = -50.0...50.0

    package var byGateway: [String: Double]

    package init(_ byGateway: [String: Double]) { self.byGateway = byGateway }

    /// Reads the tables `[[gateway]]`.
    package init(_ root: SettingsTable) {
        byGateway = [:]
        var ids = UniqueNames()
        for table in root.tables("gateway") {
            let offset = table.required.number("rssi_offset_db", in: Self.range)
            guard let id = table.required.id("id"), let offset else { continue }
            ids.check(id, "id", in: table)
            byGateway[id] = offset
        }
    }

    package var text: String {
        "# The receiver offsets that were set on the page. rssi_offset_db in a [[gateway]] of aggregator.toml takes precedence.\n"
            + byGateway.sorted { $0.key < $1.key }.map { "\n[[gateway]]\nid = \"\($0)\"\nrssi_offset_db = \($1)\n" }
            .joined()
    }
}
