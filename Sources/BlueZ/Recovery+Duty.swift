import Beacons

// The duty: beginning, holding, proving and ending it.
extension Recovery {
    mutating func advance(_ progress: Progress, at now: Instant) {
        switch progress {
        case .step(let step): perform(step, at: now)
        case .ready: phase == .proving ? proven(at: now) : begun(at: now)
        case .trouble(let trouble):
            // An advertisement that arrived during the proof is sufficient.
            if phase == .proving && lastHeard > proofBegan { return proven(at: now) }
            fail(trouble, at: now)
        }
    }

    private mutating func begun(at now: Instant) {
        phase = .holding
        lastHeard = now
        proofDue = nil
        hindrances = 0
        fallback = firstTrouble?.reason
        firstTrouble = nil
        let choice = fallback.map { "\(duty.description) (\($0))" } ?? duty.description
        announce(.poweredOn, undoneBecause.map { "\($0); restored: \(choice)" } ?? choice)
        undoneBecause = nil
        if isProofOwed { actions.append(.notify(.proven)) }
        isProofOwed = false
    }

    private mutating func proven(at now: Instant) {
        phase = .holding
        lastHeard = now
        attempts = 0
        actions.append(.notify(.proven))
    }

    mutating func beginProof(at now: Instant) {
        guard let adapter else { return }
        phase = .proving
        proofDue = nil
        proofBegan = now
        advance(duty.prove(on: adapter), at: now)
    }

    mutating func prove(at now: Instant) {
        switch phase {
        case .holding: beginProof(at: now)
        // A proof is running and will report its result.
        case .proving: break
        // The duty is being restored; the proof is reported when it is running again.
        case _ where state == .poweredOn: isProofOwed = true
        // The state was reported before, and is repeated on request.
        default: actions.append(.notify(.state(state, reason: reason)))
        }
    }

    mutating func take(_ event: ManagementEvent, of index: UInt16, at now: Instant) {
        if case .reply(let opcode, let status, let parameters) = event {
            guard case .management(let command, index) = awaited, command.opcode == opcode else { return }
            return finish(status == .success ? .done(parameters) : .refused(status.rawValue), at: now)
        }
        if event == .indexAdded, adapter == nil, phase == .absent { return beginSearch(at: now) }
        guard let adapter, adapter.index == index, !(duty.ownsController && hasController) else { return }
        switch event {
        case .indexRemoved: lose(adapter: "\(adapter.name) was unplugged", at: now)
        case .newSettings(let settings): settingsChanged(to: settings, at: now)
        default:
            guard let sentence = duty.isUndone(by: event), phase == .holding || phase == .proving else { return }
            undoneBecause = sentence
            phase = .beginning
            advance(duty.prove(on: adapter), at: now)
        }
    }

    private mutating func settingsChanged(to settings: AdapterSettings, at now: Instant) {
        adapter?.current = settings
        let isOn = settings.isSuperset(of: [.powered, .lowEnergy])
        switch phase {
        case .holding, .proving, .beginning: if duty.needsPower, !isOn { powerLost(at: now) }
        case .pausing: if isOn, duty.needsPower, state == .poweredOff { prepare(at: now) }
        default: break
        }
    }

    mutating func take(_ event: ControllerEvent, at now: Instant) {
        switch event {
        case .reply(let opcode, let status, let parameters):
            confirmation.take(opcode: opcode, status: status)
            if case .controller(let command) = awaited, command.opcode == opcode {
                finish(status == 0 ? .done(parameters) : .refused(status), at: now)
            } else if awaited == .confirmScan, let outcome = confirmation.outcome {
                finish(outcome, at: now)
            } else if phase == .holding, duty.endangeredBy.contains(opcode) {
                // Another program's command may have ended the duty. It is restored at most every two seconds.
                proofDue = proofDue ?? max(now + .seconds(2), proofBegan + duty.patience)
            }
        case .hardwareError(let code):
            // The kernel resets the controller itself and reports new settings, except on the user channel.
            if duty.ownsController { fail(.mute("hardware error \(hexadecimal(code))"), at: now) }
        }
    }

    mutating func controllerBroke(_ code: Int32, at now: Instant) {
        guard hasController else { return }
        switch awaited {
        case .controller, .confirmScan: finish(.failed(code), at: now)
        default:
            abandon()
            if phase == .holding { lose(adapter: "\(adapter?.name ?? "the adapter") was unplugged", at: now) }
        }
    }

    /// - Parameter keepsPower: whether another program needs the adapter to be on.
    mutating func end(keepsPower: Bool, at now: Instant) {
        let hadController = hasController
        awaited = nil
        endings = []
        if let adapter {
            endings = duty.end(on: adapter).filter { step in
                if case .controller = step { return hadController }
                return true
            }
            if !keepsPower { restoreSettings(of: adapter) }
        }
        if !hadController { endings.removeAll { $0 == .closeController } }
        phase = .ending
        endNext(at: now)
    }

    private mutating func restoreSettings(of adapter: Adapter) {
        guard let found else { return }
        let isPowered = duty.ownsController ? false : adapter.current.contains(.powered)
        if found.contains(.powered) != isPowered {
            if isPowered {
                endings.append(.management(.readMonitorFeatures, index: adapter.index))
                endings.append(.management(.readAdvertisingFeatures, index: adapter.index))
            }
            endings.append(.management(.setPowered(found.contains(.powered)), index: adapter.index))
        }
        if !found.contains(.lowEnergy), adapter.current.contains(.lowEnergy) {
            endings.append(.management(.setLowEnergy(false), index: adapter.index))
        }
    }

    mutating func ended(_ outcome: Outcome, of step: Step, at now: Instant) {
        // A program that still scans or advertises needs the adapter in its current state.
        if Self.isUsed(outcome, of: step) { endings = [] }
        endNext(at: now)
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

    private mutating func endNext(at now: Instant) {
        if endings.isEmpty { finishEnding() } else { perform(endings.removeFirst(), at: now) }
    }

    mutating func finishEnding() {
        phase = .stopped
        deadline = nil
    }
}
