import Beacons

extension Monitor {
    /// A proof is asked for no sooner than so long after the last one, and again where none came.
    private static let patience = Interval.seconds(10)
    /// With nothing heard for longer, an exit that is due waits for proof.
    private static let doubt = Interval.seconds(5)

    /// The silence after which a beacon counts as gone.
    func silence(of slot: Int) -> Interval {
        models.isEmpty ? settings.exitAfter.initialSilence : models[slot].requiredSilence
    }

    /// Where a silence becomes suspect: early enough that a proof then costs little delay.
    private func quarter(of silence: Interval) -> Interval { Interval(nanoseconds: silence.nanoseconds / 4) }

    /// Puts the beacon's next look at a quarter of its silence.
    mutating func watch(_ slot: Int) {
        exits.set(slot, at: records[slot].silentSince + quarter(of: silence(of: slot)))
    }

    /// A beacon that was suspect was heard.
    mutating func refresh(_ slot: Int) {
        records[slot].stage = .fresh
        suspectCount -= 1
        watch(slot)
    }

    /// One beacon's deadline came: it was heard since, or becomes suspect, or waits for the radio's proof, or is gone.
    mutating func look(at slot: Int, due: Instant, into transitions: inout [Transition]) {
        let required = silence(of: slot)
        let silentSince = records[slot].silentSince
        switch records[slot].stage {
        case .fresh:
            let suspectAt = silentSince + quarter(of: required)
            guard due >= suspectAt else { return exits.set(slot, at: suspectAt) }
            records[slot].stage = .suspect
            suspectCount += 1
            if records[slot].isProven || (lastEvidence > silentSince && !areSilentTogether) {
                exits.set(slot, at: silentSince + required)
            } else if let provenAt, provenAt > silentSince {
                countAnew(slot, from: provenAt)
            } else {
                hold(slot, .held, at: due, into: &transitions)
            }
        case .suspect:
            guard due >= silentSince + required else { return exits.set(slot, at: silentSince + required) }
            if !records[slot].isProven, due - lastEvidence > max(Self.doubt, quarter(of: required)) {
                hold(slot, .due, at: due, into: &transitions)
            } else {
                leave(slot, into: &transitions)
            }
        case .held, .due:
            hold(slot, records[slot].stage, at: due, into: &transitions)
        }
    }

    private mutating func countAnew(_ slot: Int, from proof: Instant) {
        records[slot].isProven = true
        records[slot].silentSince = max(proof, records[slot].silentSince)
        exits.set(slot, at: records[slot].silentSince + silence(of: slot))
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
        _ slot: Int, _ stage: MonitorRecord.Stage, at now: Instant, into transitions: inout [Transition]
    ) {
        records[slot].stage = stage
        let last = [proofAskedAt, provenAt].lazy.compactMap { $0 }.max() ?? now - Self.patience
        if now - last < Self.patience { return exits.set(slot, at: last + Self.patience) }
        exits.set(slot, at: now + Self.patience)
        proofAskedAt = now
        transitions.append(.proofWanted)
    }

    /// Takes note that the radio answered and is listening; silences that waited for it count anew from here.
    public mutating func proven(at now: Instant) -> [Transition] {
        noteEvidence(now)
        provenAt = now
        proofAskedAt = nil
        var transitions: [Transition] = []
        guard isListening, suspectCount > 0 else { return transitions }
        let together = areSilentTogether
        for slot in records.indices where exits[slot] != nil {
            switch records[slot].stage {
            case .fresh: break
            case .suspect where !together || records[slot].isProven: break
            case .suspect, .held:
                records[slot].stage = .suspect
                countAnew(slot, from: now)
            case .due:
                leave(slot, into: &transitions)
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
        for slot in records.indices {
            records[slot].isContinuous = false
            records[slot].stage = .fresh
            records[slot].hasLeft = false
            records[slot].candidateSightings = 0
            guard records[slot].phase == .inside else { continue }
            change(slot, to: .unsure)
            transitions.append(transition(slot, .unknown, event: nil, at: now))
        }
        for number in regions.indices { appraise(number, at: now, into: &transitions) }
    }

    private mutating func recover(at now: Instant, into transitions: inout [Transition]) {
        noteEvidence(now)
        for slot in records.indices where records[slot].phase == .unsure {
            records[slot].silentSince = now
            records[slot].isProven = false
            watch(slot)
            if records[slot].isTrusted { regain(slot, at: now, into: &transitions) }
        }
        for number in regions.indices {
            regions[number].settlesAt = regions[number].isTrusted ? nil : now + settlement(of: number)
            regions[number].isTrusted = false
            appraise(number, at: now, into: &transitions)
        }
        planSettlement()
    }
}
