import Beacons

/// What a ``Monitor`` knows of one region now: Core Location's `requestState`.
public struct RegionStatus: Hashable, Sendable {
    /// The region, as it was set.
    public var region: Region
    /// Whether any of its beacons is in range.
    public var state: MonitoringState
    /// Since when; what is the same before and after a blindness or a restart is so since before. `nil` where nobody knows, after a
    /// restart that took nobody knows how long.
    public var since: Instant?
    /// How many of its beacons are inside.
    public var beacons: Int
}
