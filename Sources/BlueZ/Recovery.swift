import Beacons
import HCI

/// Keeps an adapter at its duty through all failures: a state machine without sockets and clocks.
///
/// `handle` takes an event and its time, and returns actions. The owner calls it again at `nextDeadline` even without
/// an event. At most one `Step` is running. The phases:
///
///     connecting -> searching -> preparing -> beginning -> holding <-> proving
///                       ^            ^                         |          |
///                     absent       pausing <----- ladder <-----+----------+
///
/// If a duty does not respond, the remedies become harder each time: power off and on, reset, new sockets. Then they
/// repeat after longer pauses. If it responds, but receives nothing, the remedy is power off and on, at growing distances.
struct Recovery: Sendable {
    // The configuration.
    let name: AdapterName
    let candidates: [any Duty]

    // The current phase, what it waits for, and what the owner reports of it.
    var phase = Phase.connecting
    private(set) var wait = Wait.pause(until: .zero)
    var actions: [Action] = []
    private(set) var state = RadioState.unknown
    private(set) var reason = "starting"

    // The adapter.
    var place = Place.neverFound
    /// The address of the adapter that was found last.
    var known: DeviceAddress?

    // The duty.
    var current = 0
    var duty: any Duty
    /// What the controller's responses confirm; `nil` while the socket to the controller is closed.
    private(set) var confirmation: ScanConfirmation?
    var lastProofAt = Instant.zero
    var switchedOnAt: Instant?
    /// What interrupted the duty, until the duty runs again.
    var interruption: String?
    var isProofPending = false
    var silence = Silence()
    /// Whether the adapter is to be switched off and on once it is found.
    var isCycleDue = false

    // The failures so far.
    var attempts = 0
    var hindrances = 0
    /// Why the first of the failed candidates could not run.
    var firstTrouble: Trouble?

    /// Creates a state machine for the adapter `name` that tries `candidates` in order; there must be at least one.
    init(name: AdapterName, candidates: [any Duty]) {
        precondition(!candidates.isEmpty, "an adapter without a duty")
        self.name = name
        self.candidates = candidates
        duty = candidates[0]
    }

    var adapter: Adapter? {
        if case .present(let adapter, _) = place { adapter } else { nil }
    }

    /// Whether the machine has ended; it handles no event any more.
    var isStopped: Bool {
        if case .stopped = phase { true } else { false }
    }

    /// When to call `handle` even without an event.
    var nextDeadline: Instant? {
        guard case .holding(let holding) = phase else { return wait.deadline }
        return [duty.silence.map { holding.lastReceivedAt + $0 }, holding.proofDue].compactMap { $0 }.min()
    }

    mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch phase {
        case .stopped: break
        case .ending: handleLast(event, at: now)
        default: dispatch(event, at: now)
        }
        defer { actions.removeAll(keepingCapacity: true) }
        return actions
    }

    private mutating func dispatch(_ event: Event, at now: Instant) {
        switch event {
        case .due:
            if let deadline = nextDeadline, deadline <= now { due(at: now) }
        case .outcome(let outcome, let step): if wait.step == step { finish(outcome, at: now) }
        case .management(let event, let index): handle(event, of: index, at: now)
        case .controller(let event): handle(event, at: now)
        case .received: received(at: now)
        case .managementBroken:
            reconnect(after: .seconds(1), because: "the kernel closed the management socket", at: now)
        case .controllerBroken(let code): controllerBroke(code, at: now)
        case .prove: prove(at: now)
        case .restart: restart(at: now)
        case .stop(let keepsPower): end(keepsPower: keepsPower, at: now)
        }
    }

    /// Handles events during the end, when nothing is started any more.
    private mutating func handleLast(_ event: Event, at now: Instant) {
        switch event {
        case .due, .outcome, .management(.reply, _), .controller(.reply): dispatch(event, at: now)
        case .managementBroken, .controllerBroken: finishEnding()
        default: break
        }
    }

    // MARK: Steps

    /// Starts `step` with its time limit.
    mutating func perform(_ step: Step, at now: Instant) {
        wait = .step(step, until: now + step.limit)
        switch step {
        case .openController: confirmation = ScanConfirmation()
        case .closeController: confirmation = nil
        case .confirmScan: if confirmation?.outcome == .done([]) { return finish(.done([]), at: now) }
        default: break
        }
        actions.append(.perform(step))
    }

    /// Lets nothing happen until `instant`.
    mutating func wait(until instant: Instant) { wait = .pause(until: instant) }

    mutating func waitForNothing() { wait = .nothing }

    /// Cancels the running step and closes the socket to the controller.
    mutating func abandon() {
        if case .step(_, let limit) = wait { wait = .pause(until: limit) }
        if case .holding(var holding) = phase {
            holding.proofDue = nil
            phase = .holding(holding)
        }
        closeController()
    }

    private mutating func closeController() {
        guard confirmation != nil else { return }
        confirmation = nil
        actions.append(.perform(.closeController))
    }

    mutating func confirm(opcode: UInt16, status: UInt8) { confirmation?.note(opcode: opcode, status: status) }

    /// Reports the state of the radio. An equal state is not reported twice, except when the duty is running again.
    mutating func announce(_ state: RadioState, _ reason: String) {
        if state != .poweredOn { silence.since = nil }
        guard state == .poweredOn || state != self.state || reason != self.reason else { return }
        self.state = state
        self.reason = reason
        actions.append(.notify(.state(state, reason: reason)))
    }

    mutating func finish(_ outcome: Outcome, at now: Instant) {
        guard let step = wait.step else { return }
        wait = .nothing
        switch phase {
        case .connecting: connected(outcome, at: now)
        case .searching(let search): searched(search, outcome, of: step, at: now)
        case .preparing: prepared(outcome, of: step, at: now)
        case .beginning, .proving:
            guard let adapter else { return }
            advance(duty.proceed(outcome, on: adapter), at: now)
        case .asking: asked(outcome, at: now)
        case .cycling, .resetting: prepare(at: now)
        case .ending(let remaining): ended(outcome, of: step, then: remaining, at: now)
        case .absent, .holding, .pausing, .stopped: break
        }
    }

    private mutating func due(at now: Instant) {
        switch (phase, wait) {
        case (.holding, _): beginProof(at: now)
        case (.connecting, .pause), (.connecting, .nothing): perform(.openManagement, at: now)
        case (_, .pause), (_, .nothing): beginSearch(at: now)
        case (_, .step(let step, _)):
            // The controller responded, but took no command: a discovery by another program is already scanning.
            let hasResponded = step == .confirmScan && confirmation?.hasResponded == true
            finish(hasResponded ? .done([]) : .timedOut, at: now)
        }
    }

    // MARK: The remedies for trouble, gentlest first

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
        let rungs = duty.mayResetAdapter ? 4 : 1
        let (round, rung) = attempts.quotientAndRemainder(dividingBy: rungs)
        attempts += 1
        switch rung + 4 - rungs {
        case 0 where !duty.ownsController:
            announce(.resetting, "\(reason); switching \(adapter.name) off and on")
            cycle(adapter, at: now)
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

    /// Switches `adapter` off; then it is prepared again.
    mutating func cycle(_ adapter: Adapter, at now: Instant) {
        phase = .cycling
        perform(.management(.setPowered(false), index: adapter.index), at: now)
    }

    mutating func restart(at now: Instant) {
        abandon()
        use(0)
        attempts = 0
        hindrances = 0
        firstTrouble = nil
        silence = Silence()
        // The duty of the user channel begins with a reset anyway.
        isCycleDue = duty.mayResetAdapter && !duty.ownsController
        // The adapter is still followed by its address. A user who replaced it wants the new one, so there is no wait
        // for the old one.
        if case .lost(_, let found) = place { place = .lost(at: now - Self.grace, found: found) }
        reconnect(after: .zero, as: .resetting, because: "restarted on request", at: now)
    }

    mutating func pause(_ length: Interval, at now: Instant) {
        phase = .pausing
        wait(until: now + length)
    }
}
