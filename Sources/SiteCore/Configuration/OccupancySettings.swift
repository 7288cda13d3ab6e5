import Settings

/// The `[occupancy]` table: whether the rooms' occupancy sensors, which other systems publish, are evidence.
package struct OccupancySettings: Hashable, Sendable {
    /// Whether the aggregator reads them.
    package var isEnabled: Bool

    init(_ occupancy: SettingsTable) {
        isEnabled = occupancy.boolean("enabled") ?? false
    }
}
