import Beacons

extension Monitor {
    /// A beacon that only a wildcard names is remembered for so long after it left.
    private static let memory = Interval.seconds(86_400)
    /// One that never entered is not worth as much.
    private static let candidacy = Interval.seconds(600)

    /// A place for a beacon that has none; `nil` if it belongs to no region, or there is none left and it has no claim to one.
    mutating func settle(
        _ beacon: BeaconIdentity, hasClaim: Bool = false, at now: Instant, into transitions: inout [Transition]
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
        if case .auto(let rate) = settings.exitAfter {
            let model = SilenceModel(falseExitsPerDay: rate)
            if slot < models.count { models[slot] = model } else { models.append(model) }
        }
        slots[beacon] = slot
        if !isConfigured {
            members += 1
            leases.set(slot, at: leaseEnd(of: slot))
        }
        return slot
    }

    /// Forgets the longest silent member that is outside, if the table is full; whether there is room now.
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

    func leaseEnd(of slot: Int) -> Instant {
        records[slot].lastSeen + (records[slot].hasEntered ? Self.memory : Self.candidacy)
    }

    mutating func renewOrForget(_ slot: Int, at now: Instant) {
        let end = leaseEnd(of: slot)
        if end > now { leases.set(slot, at: end) } else { forget(slot) }
    }

    mutating func forget(_ slot: Int) {
        if records[slot].stage != .fresh { suspectCount -= 1 }
        if !records[slot].isConfigured { members -= 1 }
        exits.remove(slot)
        leases.remove(slot)
        slots[records[slot].beacon] = nil
        records[slot].phase = .idle
        records[slot].stage = .fresh
        vacant.append(slot)
    }

    /// Moves a beacon to another phase, and counts it in its regions.
    mutating func change(_ slot: Int, to phase: MonitorRecord.Phase) {
        let before = records[slot].phase
        records[slot].phase = phase
        for number in records[slot].regions {
            regions[number].inside += (phase == .inside ? 1 : 0) - (before == .inside ? 1 : 0)
            regions[number].unsure += (phase == .unsure ? 1 : 0) - (before == .unsure ? 1 : 0)
        }
    }

    mutating func enter(_ slot: Int, into transitions: inout [Transition]) {
        let at = records[slot].candidateSince
        records[slot].candidateSightings = 0
        records[slot].hasEntered = true
        records[slot].hasLeft = false
        records[slot].enteredAt = at
        records[slot].isEnterDated = true
        records[slot].awaitsDowntime = false
        leases.remove(slot)
        change(slot, to: .inside)
        watch(slot)
        transitions.append(transition(slot, .inside, event: .enter, at: at))
        for number in records[slot].regions { appraise(number, at: at, into: &transitions) }
    }

    /// It was inside before the radio went deaf, or before a restart, and still is.
    mutating func regain(_ slot: Int, at now: Instant, into transitions: inout [Transition]) {
        records[slot].isTrusted = false
        change(slot, to: .inside)
        watch(slot)
        transitions.append(transition(slot, .inside, event: nil, at: now))
        for number in records[slot].regions { appraise(number, at: now, into: &transitions) }
    }

    mutating func leave(_ slot: Int, into transitions: inout [Transition]) {
        let record = records[slot]
        let silence = silence(of: slot)
        let at = (record.isDated ? record.lastSeen : record.silentSince) + silence
        suspectCount -= 1
        records[slot].stage = .fresh
        records[slot].hasLeft = true
        exits.remove(slot)
        change(slot, to: .idle)
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
        _ slot: Int, _ state: MonitoringState, event: Transition.Event?, at: Instant
    ) -> Transition {
        let record = records[slot]
        return .beacon(
            BeaconTransition(
                identity: record.beacon, state: state, event: event, at: at,
                regions: record.regions.map { regions[$0].region.id },
                insideFor: event == .exit ? record.insideFor : nil,
                lastSeen: record.isDated ? record.lastSeen : nil, lastRSSI: record.lastRSSI))
    }
}
