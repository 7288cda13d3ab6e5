import Beacons

/// A change that a step of a ``Monitor`` caused.
public enum MonitorOutput: Hashable, Sendable {
    /// One beacon's state changed.
    case beacon(BeaconTransition)
    /// The state of a region with topics of its own changed; an implicit region has none, as its beacon's change reports it.
    case region(RegionTransition)
    /// Requests a proof that the radio scans. Exits wait for ``Monitor/proven(at:)``, or for the report that the radio does not scan.
    case proofRequested

    /// A change that is reported as an event, and not only as a state.
    public enum Event: String, Sendable {
        /// The beacon came into range.
        case enter
        /// The beacon went out of range.
        case exit
    }
}

/// A change of one beacon's state at one gateway.
public struct BeaconTransition: Hashable, Sendable {
    /// The beacon.
    public var identity: BeaconIdentity
    /// The new state.
    public var state: MonitoringState
    /// `enter` or `exit`; `nil` if the state became unknown, or was found unchanged.
    public var event: MonitorOutput.Event?
    /// When the change happened, not when it was noticed: an enter at the first sighting of those that confirmed it, an exit at the last
    /// sighting plus the silence that was required. It may be before the process began.
    public var at: Instant
    /// The ids of all regions that the beacon belongs to, implicit ones included, in the order in which they were set.
    public var regions: [String]
    /// The time from the enter to the last sighting, with an exit only; `nil` if a restart of unknown length is between.
    public var insideFor: Interval?
    /// The time of the last sighting; `nil` if it was before a restart of unknown length.
    public var lastSeen: Instant?
    /// The RSSI of the last sighting; `nil` if the controller did not measure it.
    public var lastRSSI: RSSI?

    /// A transition with all its properties.
    public init(
        identity: BeaconIdentity, state: MonitoringState, event: MonitorOutput.Event?, at: Instant, regions: [String],
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

/// A change of one region's state at one gateway.
public struct RegionTransition: Hashable, Sendable {
    /// The region, as it was set.
    public var region: Region
    /// The new state.
    public var state: MonitoringState
    /// `enter` with the first beacon, `exit` with the last; `nil` if the state became unknown, or was found unchanged.
    public var event: MonitorOutput.Event?
    /// When the change happened, not when it was noticed.
    public var at: Instant
    /// How many of the region's beacons are inside now.
    public var beacons: Int

    /// Whether the event is published: the region's `notify_on_entry` or `notify_on_exit`.
    public var isNotified: Bool {
        switch event {
        case .enter: region.notifyOnEntry
        case .exit: region.notifyOnExit
        case nil: false
        }
    }

    /// A transition with all its properties.
    public init(region: Region, state: MonitoringState, event: MonitorOutput.Event?, at: Instant, beacons: Int) {
        self.region = region
        self.state = state
        self.event = event
        self.at = at
        self.beacons = beacons
    }
}
