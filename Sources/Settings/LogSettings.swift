import Beacons

/// The `[log]` table of both programs: the event log on disk, and how much the service writes to its own log.
package struct LogSettings: Hashable, Sendable {
    /// The most megabytes that a log can have: `Catalogue.mostSegments` of `EventWriter.segmentBytes`.
    package static let mostMegabytes = 1024
    /// The limit of the log on disk in megabytes, 1 to `mostMegabytes`. The oldest events are dropped first.
    package var megabytes = 64
    /// The age at which delivered events are dropped: an hour to ten years.
    package var keepFor = Interval.seconds(30 * 86_400)
    /// The longest delay before events are written together, up to a minute; zero: each event is written at once.
    package var commitWithin = Interval.seconds(1)
    /// The least level of the lines that the service writes to its own log, on standard error.
    package var level = LogLevel.info

    package init() {}

    /// Reads `[log]`; an absent table has the defaults.
    package init(_ log: SettingsTable) {
        // Files with more are older than the limit, and keep working.
        megabytes = min(
            log.integer("size_mb", in: 1...Self.mostMegabytes, accepted: 1...4096) ?? megabytes, Self.mostMegabytes)
        keepFor = log.duration("keep_for", in: .seconds(3600) ... .seconds(3650 * 86_400)) ?? keepFor
        commitWithin = log.duration("commit_within", in: .zero ... .seconds(60)) ?? commitWithin
        level = log.word("level", of: LogLevel.self) ?? level
    }
}
