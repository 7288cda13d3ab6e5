import Beacons

extension Monitor {
    /// If the radio does not prove itself, the monitor requests a proof again after this time.
    private static let patience = Interval.seconds(10)
    /// The least time between two proofs: each proof makes the controller restart its scan.
    private static let pause = Interval.seconds(3)
    /// If the gateway has received nothing for longer than this, an exit that is due waits for a proof.
    private static let doubt = Interval.seconds(5)
    /// The monitor requests that proof so long before the exit is due, because a proof takes about as long.
    private static let notice = Interval.seconds(4)

    /// The silence after which a beacon counts as gone.
    func silence(of slot: Int) -> Interval {
        switch settings.exitAfter {
        case .auto: models[slot].requiredSilence
        case .fixed(let silence): models[slot].requiredSilence(notBelow: silence)
        }
    }

    /// Whether silences are learned, and no exit time is fixed.
    var isLearning: Bool { if case .auto = settings.exitAfter { true } else { false } }

    /// Where a silence becomes suspect, and what of it may lie before the radio's proof: who comes back from an unnoticed outage of the radio is
    /// then still received for three quarters of the silence that is required, and hardly ever missed for as long.
    private func quarter(of silence: Interval) -> Interval { Interval(nanoseconds: silence.nanoseconds / 4) }

    /// When a silence becomes suspect: at a quarter of what is required, and once an advertisement is overdue, if a proof still has time.
    private func suspicion(of slot: Int) -> Instant {
        let required = silence(of: slot)
        let overdue = min(.seconds(1.25 * models[slot].interval), required - Self.notice)
        return records[slot].silentSince + max(quarter(of: required), overdue)
    }

    /// Schedules the beacon's next check for when its silence becomes suspect.
    mutating func watch(_ slot: Int) { exits.set(slot, at: suspicion(of: slot)) }

    /// Records that a suspect beacon was received.
    mutating func refresh(_ slot: Int) {
        records[slot].silence = .fresh
        suspectCount -= 1
        watch(slot)
    }

    /// Handles one beacon's deadline: the beacon was received since, becomes suspect, waits for the radio's proof, or exits.
    mutating func look(at slot: Int, due: Instant, into transitions: inout [MonitorOutput]) {
        let required = silence(of: slot)
        let silentSince = records[slot].silentSince
        switch records[slot].silence {
        case .fresh:
            let suspectAt = suspicion(of: slot)
            guard due >= suspectAt else { return exits.set(slot, at: suspectAt) }
            records[slot].silence = .suspect(isProven: false)
            suspectCount += 1
            if lastEvidence > silentSince && !areSilentTogether {
                exits.set(slot, at: check(of: slot))
            } else if let provenAt, provenAt > silentSince {
                count(slot, from: provenAt)
            } else {
                hold(slot, .held, at: due, into: &transitions)
            }
        case .suspect:
            let (check, end) = (check(of: slot), silentSince + required)
            let doubt = max(Self.doubt, quarter(of: required))
            if due < check {
                exits.set(slot, at: check)
            } else if due < end {
                let next = end - lastEvidence > doubt ? requestProof(at: due, into: &transitions) : nil
                exits.set(slot, at: min(end, next ?? end))
            } else if due - lastEvidence > doubt {
                hold(slot, .due, at: due, into: &transitions)
            } else {
                conclude(slot, at: due, into: &transitions)
            }
        case .held, .due:
            hold(slot, records[slot].silence, at: due, into: &transitions)
        case .doubted:
            conclude(slot, at: due, into: &transitions)
        }
    }

    /// Exits a beacon whose silence is over while the radio works, unless the gateway receives hardly any advertisement.
    private mutating func conclude(_ slot: Int, at now: Instant, into transitions: inout [MonitorOutput]) {
        let isOutage = isInOutage(at: now)
        // A fixed time is a promise, and nothing is learned from the silence.
        if isOutage, isLearning, now - outage!.since < Self.longestOutage {
            records[slot].silence = .doubted
            return exits.set(slot, at: now + Self.outageCheck)
        }
        if !isOutage { endOutage(at: now) }
        guard now >= records[slot].silentSince + silence(of: slot) else {
            records[slot].silence = .suspect(isProven: false)
            return exits.set(slot, at: check(of: slot))
        }
        leave(slot, into: &transitions)
    }

    /// When the proof is asked for that the radio received to the end of the silence, where it is needed: it is to be there when the exit is due.
    private func check(of slot: Int) -> Instant {
        let required = silence(of: slot)
        return records[slot].silentSince + max(quarter(of: required), required - Self.notice)
    }

    /// Counts a silence from a quarter before the radio's proof, unless it began later.
    private mutating func count(_ slot: Int, from proof: Instant) {
        records[slot].silence = .suspect(isProven: true)
        records[slot].silentSince = max(proof - quarter(of: silence(of: slot)), records[slot].silentSince)
        exits.set(slot, at: check(of: slot))
    }

    /// Whether more beacons are suspect at once than chance would have it: the radio may be half deaf.
    ///
    /// Where silences are learned, one beacon in thirty is by chance a quarter through its own; three standard deviations above one in
    /// twenty is no chance. A fixed exit time has no such probability.
    private var areSilentTogether: Bool {
        guard isLearning else { return false }
        let expected = 0.05 * Double(exits.count)
        return suspectCount >= 3 && Double(suspectCount) > expected + 3 * expected.squareRoot()
    }

    private mutating func hold(
        _ slot: Int, _ silence: MonitorRecord.Silence, at now: Instant, into transitions: inout [MonitorOutput]
    ) {
        records[slot].silence = silence
        exits.set(slot, at: requestProof(at: now, into: &transitions) ?? now + Self.patience)
    }

    /// Requests a proof from the radio. If that is too early, returns when the monitor may request one.
    private mutating func requestProof(at now: Instant, into transitions: inout [MonitorOutput]) -> Instant? {
        let earliest = [proofAskedAt.map { $0 + Self.patience }, provenAt.map { $0 + Self.pause }]
        if let next = earliest.lazy.compactMap({ $0 }).max(), now < next { return next }
        proofAskedAt = now
        transitions.append(.proofRequested)
        return nil
    }

    /// Records that the radio responded and scans. Silences that waited for this proof count from a quarter of the exit time before it.
    package mutating func proven(at now: Instant) -> [MonitorOutput] {
        lastProven = max(lastProven, now)
        provenAt = now
        proofAskedAt = nil
        var transitions: [MonitorOutput] = []
        guard isScanning, suspectCount > 0 else { return transitions }
        let together = areSilentTogether
        for slot in records.indices where exits[slot] != nil {
            switch records[slot].silence {
            case .fresh, .doubted, .suspect(isProven: true): break
            case .suspect where !together: break
            case .suspect, .held: count(slot, from: now)
            case .due: conclude(slot, at: now, into: &transitions)
            }
        }
        return transitions
    }

    /// Records that the radio starts or stops scanning.
    ///
    /// If the radio stops, beacons that were inside become `unknown`. After it starts, a beacon that is received is inside without a second
    /// enter, and a beacon that stays silent for its required silence from now on exits.
    package mutating func radio(scanning: Bool, at now: Instant) -> [MonitorOutput] {
        var transitions = isScanning ? advance(to: now) : []
        guard scanning != isScanning else { return transitions }
        isScanning = scanning
        proofAskedAt = nil
        if scanning { recover(at: now, into: &transitions) } else { goDeaf(at: now, into: &transitions) }
        return transitions
    }

    private mutating func goDeaf(at now: Instant, into transitions: inout [MonitorOutput]) {
        outage = nil
        for slot in records.indices { doubt(slot, at: now, into: &transitions) }
        for number in regions.indices { appraise(number, at: now, into: &transitions) }
    }

    /// Makes a beacon `unknown` that was inside, because its silence does not count from now on.
    private mutating func doubt(_ slot: Int, at now: Instant, into transitions: inout [MonitorOutput]) {
        if !records[slot].silence.isFresh { refresh(slot) }
        exits.remove(slot)
        records[slot].isContinuous = false
        switch records[slot].presence {
        case .outside: records[slot].presence = .outside(hasLeft: false, nil)
        case .unsure: break
        case .inside:
            change(slot, to: .unsure(.fresh, isTrusted: false))
            transitions.append(transition(slot, .unknown, event: nil, at: now))
        }
    }

    /// From now on the gateway cannot receive a beacon, or can again. Meanwhile the beacon is `unknown` if it was inside, and its silence does not count.
    package mutating func set(_ beacon: BeaconIdentity, isHeld: Bool, at now: Instant) -> [MonitorOutput] {
        guard let slot = slots[beacon], !records[slot].isOutside else { return [] }
        var transitions: [MonitorOutput] = []
        records[slot].isHeld = isHeld
        doubt(slot, at: now, into: &transitions)
        if isScanning, !isHeld {
            records[slot].silentSince = max(now, records[slot].silentSince)
            watch(slot)
        }
        for number in records[slot].regions { appraise(number, at: now, into: &transitions) }
        return transitions
    }

    private mutating func recover(at now: Instant, into transitions: inout [MonitorOutput]) {
        lastProven = max(lastProven, now)
        // The time before was no silence of the beacons.
        lastReceived = max(lastReceived, now)
        reception.begin(at: now)
        // The adapter may have been missing for hours since the snapshot was restored.
        let isRecent = trustedUntil.map { now <= $0 } ?? false
        for slot in records.indices {
            guard case .unsure(_, let isTrusted) = records[slot].presence, !records[slot].isHeld else { continue }
            records[slot].silentSince = now
            watch(slot)
            if isTrusted, isRecent { regain(slot, at: now, into: &transitions) }
        }
        for number in regions.indices {
            regions[number].settlesAt = regions[number].isTrusted && isRecent ? nil : now + settlement(of: number)
            regions[number].isTrusted = false
            appraise(number, at: now, into: &transitions)
        }
        planSettlement()
    }
}
