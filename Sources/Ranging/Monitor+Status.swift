import Beacons

extension Monitor {
    /// A beacon's state; `nil` for one that belongs to no region.
    public func state(of beacon: BeaconIdentity) -> MonitoringState? {
        if let slot = slots[beacon] { return state(at: slot) }
        let numbers = index.regions(of: beacon)
        guard !numbers.isEmpty else { return nil }
        return isListening && numbers.contains { regions[$0].settlesAt == nil } ? .outside : .unknown
    }

    /// All regions, implicit ones included, in the order in which they were set.
    public var regionStatuses: [RegionStatus] {
        regions.map { RegionStatus(region: $0.region, state: $0.said, since: $0.since, beacons: $0.inside) }
    }

    /// How many beacons it remembers.
    public var beaconCount: Int { slots.count }

    /// All beacons that were heard and are remembered, sorted by identity.
    public var beaconStatuses: [BeaconStatus] {
        slots.sorted { $0.key < $1.key }.map { beacon, slot in
            let record = records[slot]
            return BeaconStatus(
                identity: beacon, state: state(at: slot), enteredAt: record.hasEntered ? record.enteredAt : nil,
                lastSeen: record.isDated ? record.lastSeen : nil, lastRSSI: record.lastRSSI,
                requiredSilence: silence(of: slot),
                regions: record.regions.map { regions[$0].region.id })
        }
    }

    private func state(at slot: Int) -> MonitoringState {
        guard isListening else { return .unknown }
        switch records[slot].phase {
        case .inside: return .inside
        case .unsure: return .unknown
        case .idle:
            let isAbsent = records[slot].hasLeft || records[slot].regions.contains { regions[$0].settlesAt == nil }
            return isAbsent ? .outside : .unknown
        }
    }
}
