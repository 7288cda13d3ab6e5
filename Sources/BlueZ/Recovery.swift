import Beacons

/// Keeps an adapter at its duty through all failures: a state machine without sockets and clocks.
///
/// `handle` takes an event and its time, and returns actions. The owner calls it again at `nextDeadline` even without
/// an event. At most one `Step` is running. The phases:
/// `Step` is under way at most. Its phases:
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

    // The current phase.
    var phase = Phase.connecting
    var awaited: Step?
    var deadline: Instant? = .zero
    var actions: [Action] = []
    private(set) var state = RadioState.unknown
    private(set) var reason = "starting"

    // The adapter.
    var adapter: Adapter?
    var known: DeviceAddress?
    var lostAt: Instant?
    /// The adapter's settings when it was found, which are restored at the end.
    var found: AdapterSettings?
    var search: AdapterSearch

    // The duty.
    var current = 0
    var duty: any Duty
    var hasController = false
    var confirmation = ScanConfirmation()
    var lastHeard = Instant.zero
    var proofDue: Instant?
    var proofBegan = Instant.zero
    var switchedOnAt: Instant?
    var undoneBecause: String?
    var isProofOwed = false
    var endings: [Step] = []

    // The failures so far.
    var attempts = 0
    var hindrances = 0
    /// Why the first of the failed candidates could not run.
    var firstTrouble: Trouble?
    /// Why the first candidate is not in use; `nil` if it is.
    var fallback: String?

    /// Creates a state machine for the adapter `name` that tries `candidates` in order; there must be at least one.
    init(name: BlueZOptions.AdapterName, candidates: [any Duty]) {
        precondition(!candidates.isEmpty, "an adapter without a duty")
        self.name = name
        self.candidates = candidates
        duty = candidates[0]
        search = AdapterSearch(for: name, known: nil, acceptsOther: true)
    }

    /// When to call `handle` even without an event.
    var nextDeadline: Instant? {
        guard phase == .holding else { return deadline }
        let silent = duty.silence.map { lastHeard + $0 }
        guard let proofDue else { return silent }
        return min(silent ?? proofDue, proofDue)
    }

    /// Handles an event at time `now`; returns the actions in order.
    mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch phase {
        case .stopped: break
        case .ending: takeLast(event, at: now)
        default: take(event, at: now)
        }
        defer { actions.removeAll(keepingCapacity: true) }
        return actions
    }

    private mutating func take(_ event: Event, at now: Instant) {
        switch event {
        case .due:
            if let deadline = nextDeadline, deadline <= now { due(at: now) }
        case .outcome(let outcome, let step): if awaited == step { finish(outcome, at: now) }
        case .management(let event, let index): take(event, of: index, at: now)
        case .controller(let event): take(event, at: now)
        case .heard:
            lastHeard = now
            if phase == .holding { attempts = 0 }
        case .managementBroken:
            reconnect(after: .seconds(1), because: "the kernel closed the management socket", at: now)
        case .controllerBroken(let code): controllerBroke(code, at: now)
        case .prove: prove(at: now)
        case .restart: restart(at: now)
        case .stop(let keepsPower): end(keepsPower: keepsPower, at: now)
        }
    }

    /// Handles events during the end, when nothing is started any more.
    private mutating func takeLast(_ event: Event, at now: Instant) {
        switch event {
        case .due, .outcome, .management(.reply, _), .controller(.reply): take(event, at: now)
        case .managementBroken, .controllerBroken: finishEnding()
        default: break
        }
    }

    // MARK: Steps

    /// Starts `step` with its time limit.
    mutating func perform(_ step: Step, at now: Instant) {
        awaited = step
        deadline = now + step.limit
        switch step {
        case .openController:
            hasController = true
            confirmation = ScanConfirmation()
        case .closeController: hasController = false
        case .confirmScan: if confirmation.outcome == .done([]) { return finish(.done([]), at: now) }
        default: break
        }
        actions.append(.perform(step))
    }

    /// Cancels the running step and closes the socket to the controller.
    mutating func abandon() {
        awaited = nil
        proofDue = nil
        if hasController {
            hasController = false
            actions.append(.perform(.closeController))
        }
    }

    /// Reports the state of the radio. An equal state is not reported twice, except when the duty is running again.
    mutating func announce(_ state: RadioState, _ reason: String) {
        guard state == .poweredOn || state != self.state || reason != self.reason else { return }
        self.state = state
        self.reason = reason
        actions.append(.notify(.state(state, reason: reason)))
    }

    mutating func finish(_ outcome: Outcome, at now: Instant) {
        guard let step = awaited else { return }
        awaited = nil
        switch phase {
        case .connecting: connected(outcome, at: now)
        case .searching: searched(outcome, of: step, at: now)
        case .preparing: prepared(outcome, of: step, at: now)
        case .beginning, .proving:
            guard let adapter else { return }
            advance(duty.proceed(outcome, on: adapter), at: now)
        case .cycling, .resetting: prepare(at: now)
        case .ending: ended(outcome, of: step, at: now)
        case .absent, .holding, .pausing, .stopped: break
        }
    }

    private mutating func due(at now: Instant) {
        switch phase {
        case .holding: beginProof(at: now)
        case .absent, .pausing: beginSearch(at: now)
        case .connecting where awaited == nil: perform(.openManagement, at: now)
        default:
            guard awaited != nil else { return beginSearch(at: now) }
            // The controller responded, but took no command: a discovery by another program is already scanning.
            let answered = awaited == .confirmScan && confirmation.isAnswered
            finish(answered ? .done([]) : .timedOut, at: now)
        }
    }
}
