import Beacons

/// What a ``Monitor`` knows of one beacon now.
public struct BeaconStatus: Hashable, Sendable {
    /// Whose.
    public var identity: BeaconIdentity
    /// Whether it is in range.
    public var state: MonitoringState
    /// When it last entered; `nil` where it never did.
    public var enteredAt: Instant?
    /// Its last sighting; `nil` where that lies before a restart of which nobody knows how long it took.
    public var lastSeen: Instant?
    /// How strongly it was heard last.
    public var lastRSSI: RSSI?
    /// The silence after which it would count as gone.
    public var requiredSilence: Interval
    /// The ids of the regions that it belongs to.
    public var regions: [String]
}
