import Beacons

/// A change that a step of a ``Monitor`` caused.
package enum MonitorOutput: Hashable, Sendable {
    /// One beacon's state changed.
    case beacon(BeaconTransition)
    /// The state of a region with topics of its own changed; an implicit region has none, as its beacon's change reports it.
    case region(RegionTransition)
    /// Requests a proof that the radio scans. Exits wait for ``Monitor/proven(at:)``, or for the report that the radio does not scan.
    case proofRequested

    /// A change that is reported as an event, and not only as a state.
    package enum Event: String, Sendable {
        case enter
        case exit
    }
}

/// A change of one beacon's state at one gateway.
package struct BeaconTransition: Hashable, Sendable {
    package var identity: BeaconIdentity
    package var state: MonitoringState
    /// `enter` or `exit`; `nil` if the state became unknown, or was found unchanged.
    package var event: MonitorOutput.Event?
    /// When the change happened, not when it was noticed: an enter at the first sighting of those that confirmed it, an exit at the last
    /// sighting plus the silence that was required. It may be before the process began.
    package var at: Instant
    /// The ids of all regions that the beacon belongs to, implicit ones included, in the order in which they were set.
    package var regions: [String]
    /// The time from the enter to the last sighting, with an exit only; `nil` if a restart of unknown length is between.
    package var insideFor: Interval?
    /// The time of the last sighting; `nil` if it was before a restart of unknown length.
    package var lastSeen: Instant?
    /// The RSSI of the last sighting; `nil` if the controller did not measure it.
    package var lastRSSI: RSSI?
}

/// A change of one region's state at one gateway.
package struct RegionTransition: Hashable, Sendable {
    /// The region, as it was set.
    package var region: Region
    package var state: MonitoringState
    /// `enter` with the first beacon, `exit` with the last; `nil` if the state became unknown, or was found unchanged.
    package var event: MonitorOutput.Event?
    /// When the change happened, not when it was noticed.
    package var at: Instant
    /// How many of the region's beacons are inside now.
    package var beacons: Int

    /// Whether the event is published: the region's `notify_on_entry` or `notify_on_exit`.
    package var isNotified: Bool {
        switch event {
        case .enter: region.notifyOnEntry
        case .exit: region.notifyOnExit
        case nil: false
        }
    }
}
