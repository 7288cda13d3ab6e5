import Beacons
import Glibc

package struct BeaconStatus: Hashable, Sendable {
    package var identity: BeaconIdentity
    /// Whether the beacon is in range.
    package var state: MonitoringState
    /// When the beacon last entered; `nil` if it never did.
    package var enteredAt: Instant?
    /// The time of the last sighting; `nil` if that was before a restart of unknown length.
    package var lastSeen: Instant?
    package var lastRSSI: RSSI?
    /// The silence after which the beacon counts as gone.
    package var requiredSilence: Interval
    package var regions: [String]
}

/// The present state of one region in a ``Monitor``, as from Core Location's `requestState`.
package struct RegionStatus: Hashable, Sendable {
    /// The region, as it was set.
    package var region: Region
    /// Whether any of the region's beacons is in range.
    package var state: MonitoringState
    /// Since when the state lasts, including times without a scan and restarts that did not change it; `nil` after a restart of unknown length.
    package var since: Instant?
    /// How many of the region's beacons are inside.
    package var beacons: Int
}

/// An unusually long silence of a beacon that is inside.
package struct LongSilence: Hashable, Sendable {
    /// A silence is long if at most so many a day last longer. That costs a hundredth of the messages that the heartbeats are.
    package static let mostPerDay = 100.0

    /// Where the silence counts from: the last sighting, or later if the gateway did not scan after it.
    package var since: Instant
    /// How many silences a day last longer while the beacon is present, at most ``mostPerDay``.
    package var perDay: Double

    /// How many powers of ten the silence is rarer than ``mostPerDay``.
    var level: Int { Int(log10(Self.mostPerDay / max(perDay, 1e-6))) }
}

extension Monitor {
    /// Returns the silence of a beacon that is inside, if the silence is long and nothing but absence or chance explains it; `nil` if the exit time
    /// is fixed, or while the exit waits for the radio.
    package func longSilence(of beacon: BeaconIdentity, at now: Instant) -> LongSilence? {
        guard isLearning, let slot = slots[beacon], case .inside(.suspect) = records[slot].presence,
            let perDay = models[slot].silencesPerDay(after: now - records[slot].silentSince),
            perDay <= LongSilence.mostPerDay
        else { return nil }
        return LongSilence(since: records[slot].silentSince, perDay: perDay)
    }

    /// Returns the seconds between two advertisements of a beacon, or between two bursts of one that sends in bursts; `nil` if the interval is not
    /// known, as with a fixed silence.
    package func interval(of beacon: BeaconIdentity) -> Double? {
        guard isLearning, let slot = slots[beacon], models[slot].interval > 0 else { return nil }
        return models[slot].interval
    }

    /// Returns the state of a beacon; `nil` if it belongs to no region.
    package func state(of beacon: BeaconIdentity) -> MonitoringState? {
        if let slot = slots[beacon] { return state(at: slot) }
        let numbers = index.regions(of: beacon)
        guard !numbers.isEmpty else { return nil }
        return isScanning && numbers.contains { regions[$0].settlesAt == nil } ? .outside : .unknown
    }

    /// All regions, implicit ones included, in the order in which they were set.
    package var regionStatuses: [RegionStatus] {
        regions.map { RegionStatus(region: $0.region, state: $0.reported, since: $0.since, beacons: $0.inside) }
    }

    package var beaconCount: Int { slots.count }

    /// All beacons that were received and are remembered, sorted by identity.
    package var beaconStatuses: [BeaconStatus] {
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
