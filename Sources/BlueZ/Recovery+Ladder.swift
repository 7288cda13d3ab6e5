import Beacons

// The remedies for trouble, gentlest first.
extension Recovery {
    mutating func fail(_ trouble: Trouble, at now: Instant) {
        abandon()
        switch trouble {
        case .unsupported, .unauthorized: tryAnother(trouble, at: now)
        case .poweredOff(let reason):
            announce(.poweredOff, reason)
            // The kernel sends no event when rfkill unblocks the adapter.
            pause(.seconds(2), at: now)
        case .gone(let reason): lose(adapter: reason, at: now)
        case .busy(let reason):
            // Other programs usually finish within a moment.
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

    /// Tries the next interface. If there is none, the reason of the first interface is reported.
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

    /// Changes to another interface, and removes what the previous one left in the kernel.
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

    /// Applies the next harder remedy: power cycle, reset, new sockets, a pause; then it begins again with the first.
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
        // The duty of the user channel begins with a reset anyway.
        case 0, 1, 2: reconnect(after: .seconds(1), as: .resetting, because: "\(reason); starting again", at: now)
        default:
            let length = min(5 << min(round, 4), 60)
            announce(.unknown, "\(reason); retrying in \(length) s")
            pause(.seconds(Double(length)), at: now)
        }
    }

    mutating func restart(at now: Instant) {
        abandon()
        use(0)
        attempts = 0
        hindrances = 0
        firstTrouble = nil
        // The adapter is still followed by its address. A user who replaced it wants the new one, so there is no wait
        // for the old one.
        if case .lost = place { place = .neverFound }
        reconnect(after: .zero, as: .resetting, because: "restarted on request", at: now)
    }

    mutating func pause(_ length: Interval, at now: Instant) {
        phase = .pausing
        wait(until: now + length)
    }
}
