import Settings

/// The `[occupancy]` table: whether the rooms' occupancy sensors, which other systems publish, are evidence.
public struct OccupancySettings: Hashable, Sendable {
    /// Whether the aggregator reads them.
    public var isEnabled: Bool

    /// Reads `[occupancy]`.
    init(_ occupancy: SettingsTable) {
        isEnabled = occupancy.boolean("enabled") ?? false
    }
}
