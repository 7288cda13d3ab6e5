import Beacons

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
/// repeat after longer pauses.
struct Recovery: Sendable {
    // The configuration.
    let name: BlueZOptions.AdapterName
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

    // The failures so far.
    var attempts = 0
    var hindrances = 0
    /// Why the first of the failed candidates could not run.
    var firstTrouble: Trouble?

    /// Creates a state machine for the adapter `name` that tries `candidates` in order; there must be at least one.
    init(name: BlueZOptions.AdapterName, candidates: [any Duty]) {
        precondition(!candidates.isEmpty, "an adapter without a duty")
        self.name = name
        self.candidates = candidates
        duty = candidates[0]
    }

    /// The adapter, while it exists.
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

    /// Handles an event at time `now`; returns the actions in order.
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

    /// Waits for nothing any more.
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

    /// Closes the socket to the controller.
    private mutating func closeController() {
        guard confirmation != nil else { return }
        confirmation = nil
        actions.append(.perform(.closeController))
    }

    /// Records a response of the controller.
    mutating func confirm(opcode: UInt16, status: UInt8) { confirmation?.note(opcode: opcode, status: status) }

    /// Reports the state of the radio. An equal state is not reported twice, except when the duty is running again.
    mutating func announce(_ state: RadioState, _ reason: String) {
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
}
