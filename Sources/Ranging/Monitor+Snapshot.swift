import Beacons

extension Monitor {
    /// Returns the state that a restart needs.
    package func snapshot(at now: Instant) -> MonitorSnapshot {
        let beacons = slots.filter { records[$0.value].hasEntered }.sorted { $0.key < $1.key }.map { beacon, slot in
            let record = records[slot]
            return MonitorSnapshot.Beacon(
                identity: beacon, isInside: !record.isOutside, enteredAge: now - (record.enteredAt ?? now),
                lastSeenAge: record.isDated ? now - record.lastSeen : nil,
                insideFor: record.insideFor, lastRSSI: record.lastRSSI,
                learned: !isLearning ? [] : models[slot].memory)
        }
        let known = regions.compactMap { region in
            region.definite.map {
                MonitorSnapshot.Region(
                    region.region, isInside: $0 == .inside, age: region.definiteSince.map { now - $0 })
            }
        }
        return MonitorSnapshot(beacons: beacons, regions: known)
    }

    /// Restores the state of a former process. Call this after `setRegions` and before the radio scans. Beacons of no region are
    /// dropped, and so are regions that have another scope now: they are new, as with `setRegions`.
    ///
    /// `downtime` is the time since the snapshot was taken; `nil` where nobody knows: a clock may have stood still with the power.
    /// A state not older than `restoreWithin` when the radio first scans is reported again then. An older state is `unknown` and determined again,
    /// without events for beacons whose state is unchanged: a beacon that was inside and is received stays inside, a silent one exits.
    /// A beacon that was inside has a place, even beyond the limit of members.
    package mutating func restore(
        _ snapshot: MonitorSnapshot, downtime: Interval?, restoreWithin: Interval, at now: Instant
    ) {
        precondition(!isScanning, "a snapshot is restored before the radio scans")
        let isYoung = downtime.map { $0 <= restoreWithin } ?? false
        let down = (downtime ?? .zero).asAge
        if isYoung { trustedUntil = now + (restoreWithin - down) }
        for saved in snapshot.beacons {
            restore(saved, isTrusted: isYoung, isDated: downtime != nil, down: down, at: now)
        }
        collectTemplates(at: now)
        if isLearning { for slot in slots.values { models[slot].consult(pool, slot: slot) } }
        for saved in snapshot.regions {
            guard let place = regions.firstIndex(where: { saved.isState(of: $0.region) }) else { continue }
            let since = saved.age.map { now - down - $0.asAge }
            regions[place].definite = saved.isInside ? .inside : .outside
            regions[place].definiteSince = downtime == nil ? nil : since
            regions[place].undatedSince = downtime == nil ? since : nil
            regions[place].isTrusted = isYoung
        }
    }

    /// Dates a snapshot that was restored without a known downtime. No state changes.
    package mutating func date(downtime: Interval) {
        let down = downtime.asAge
        for slot in records.indices { records[slot].date(downtime: down) }
        for place in regions.indices { regions[place].date(downtime: down) }
    }

    private mutating func restore(
        _ saved: MonitorSnapshot.Beacon, isTrusted: Bool, isDated: Bool, down: Interval, at now: Instant
    ) {
        // A monitor whose radio does not scan displaces no beacon, and so has no transition to report.
        var none: [MonitorOutput] = []
        guard slots[saved.identity] == nil,
            let slot = settle(saved.identity, hasClaim: saved.isInside, at: now, into: &none)
        else { return }
        let lastSeen = now - down - (saved.lastSeenAge ?? .zero).asAge
        // Counts as if it had been received once a second, so that a beacon that is here for long is not the first to make room.
        records[slot].sightings = UInt32(clamping: (saved.insideFor ?? .zero).asAge.milliseconds / 1000)
        records[slot].enteredAt = lastSeen - (saved.insideFor ?? .zero).asAge
        records[slot].lastSeen = lastSeen
        records[slot].silentSince = now
        records[slot].dates = saved.dates(isDowntimeKnown: isDated)
        records[slot].lastRSSI = saved.lastRSSI
        if isLearning {
            models[slot].recall(saved.learned)
        }
        guard saved.isInside else { return }
        leases.remove(slot)
        records[slot].isHeld = saved.isHeld
        change(slot, to: .unsure(.fresh, isTrusted: isTrusted))
    }
}

extension MonitorSnapshot.Beacon {
    /// Which of the beacon's dates are known in the next process.
    fileprivate func dates(isDowntimeKnown: Bool) -> MonitorRecord.Dates {
        switch (isDowntimeKnown && lastSeenAge != nil, insideFor != nil) {
        case (true, true): .known
        case (true, false): .enterUnknown(isDatable: false)
        case (false, let isSpanKnown):
            .unknown(isSpanKnown: isSpanKnown, isDatable: isSpanKnown && !isDowntimeKnown && lastSeenAge != nil)
        }
    }
}

extension Interval {
    /// An age from a snapshot, limited to a century: a file may contain any number.
    fileprivate var asAge: Interval { max(.zero, min(.seconds(100 * 365.25 * 86_400), self)) }
}
