import Beacons

/// The present state of one beacon in a ``Monitor``.
public struct BeaconStatus: Hashable, Sendable {
    /// The beacon.
    public var identity: BeaconIdentity
    /// Whether the beacon is in range.
    public var state: MonitoringState
    /// When the beacon last entered; `nil` if it never did.
    public var enteredAt: Instant?
    /// The time of the last sighting; `nil` if that was before a restart of unknown length.
    public var lastSeen: Instant?
    /// The RSSI of the last sighting.
    public var lastRSSI: RSSI?
    /// The silence after which the beacon counts as gone.
    public var requiredSilence: Interval
    /// The ids of the beacon's regions.
    public var regions: [String]
}

/// The present state of one region in a ``Monitor``, as from Core Location's `requestState`.
public struct RegionStatus: Hashable, Sendable {
    /// The region, as it was set.
    public var region: Region
    /// Whether any of the region's beacons is in range.
    public var state: MonitoringState
    /// Since when the state lasts, including times without a scan and restarts that did not change it; `nil` after a restart of unknown length.
    public var since: Instant?
    /// How many of the region's beacons are inside.
    public var beacons: Int
}

extension Monitor {
    /// Returns the state of a beacon; `nil` if it belongs to no region.
    public func state(of beacon: BeaconIdentity) -> MonitoringState? {
        if let slot = slots[beacon] { return state(at: slot) }
        let numbers = index.regions(of: beacon)
        guard !numbers.isEmpty else { return nil }
        return isScanning && numbers.contains { regions[$0].settlesAt == nil } ? .outside : .unknown
    }

    /// All regions, implicit ones included, in the order in which they were set.
    public var regionStatuses: [RegionStatus] {
        regions.map { RegionStatus(region: $0.region, state: $0.reported, since: $0.since, beacons: $0.inside) }
    }

    /// The number of remembered beacons.
    public var beaconCount: Int { slots.count }

    /// All beacons that were received and are remembered, sorted by identity.
    public var beaconStatuses: [BeaconStatus] {
        slots.sorted { $0.key < $1.key }.map { beacon, slot in
            let record = records[slot]
            return BeaconStatus(
                identity: beacon, state: state(at: slot), enteredAt: record.enteredAt,
                lastSeen: record.isDated ? record.lastSeen : nil, lastRSSI: record.lastRSSI,
                requiredSilence: silence(of: slot),
                regions: record.regions.map { regions[$0].region.id })
        }
    }

    private func state(at slot: Int) -> MonitoringState {
        guard isScanning else { return .unknown }
        switch records[slot].presence {
        case .inside: return .inside
        case .unsure: return .unknown
        case .outside(let hasLeft, _):
            let isAbsent = hasLeft || records[slot].regions.contains { regions[$0].settlesAt == nil }
            return isAbsent ? .outside : .unknown
        }
    }
}
