import Beacons
import Settings

/// The `[history]` table: where items were, for as long as it is stored.
public struct HistorySettings: Hashable, Sendable {
    /// Whether anything is stored.
    public var isEnabled = true
    /// How long a stay is stored after its end.
    public var keepFor = Interval.seconds(2 * 365 * 86_400)
    /// The largest size of the file, in MB.
    public var sizeMB = 256
    /// How long changes may wait until they are written together.
    public var commitWithin = Interval.seconds(900)

    /// The history of an absent table.
    public init() {}

    /// Reads `[history]`.
    init(_ history: SettingsTable) {
        isEnabled = history.boolean("enabled") ?? isEnabled
        keepFor = history.duration("keep_for", in: .seconds(86_400) ... .seconds(3650 * 86_400)) ?? keepFor
        sizeMB = history.integer("size_mb", in: 1...65_536) ?? sizeMB
        commitWithin = history.duration("commit_within", in: .zero ... .seconds(3600)) ?? commitWithin
    }
}
