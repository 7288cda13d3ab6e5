import Beacons

// The duty: beginning, holding, proving and ending it.
extension Recovery {
    mutating func advance(_ progress: Progress, at now: Instant) {
        switch progress {
        case .step(let step): perform(step, at: now)
        case .ready: if case .proving = phase { proven(at: now) } else { begun(at: now) }
        case .trouble(let trouble):
            // An advertisement that arrived during the proof is sufficient.
            if case .proving(isReceiving: true) = phase { return proven(at: now) }
            fail(trouble, at: now)
        }
    }

    private mutating func begun(at now: Instant) {
        hindrances = 0
        let choice = firstTrouble.map { "\(duty.description) (\($0.reason))" } ?? duty.description
        firstTrouble = nil
        hold(interruption.map { "\($0); restored: \(choice)" } ?? choice, at: now)
    }

    private mutating func hold(_ reason: String, at now: Instant) {
        phase = .holding(Holding(lastReceivedAt: now))
        silence.since = silence.since ?? now
        announce(.poweredOn, reason)
        interruption = nil
        if isProofPending { actions.append(.notify(.proven)) }
        isProofPending = false
    }

    private mutating func proven(at now: Instant) {
        phase = .holding(Holding(lastReceivedAt: now))
        attempts = 0
        actions.append(.notify(.proven))
        if let due = silence.remedyDue, due <= now { endSilence(at: now) }
    }

    /// Switches an adapter off and on that responds, but has received nothing for long: it may be deaf.
    ///
    /// This is not reported as a state. A quiet house would be `unknown` meanwhile, and its exits would be delayed.
    private mutating func endSilence(at now: Instant) {
        guard let adapter, let since = silence.since, duty.silence != nil else { return }
        silence.remedies += 1
        interruption = "nothing was received for \(Int((now - since).seconds)) s, though \(adapter.name) responds"
        guard duty.ownsController else {
            phase = .asking
            return perform(.management(.readConnections, index: adapter.index), at: now)
        }
        noteRestart(at: now)
        phase = .connecting
        wait(until: now + .seconds(1))
    }

    /// A connection, or a pairing, is not interrupted: the next silence that is long enough decides again. Every kernel in use knows the command. If
    /// one refuses it, the adapter is switched off and on.
    mutating func asked(_ outcome: Outcome, at now: Instant) {
        guard let adapter, let silence = interruption else { return }
        if case .done(let parameters) = outcome, parameters.prefix(2).contains(where: { $0 > 0 }) {
            return hold("\(duty.description) (\(silence); it is not restarted, because devices are connected)", at: now)
        }
        noteRestart(at: now)
        cycle(adapter, at: now)
    }

    private mutating func noteRestart(at now: Instant) {
        silence.restartedAt = now
        interruption = interruption.map { "\($0), so it was restarted" }
        abandon()
    }

    mutating func received(at now: Instant) {
        if state == .poweredOn { silence.end(at: now) }
        switch phase {
        case .holding(var holding):
            holding.lastReceivedAt = now
            phase = .holding(holding)
            attempts = 0
        case .proving: if now > lastProofAt { phase = .proving(isReceiving: true) }
        default: break
        }
    }

    mutating func beginProof(at now: Instant) {
        guard let adapter else { return }
        // The machine slept: proofs follow one another much faster. That was no silence of the adapter.
        if case .holding(let holding) = phase, now - holding.lastReceivedAt > .seconds(30) { silence.since = now }
        phase = .proving(isReceiving: false)
        lastProofAt = now
        advance(duty.prove(on: adapter), at: now)
    }

    mutating func prove(at now: Instant) {
        switch phase {
        case .holding: beginProof(at: now)
        // A proof is running and will report its result.
        case .proving: break
        // The duty is being restored; the proof is reported when it is running again.
        case _ where state == .poweredOn: isProofPending = true
        // The state was reported before, and is repeated on request.
        default: actions.append(.notify(.state(state, reason: reason)))
        }
    }

    mutating func handle(_ event: ManagementEvent, of index: UInt16, at now: Instant) {
        if case .reply(let opcode, let status, let parameters) = event {
            guard case .management(let command, index) = wait.step, command.opcode == opcode else { return }
            return finish(status == .success ? .done(parameters) : .refused(status.rawValue), at: now)
        }
        if event == .indexAdded, case .absent = phase { return beginSearch(at: now) }
        guard let adapter, adapter.index == index, !(duty.ownsController && confirmation != nil) else { return }
        switch event {
        case .indexRemoved: lose(adapter: "\(adapter.name) was unplugged", at: now)
        case .newSettings(let settings): settingsChanged(to: settings, at: now)
        default:
            guard let sentence = duty.isUndone(by: event) else { return }
            switch phase {
            // Another program may remove it again while it is restored.
            case .holding, .proving, .beginning:
                interruption = sentence
                phase = .beginning
                advance(duty.prove(on: adapter), at: now)
            default: break
            }
        }
    }

    private mutating func settingsChanged(to settings: AdapterSettings, at now: Instant) {
        update(settings)
        let isOn = settings.isSuperset(of: [.powered, .lowEnergy])
        switch phase {
        case .holding, .proving, .beginning: if duty.needsPower, !isOn { powerLost(at: now) }
        case .pausing: if isOn, duty.needsPower, state == .poweredOff { prepare(at: now) }
        default: break
        }
    }

    mutating func handle(_ event: ControllerEvent, at now: Instant) {
        switch event {
        case .reply(let opcode, let status, let parameters):
            confirm(opcode: opcode, status: status)
            if case .controller(let command) = wait.step, command.opcode == opcode {
                finish(status == 0 ? .done(parameters) : .refused(status), at: now)
            } else if wait.step == .confirmScan, let outcome = confirmation?.outcome {
                finish(outcome, at: now)
            } else if case .holding(var holding) = phase, duty.endangeredBy.contains(opcode), holding.proofDue == nil {
                // Another program's command may have ended the duty. It is restored at most every two seconds.
                holding.proofDue = max(now + .seconds(2), lastProofAt + duty.patience)
                phase = .holding(holding)
            }
        case .hardwareError(let code):
            // The kernel resets the controller itself and reports new settings, except on the user channel.
            if duty.ownsController { fail(.mute("hardware error \(hexadecimal(code))"), at: now) }
        }
    }

    mutating func controllerBroke(_ code: Int32, at now: Instant) {
        guard confirmation != nil else { return }
        switch wait.step {
        case .controller, .confirmScan: finish(.failed(code), at: now)
        default:
            abandon()
            if case .holding = phase { lose(adapter: "\(adapter?.name ?? "the adapter") was unplugged", at: now) }
        }
    }

    /// - Parameter keepsPower: whether another program needs the adapter to be on.
    mutating func end(keepsPower: Bool, at now: Instant) {
        let hadController = confirmation != nil
        var steps: [Step] = []
        if case .present(let adapter, let found) = place {
            steps = duty.end(on: adapter).filter { step in
                if case .controller = step { return hadController }
                return true
            }
            if !keepsPower { steps += restoration(of: adapter, to: found) }
        }
        if !hadController { steps.removeAll { $0 == .closeController } }
        performNext(of: steps[...], at: now)
    }

    private func restoration(of adapter: Adapter, to found: AdapterSettings) -> [Step] {
        var steps: [Step] = []
        let isPowered = duty.ownsController ? false : adapter.current.contains(.powered)
        if found.contains(.powered) != isPowered {
            if isPowered {
                steps.append(.management(.readMonitorFeatures, index: adapter.index))
                steps.append(.management(.readAdvertisingFeatures, index: adapter.index))
            }
            steps.append(.management(.setPowered(found.contains(.powered)), index: adapter.index))
        }
        if !found.contains(.lowEnergy), adapter.current.contains(.lowEnergy) {
            steps.append(.management(.setLowEnergy(false), index: adapter.index))
        }
        return steps
    }

    mutating func ended(_ outcome: Outcome, of step: Step, then remaining: ArraySlice<Step>, at now: Instant) {
        // A program that still scans or advertises needs the adapter in its current state.
        performNext(of: Self.isUsed(outcome, of: step) ? [] : remaining, at: now)
    }

    /// Whether the response lists monitors (their number is at 11) or advertisements (at 7) of other programs; this
    /// program's were removed before.
    private static func isUsed(_ outcome: Outcome, of step: Step) -> Bool {
        guard case .management(let command, _) = step, case .done(let parameters) = outcome else { return false }
        return switch command {
        case .readMonitorFeatures: parameters.count > 12 && (parameters[11] != 0 || parameters[12] != 0)
        case .readAdvertisingFeatures: parameters.count > 7 && parameters[7] != 0
        default: false
        }
    }

    private mutating func performNext(of steps: ArraySlice<Step>, at now: Instant) {
        guard let step = steps.first else { return finishEnding() }
        phase = .ending(steps.dropFirst())
        perform(step, at: now)
    }

    mutating func finishEnding() {
        phase = .stopped
        waitForNothing()
    }
}
