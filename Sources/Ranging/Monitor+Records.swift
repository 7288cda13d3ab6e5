import Beacons

extension Monitor {
    /// How long a beacon that only a wildcard names is remembered after it left.
    private static let memory = Interval.seconds(86_400)
    /// How long a beacon that only a wildcard names is remembered if it never entered.
    private static let candidacy = Interval.seconds(600)

    /// Finds a place for a beacon that has none. Returns `nil` if the beacon belongs to no region, or if no place is left that it may have.
    mutating func settle(
        _ beacon: BeaconIdentity, hasClaim: Bool = false, at now: Instant, into transitions: inout [MonitorOutput]
    ) -> Int? {
        let numbers = index.regions(of: beacon)
        guard !numbers.isEmpty else { return nil }
        let isConfigured = index.isConfigured(beacon)
        var inherited: UInt32 = 0
        while !isConfigured && !hasClaim && !makeRoom() {
            guard let sightings = displace(for: beacon, at: now, into: &transitions) else {
                refusedMembers += 1
                return nil
            }
            inherited = sightings
        }
        let slot = vacant.popLast() ?? records.count
        var record = MonitorRecord(beacon, regions: numbers, isConfigured: isConfigured, at: now)
        record.sightings = inherited
        if slot < records.count { records[slot] = record } else { records.append(record) }
        let model = SilenceModel(falseExitsPerDay: settings.exitAfter.falseExitsPerDay)
        if slot < models.count { models[slot] = model } else { models.append(model) }
        slots[beacon] = slot
        if !isConfigured {
            members += 1
            leases.set(slot, at: leaseEnd(of: slot))
        }
        return slot
    }

    /// Forgets the longest silent member that is outside if the table is full; returns whether there is room now.
    private mutating func makeRoom() -> Bool {
        while members >= settings.memberLimit {
            guard let lease = leases.first else { return false }
            if leaseEnd(of: lease.slot) > lease.at {
                leases.set(lease.slot, at: leaseEnd(of: lease.slot))
            } else {
                forget(lease.slot)
            }
        }
        return true
    }

    /// When a wildcard's member that is outside is forgotten, unless it is received before.
    func leaseEnd(of slot: Int) -> Instant {
        records[slot].lastSeen + (records[slot].hasEntered ? Self.memory : Self.candidacy)
    }

    /// Handles the end of a member's lease: a member that was received since is remembered for longer.
    mutating func renewOrForget(_ slot: Int, at now: Instant) {
        let end = leaseEnd(of: slot)
        if end > now { leases.set(slot, at: end) } else { forget(slot) }
    }

    mutating func forget(_ slot: Int) {
        if !records[slot].silence.isFresh { suspectCount -= 1 }
        if !records[slot].isConfigured { members -= 1 }
        exits.remove(slot)
        leases.remove(slot)
        slots[records[slot].beacon] = nil
        records[slot].presence = .outside(hasLeft: false, nil)
        vacant.append(slot)
    }

    /// Moves a beacon to another presence, and counts it in its regions.
    mutating func change(_ slot: Int, to presence: MonitorRecord.Presence) {
        let before = records[slot]
        records[slot].presence = presence
        let after = records[slot]
        for number in after.regions {
            regions[number].inside += (after.isInside ? 1 : 0) - (before.isInside ? 1 : 0)
            regions[number].unsure += (after.isUnsure ? 1 : 0) - (before.isUnsure ? 1 : 0)
        }
    }

    /// Lets a beacon enter whose first confirming sighting was at that moment.
    mutating func enter(_ slot: Int, since at: Instant, into transitions: inout [MonitorOutput]) {
        records[slot].enteredAt = at
        records[slot].dates = .known
        leases.remove(slot)
        regain(slot, event: .enter, at: at, into: &transitions)
    }

    /// Marks a beacon as inside; without an event if it was inside before a blindness or a restart.
    mutating func regain(
        _ slot: Int, event: MonitorOutput.Event? = nil, at now: Instant, into transitions: inout [MonitorOutput]
    ) {
        change(slot, to: .inside(.fresh))
        watch(slot)
        transitions.append(transition(slot, .inside, event: event, at: now))
        for number in records[slot].regions { appraise(number, at: now, into: &transitions) }
    }

    /// Lets a beacon exit whose silence is over. The exit is dated at the last sighting plus the required silence.
    mutating func leave(_ slot: Int, into transitions: inout [MonitorOutput]) {
        let record = records[slot]
        let silence = silence(of: slot)
        let at = (record.isDated ? record.lastSeen : record.silentSince) + silence
        suspectCount -= 1
        exits.remove(slot)
        change(slot, to: .outside(hasLeft: true, nil))
        if !record.isConfigured { leases.set(slot, at: leaseEnd(of: slot)) }
        transitions.append(transition(slot, .outside, event: .exit, at: at))
        for number in record.regions {
            let last = max(at, regions[number].lastExitAt ?? at)
            regions[number].lastExitAt = last
            if regions[number].inside + regions[number].unsure == 0 { regions[number].settlesAt = nil }
            appraise(number, at: last, into: &transitions)
        }
    }

    func transition(
        _ slot: Int, _ state: MonitoringState, event: MonitorOutput.Event?, at: Instant
    ) -> MonitorOutput {
        let record = records[slot]
        return .beacon(
            BeaconTransition(
                identity: record.beacon, state: state, event: event, at: at,
                regions: record.regions.map { regions[$0].region.id },
                insideFor: event == .exit ? record.insideFor : nil,
                lastSeen: record.isDated ? record.lastSeen : nil, lastRSSI: record.lastRSSI))
    }
}
