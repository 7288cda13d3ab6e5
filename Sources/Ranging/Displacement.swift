import Beacons

/// Limits how often a member of a full table that is inside makes room for another beacon.
///
/// Without a limit, one beacon more than there are places would displace another with each sighting, and each of those the next.
struct Displacement: Sendable {
    /// The number of displacements that may happen at once.
    private static let burst = 100.0
    /// The number of displacements per second after that: not more events than a table full of beacons that come and go makes by itself.
    private static let perSecond = 10.0
    /// How long a displaced beacon may not displace another one.
    private static let exile = Interval.seconds(60)

    private var allowance = burst
    private var filledAt = Instant.zero
    /// The beacons displaced within ``exile``: as many as the rate allows, 700 at most.
    private var displaced: [BeaconIdentity: Instant] = [:]

    /// Whether `beacon` may take another's place now.
    mutating func isAllowed(for beacon: BeaconIdentity, at now: Instant) -> Bool {
        if let since = displaced[beacon], now - since < Self.exile { return false }
        allowance = min(Self.burst, allowance + max(0, (now - filledAt).seconds) * Self.perSecond)
        filledAt = max(now, filledAt)
        return allowance >= 1
    }

    /// Records that `beacon` made room.
    mutating func note(_ beacon: BeaconIdentity, at now: Instant) {
        allowance -= 1
        displaced = displaced.filter { now - $0.value < Self.exile }
        displaced[beacon] = now
    }
}

extension Monitor {
    /// Frees the place of the member that is inside with the fewest sightings, of equals the one received longest ago.
    ///
    /// A displaced member is forgotten, which is no exit. The new member inherits the count of the place. Otherwise, members that were
    /// received equally often would displace each other in turn.
    ///
    /// - Returns: the number of sightings that the new member inherits; `nil` if no member may go.
    mutating func displace(
        for newcomer: BeaconIdentity, at now: Instant, into transitions: inout [MonitorOutput]
    ) -> UInt32? {
        guard isScanning, displacement.isAllowed(for: newcomer, at: now) else { return nil }
        var found: Int?
        for slot in records.indices where !records[slot].isOutside && !records[slot].isConfigured {
            guard let best = found else {
                found = slot
                continue
            }
            let (one, other) = (records[slot], records[best])
            if (one.sightings, one.lastSeen) < (other.sightings, other.lastSeen) { found = slot }
        }
        guard let slot = found else { return nil }
        let record = records[slot]
        if !record.silence.isFresh { suspectCount -= 1 }
        change(slot, to: .outside(hasLeft: false, nil))
        transitions.append(transition(slot, .unknown, event: nil, at: now))
        for number in record.regions {
            if regions[number].inside + regions[number].unsure == 0 {
                regions[number].settlesAt = now + settlement(of: number)
            }
            appraise(number, at: now, into: &transitions)
        }
        planSettlement()
        forget(slot)
        displacement.note(record.beacon, at: now)
        displacedMembers += 1
        return record.sightings - min(1, record.sightings)
    }
}
