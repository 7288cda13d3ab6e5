import Beacons

/// The `[log]` table, which both programs share: how much of the event log is kept on disk, and how soon it is written.
public struct LogSettings: Hashable, Sendable {
    /// The most megabytes of it on disk, 1 to 4096: the oldest events are dropped first.
    public var megabytes = 64
    /// What was delivered is dropped when it is older: an hour to ten years.
    public var keepFor = Interval.seconds(30 * 86_400)
    /// Events are written together, at most so long after they happened, up to a minute; zero: each at once.
    public var commitWithin = Interval.seconds(1)

    /// The defaults.
    public init() {}

    /// Reads `[log]`, present or not.
    public init(_ log: SettingsTable) {
        megabytes = log.integer("size_mb", in: 1...4096) ?? megabytes
        keepFor = log.duration("keep_for", in: .seconds(3600) ... .seconds(3650 * 86_400)) ?? keepFor
        commitWithin = log.duration("commit_within", in: .zero ... .seconds(60)) ?? commitWithin
    }
}
