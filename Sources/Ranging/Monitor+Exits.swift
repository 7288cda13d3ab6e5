import Beacons

extension Monitor {
    /// A proof that did not come is asked for again after so long,
    private static let patience = Interval.seconds(10)
    /// and no proof follows another sooner than this: each makes the controller begin its scan anew.
    private static let pause = Interval.seconds(3)
    /// With nothing received for longer, an exit that is due waits for proof,
    private static let doubt = Interval.seconds(5)
    /// which is asked for so much earlier, as it takes about as long.
    private static let notice = Interval.seconds(4)
    /// Where hardly anything is received of anybody, exits wait for so long: then the strangers have left, too.
    private static let longestOutage = Interval.seconds(180)
    /// The gateway looks so often whether that is still so.
    private static let outageCheck = Interval.seconds(2)

    /// The silence after which a beacon counts as gone.
    func silence(of slot: Int) -> Interval {
        models.isEmpty ? settings.exitAfter.initialSilence : models[slot].requiredSilence
    }

    /// Where a silence becomes suspect, and what of it may lie before the radio's proof: who comes back from an unnoticed outage of the radio is
    /// then still received for three quarters of the silence that is required, and hardly ever missed for as long.
    private func quarter(of silence: Interval) -> Interval { Interval(nanoseconds: silence.nanoseconds / 4) }

    /// Puts the beacon's next look at a quarter of its silence.
    mutating func watch(_ slot: Int) {
        exits.set(slot, at: records[slot].silentSince + quarter(of: silence(of: slot)))
    }

    /// A beacon that was suspect was heard.
    mutating func refresh(_ slot: Int) {
        records[slot].silence = .fresh
        suspectCount -= 1
        watch(slot)
    }

    /// One beacon's deadline came: it was received since, or becomes suspect, or waits for the radio's proof, or is gone.
    mutating func look(at slot: Int, due: Instant, into transitions: inout [Transition]) {
        let required = silence(of: slot)
        let silentSince = records[slot].silentSince
        switch records[slot].silence {
        case .fresh:
            let suspectAt = silentSince + quarter(of: required)
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
                let next = end - lastEvidence > doubt ? wantProof(at: due, into: &transitions) : nil
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

    /// The silence is over, and the radio works: the beacon is gone, unless hardly anything is received of anybody.
    private mutating func conclude(_ slot: Int, at now: Instant, into transitions: inout [Transition]) {
        let isOutage = isInOutage(at: now)
        if isOutage, now - outage!.since < Self.longestOutage {
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

    /// Whether hardly anything is received of anybody.
    mutating func isInOutage(at now: Instant) -> Bool {
        guard let since = reception.outage(at: now) else { return false }
        outage = Outage(since: outage?.since ?? since, foundAt: outage?.foundAt ?? now, confirmedAt: now)
        return true
    }

    /// Strangers are received again: the time without does not count as silence, and is not learned.
    mutating func endOutage(at now: Instant) {
        guard let ended = outage else { return }
        outage = nil
        let end = min(now, ended.confirmedAt + Self.outageCheck)
        guard end - ended.since < Self.longestOutage else { return }
        for slot in records.indices where exits[slot] != nil && records[slot].lastSeen <= ended.foundAt {
            records[slot].isContinuous = false
            let silentSince = records[slot].silentSince
            records[slot].silentSince = silentSince + max(.zero, end - max(ended.since, silentSince))
        }
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
    /// twenty is no chance. A fixed time says nothing of chance.
    private var areSilentTogether: Bool {
        guard !models.isEmpty else { return false }
        let expected = 0.05 * Double(exits.count)
        return suspectCount >= 3 && Double(suspectCount) > expected + 3 * expected.squareRoot()
    }

    private mutating func hold(
        _ slot: Int, _ silence: MonitorRecord.Silence, at now: Instant, into transitions: inout [Transition]
    ) {
        records[slot].silence = silence
        exits.set(slot, at: wantProof(at: now, into: &transitions) ?? now + Self.patience)
    }

    /// Asks for the radio's proof; where it is too early for another, returns from when on it may be asked for.
    private mutating func wantProof(at now: Instant, into transitions: inout [Transition]) -> Instant? {
        let earliest = [proofAskedAt.map { $0 + Self.patience }, provenAt.map { $0 + Self.pause }]
        if let next = earliest.lazy.compactMap({ $0 }).max(), now < next { return next }
        proofAskedAt = now
        transitions.append(.proofWanted)
        return nil
    }

    /// Takes note that the radio answered and is listening; silences that waited for the proof count from a quarter before it.
    public mutating func proven(at now: Instant) -> [Transition] {
        noteEvidence(now)
        provenAt = now
        proofAskedAt = nil
        var transitions: [Transition] = []
        guard isListening, suspectCount > 0 else { return transitions }
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

    /// Takes note that the radio listens from now on, or no longer does.
    ///
    /// Deaf, all that was inside is unknown. Listening again, what is heard is inside without a second enter, and what stays silent for
    /// all the silence required, counted from now, exits.
    public mutating func radio(listening: Bool, at now: Instant) -> [Transition] {
        var transitions = isListening ? advance(to: now) : []
        guard listening != isListening else { return transitions }
        isListening = listening
        proofAskedAt = nil
        if listening { recover(at: now, into: &transitions) } else { goDeaf(at: now, into: &transitions) }
        return transitions
    }

    private mutating func goDeaf(at now: Instant, into transitions: inout [Transition]) {
        exits.removeAll()
        suspectCount = 0
        outage = nil
        for slot in records.indices {
            records[slot].isContinuous = false
            switch records[slot].presence {
            case .outside: records[slot].presence = .outside(hasLeft: false, nil)
            case .unsure: records[slot].silence = .fresh
            case .inside:
                change(slot, to: .unsure(.fresh, isTrusted: false))
                transitions.append(transition(slot, .unknown, event: nil, at: now))
            }
        }
        for number in regions.indices { appraise(number, at: now, into: &transitions) }
    }

    private mutating func recover(at now: Instant, into transitions: inout [Transition]) {
        noteEvidence(now)
        reception.begin(at: now)
        for slot in records.indices {
            guard case .unsure(_, let isTrusted) = records[slot].presence else { continue }
            records[slot].silentSince = now
            watch(slot)
            if isTrusted { regain(slot, at: now, into: &transitions) }
        }
        for number in regions.indices {
            regions[number].settlesAt = regions[number].isTrusted ? nil : now + settlement(of: number)
            regions[number].isTrusted = false
            appraise(number, at: now, into: &transitions)
        }
        planSettlement()
    }
}
