import Beacons

// The steps from no adapter to an adapter that is ready for its duty.
extension Recovery {
    /// How long a number is reserved for the adapter that had it. Adapters that return together may return in any
    /// order.
    static let grace = Interval.seconds(10)
    /// How often an absent adapter is searched for even without an event of the kernel.
    private static let lookAgain = Interval.seconds(10)

    mutating func connected(_ outcome: Outcome, at now: Instant) {
        guard case .done = outcome else {
            let trouble = Trouble(outcome, cannot: "reach the kernel's Bluetooth", needs: .networkAdministration)
            if case .unauthorized = trouble {
                announce(.unauthorized, trouble.reason)
            } else {
                announce(.unsupported, trouble.reason)
            }
            return wait(until: now + .seconds(5))
        }
        beginSearch(at: now)
    }

    /// Restarts with a new socket to the kernel.
    mutating func reconnect(
        after pause: Interval, as state: RadioState = .unknown, because reason: String, at now: Instant
    ) {
        abandon()
        announce(state, reason)
        phase = .connecting
        wait(until: now + pause)
    }

    mutating func beginSearch(at now: Instant) {
        abandon()
        var isOver = true
        if case .lost(let lostAt, _) = place { isOver = now - lostAt >= Self.grace }
        let search = AdapterSearch(for: name, known: known, acceptsOther: isOver)
        phase = .searching(search)
        perform(search.first, at: now)
    }

    mutating func searched(_ search: AdapterSearch, _ outcome: Outcome, of step: Step, at now: Instant) {
        var search = search
        switch search.proceed(outcome, of: step) {
        case .step(let next):
            phase = .searching(search)
            perform(next, at: now)
        case .found(let adapter): adopt(adapter, at: now)
        case .nothing(let reason): lose(adapter: reason, at: now)
        case .trouble(let trouble):
            reconnect(after: .seconds(1), because: trouble.reason, at: now)
        }
    }

    /// Handles a missing adapter: waits until it returns.
    mutating func lose(adapter reason: String, at now: Instant) {
        abandon()
        if case .present(_, let found) = place { place = .lost(at: now, found: found) }
        duty.forget()
        silence = Silence()
        announce(.unsupported, reason)
        phase = .absent
        wait(until: now + Self.lookAgain)
    }

    private mutating func adopt(_ adapter: Adapter, at now: Instant) {
        switch place {
        case .present(let former, let found) where former.index == adapter.index && former.address == adapter.address:
            place = .present(adapter, found: found)
        case .lost(_, let found) where known == adapter.address:
            place = .present(adapter, found: found)
            attempts = 0
        default:
            place = .present(adapter, found: adapter.current)
            attempts = 0
        }
        known = adapter.address
        guard adapter.supported.contains(.lowEnergy) else {
            announce(.unsupported, "\(adapter.name) cannot do Low Energy")
            return pause(.seconds(30), at: now)
        }
        let isCycleDue = isCycleDue && adapter.current.contains(.powered)
        self.isCycleDue = false
        if isCycleDue { cycle(adapter, at: now) } else { prepare(at: now) }
    }

    /// Sets Low Energy and power to what the duty requires.
    mutating func prepare(at now: Instant) {
        guard let adapter else { return beginSearch(at: now) }
        abandon()
        phase = .preparing
        perform(.management(.readInformation, index: adapter.index), at: now)
    }

    mutating func prepared(_ outcome: Outcome, of step: Step, at now: Instant) {
        guard case .management(let command, let index) = step else { return fail(whyOff(outcome), at: now) }
        switch (command, outcome) {
        case (.setPowered(true), .refused(ManagementStatus.failed.rawValue)):
            return perform(.readRfkill(index: index), at: now)
        case (.readInformation, .done(let parameters)):
            guard let read = Adapter(index: index, information: parameters) else {
                return fail(.mute("the kernel's information about the adapter is incomplete"), at: now)
            }
            update(read)
        case (_, .done):
            if command == .setPowered(true) { switchedOnAt = now }
            // The response contains the current settings.
            if case .done(let parameters) = outcome, parameters.count >= 4 {
                update(AdapterSettings(rawValue: parameters.span.bytes.littleEndian(at: 0, as: UInt32.self)))
            }
        default:
            return fail(Self.trouble(outcome, of: command, on: adapter), at: now)
        }
        guard let adapter else { return }
        if !adapter.current.contains(.lowEnergy), command != .setLowEnergy(true) {
            perform(.management(.setLowEnergy(true), index: index), at: now)
        } else if adapter.current.contains(.powered) != duty.needsPower, command != .setPowered(duty.needsPower) {
            perform(.management(.setPowered(duty.needsPower), index: index), at: now)
        } else {
            phase = .beginning
            advance(duty.begin(on: adapter), at: now)
        }
    }

    private mutating func update(_ adapter: Adapter) {
        if case .present(_, let found) = place { place = .present(adapter, found: found) }
    }

    mutating func update(_ settings: AdapterSettings) {
        guard var adapter else { return }
        adapter.current = settings
        update(adapter)
    }

    /// Why an adapter did not switch on.
    private func whyOff(_ rfkill: Outcome) -> Trouble {
        if case .done([1]) = rfkill { return .poweredOff(Trouble.blocked) }
        // The adapter may already be starting: the kernel switches it off and on after a hardware error.
        return .busy("cannot switch \(adapter?.name ?? "the adapter") on: the kernel failed")
    }

    private static func trouble(_ outcome: Outcome, of command: ManagementCommand, on adapter: Adapter?) -> Trouble {
        let name = adapter?.name ?? "the adapter"
        switch command {
        case .setPowered(let on):
            let what = "switch \(name) \(on ? "on" : "off")"
            return switch Trouble(management: outcome, cannot: what) {
            // The adapter is off. Without permission to switch it on, this program waits for another one to do so.
            case .unauthorized(let reason) where on: .poweredOff("\(name) is off: \(reason)")
            case let trouble: trouble
            }
        case .setLowEnergy: return Trouble(management: outcome, cannot: "let \(name) use Low Energy")
        default: return Trouble(management: outcome, cannot: "read the state of \(name)")
        }
    }

    /// Handles power or Low Energy that another program switched off.
    mutating func powerLost(at now: Instant) {
        guard let adapter else { return }
        abandon()
        announce(.poweredOff, "\(adapter.name) was switched off")
        // If another program insists, switching on every ten seconds is enough.
        let patience = Interval.seconds(10)
        let since: Interval? = switchedOnAt.map { now - $0 }
        if let since, since < patience {
            pause(patience - since, at: now)
        } else {
            prepare(at: now)
        }
    }
}
