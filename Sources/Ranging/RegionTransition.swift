import Beacons

/// A change of one region's state at one gateway.
public struct RegionTransition: Hashable, Sendable {
    /// The region, as it was set.
    public var region: Region
    /// What its state is now.
    public var state: MonitoringState
    /// `enter` with the first beacon, `exit` with the last; `nil` where a state became unknown, or was found to be as it had been.
    public var event: Transition.Event?
    /// When it happened, not when it was noticed.
    public var at: Instant
    /// How many of its beacons are inside now.
    public var beacons: Int

    /// Whether the event is to be published, as the region's `notify_on_entry` and `notify_on_exit` say.
    public var isNotified: Bool {
        switch event {
        case .enter: region.notifyOnEntry
        case .exit: region.notifyOnExit
        case nil: false
        }
    }

    /// A transition with all its properties.
    public init(region: Region, state: MonitoringState, event: Transition.Event?, at: Instant, beacons: Int) {
        self.region = region
        self.state = state
        self.event = event
        self.at = at
        self.beacons = beacons
    }
}
