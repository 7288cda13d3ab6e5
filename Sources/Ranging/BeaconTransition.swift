import Beacons

/// A change of one beacon's state at one gateway.
public struct BeaconTransition: Hashable, Sendable {
    /// Whose.
    public var identity: BeaconIdentity
    /// What it is now.
    public var state: MonitoringState
    /// `enter` or `exit`; `nil` where a state became unknown, or was found to be as it had been.
    public var event: Transition.Event?
    /// When it happened, not when it was noticed: an enter with the first sighting of those that confirmed it, an exit with the last
    /// sighting plus the silence that was then required. It may lie before the process began.
    public var at: Instant
    /// The ids of all regions that the beacon belongs to, implicit ones included, in the order in which they were set.
    public var regions: [String]
    /// With an exit: from the enter to the last sighting; `nil` where a restart of unknown length lies between.
    public var insideFor: Interval?
    /// The last sighting; `nil` where it lies before a restart of which nobody knows how long it took.
    public var lastSeen: Instant?
    /// How strongly it was heard last; `nil` where the controller could not tell.
    public var lastRSSI: RSSI?

    /// A transition with all its properties.
    public init(
        identity: BeaconIdentity, state: MonitoringState, event: Transition.Event?, at: Instant, regions: [String],
        insideFor: Interval?, lastSeen: Instant?, lastRSSI: RSSI?
    ) {
        self.identity = identity
        self.state = state
        self.event = event
        self.at = at
        self.regions = regions
        self.insideFor = insideFor
        self.lastSeen = lastSeen
        self.lastRSSI = lastRSSI
    }
}
