import Beacons

// What is done about trouble, the gentlest first.
extension Recovery {
    mutating func fail(_ trouble: Trouble, at now: Instant) {
        abandon()
        switch trouble {
        case .unsupported, .unauthorized: tryAnother(trouble, at: now)
        case .poweredOff(let reason):
            announce(.poweredOff, reason)
            // rfkill says nothing when it lets go.
            pause(.seconds(2), at: now)
        case .gone(let reason): lose(adapter: reason, at: now)
        case .busy(let reason):
            // Whoever is at it is done in a moment as a rule.
            hindrances += 1
            guard hindrances >= 3 else {
                if state == .poweredOn { announce(.unknown, reason) }
                return pause(.milliseconds(500), at: now)
            }
            hindrances = 0
            climb(reason, at: now)
        case .mute(let reason): climb(reason, at: now)
        }
    }

    /// The next interface, or the first one's reason why there is none.
    private mutating func tryAnother(_ trouble: Trouble, at now: Instant) {
        let first = firstTrouble ?? trouble
        firstTrouble = first
        if current + 1 < candidates.count {
            use(current + 1)
            return prepare(at: now)
        }
        if case .unauthorized(let reason) = first {
            announce(.unauthorized, reason)
        } else {
            announce(.unsupported, first.reason)
        }
        firstTrouble = nil
        use(0)
        pause(.seconds(30), at: now)
    }

    /// Changes over to another interface, and takes back what this one left in the kernel.
    private mutating func use(_ candidate: Int) {
        guard candidate != current else { return }
        if let adapter {
            for step in duty.end(on: adapter) {
                if case .management = step { actions.append(.perform(step)) }
            }
        }
        current = candidate
        duty = candidates[candidate]
    }

    /// One rung harder than the last time: power cycle, reset, all sockets anew, a pause; then from below.
    private mutating func climb(_ reason: String, at now: Instant) {
        guard let adapter else { return beginSearch(at: now) }
        let (round, rung) = attempts.quotientAndRemainder(dividingBy: 4)
        attempts += 1
        switch rung {
        case 0 where !duty.ownsController:
            announce(.resetting, "\(reason); switching \(adapter.name) off and on")
            phase = .cycling
            perform(.management(.setPowered(false), index: adapter.index), at: now)
        case 1 where !duty.ownsController:
            announce(.resetting, "\(reason); resetting \(adapter.name)")
            phase = .resetting
            perform(.reset(index: adapter.index), at: now)
        // The user channel's duty begins with a reset.
        case 0, 1, 2: reconnect(after: .seconds(1), as: .resetting, because: "\(reason); beginning again", at: now)
        default:
            let length = min(5 << min(round, 4), 60)
            announce(.unknown, "\(reason); trying again in \(length) s")
            pause(.seconds(Double(length)), at: now)
        }
    }

    mutating func restart(at now: Instant) {
        abandon()
        use(0)
        attempts = 0
        hindrances = 0
        firstTrouble = nil
        // It is followed by its address still; who exchanged it means the new one, which is waited for no longer.
        lostAt = nil
        reconnect(after: .zero, as: .resetting, because: "restarted on request", at: now)
    }

    mutating func pause(_ length: Interval, at now: Instant) {
        phase = .pausing
        deadline = now + length
    }
}
