import Beacons

/// What a ``Monitor`` knows of one region now: Core Location's `requestState`.
public struct RegionStatus: Hashable, Sendable {
    /// The region, as it was set.
    public var region: Region
    /// Whether any of its beacons is in range.
    public var state: MonitoringState
    /// Since when; a region that was blind for a while and inside before and after is inside since it first entered.
    public var since: Instant
    /// How many of its beacons are inside.
    public var beacons: Int
}
