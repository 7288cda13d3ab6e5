import Beacons

/// A change that a step of a ``Monitor`` caused.
public enum MonitorOutput: Hashable, Sendable {
    /// One beacon's state changed.
    case beacon(BeaconTransition)
    /// The state of a region with topics of its own changed; an implicit region has none, as its beacon's change reports it.
    case region(RegionTransition)
    /// Nothing changed, but the radio shall be proven: exits wait for ``Monitor/proven(at:)``, or for the news that it is blind.
    case proofRequested

    /// What is reported as an event, and not only as a state.
    public enum Event: String, Sendable {
        /// It came into range.
        case enter
        /// It went out of range.
        case exit
    }
}

/// A change of one beacon's state at one gateway.
public struct BeaconTransition: Hashable, Sendable {
    /// Whose.
    public var identity: BeaconIdentity
    /// What it is now.
    public var state: MonitoringState
    /// `enter` or `exit`; `nil` where a state became unknown, or was found to be as it had been.
    public var event: MonitorOutput.Event?
    /// When it happened, not when it was noticed: an enter with the first sighting of those that confirmed it, an exit with the last
    /// sighting plus the silence that was then required. It may lie before the process began.
    public var at: Instant
    /// The ids of all regions that the beacon belongs to, implicit ones included, in the order in which they were set.
    public var regions: [String]
    /// With an exit: from the enter to the last sighting; `nil` where a restart of unknown length is between.
    public var insideFor: Interval?
    /// The last sighting; `nil` where it was before a restart of unknown length.
    public var lastSeen: Instant?
    /// The RSSI of the last sighting; `nil` where the controller did not measure it.
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
    /// What its state is now.
    public var state: MonitoringState
    /// `enter` with the first beacon, `exit` with the last; `nil` where a state became unknown, or was found to be as it had been.
    public var event: MonitorOutput.Event?
    /// When it happened, not when it was noticed.
    public var at: Instant
    /// How many of its beacons are inside now.
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
