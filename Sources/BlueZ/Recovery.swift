import Beacons

/// Keeps an adapter at its duty, whatever happens to it: a state machine without socket or clock.
///
/// It is told what happened and when, and answers with what to do; it wants to be called again at `nextDeadline` even if nothing happens. One
/// `Step` is under way at most. Its phases:
///
///     connecting -> searching -> preparing -> beginning -> holding <-> proving
///                       ^            ^                         |          |
///                     absent       pausing <----- ladder <-----+----------+
///
/// A duty that does not answer is shaken harder each time: power off and on, reset, all sockets anew; then again, after longer pauses.
struct Recovery: Sendable {
    // What it was told to do.
    let name: BlueZOptions.AdapterName
    let candidates: [any Duty]

    // Where it stands.
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
    /// What the adapter did when it was found, which is how it is left.
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

    // What went wrong.
    var attempts = 0
    var hindrances = 0
    /// Why the first of the candidates that were tried could not.
    var firstTrouble: Trouble?
    /// Why the first candidate is not the one that is used; `nil` while it is.
    var fallback: String?

    /// Looks for the adapter named `name` and tries `candidates` in their order, of which there is at least one.
    init(name: BlueZOptions.AdapterName, candidates: [any Duty]) {
        precondition(!candidates.isEmpty, "an adapter without a duty")
        self.name = name
        self.candidates = candidates
        duty = candidates[0]
        search = AdapterSearch(for: name, known: nil, acceptsOther: true)
    }

    /// When it wants to be called at the latest.
    var nextDeadline: Instant? {
        guard phase == .holding else { return deadline }
        let silent = duty.silence.map { lastHeard + $0 }
        guard let proofDue else { return silent }
        return min(silent ?? proofDue, proofDue)
    }

    /// Takes in what happened at `now`, and says what to do about it, in order.
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

    /// While it ends, nothing begins any more.
    private mutating func takeLast(_ event: Event, at now: Instant) {
        switch event {
        case .due, .outcome, .management(.reply, _), .controller(.reply): take(event, at: now)
        case .managementBroken, .controllerBroken: finishEnding()
        default: break
        }
    }

    // MARK: steps

    /// Asks for `step`, and for an answer within its limit.
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

    /// Nothing is awaited any more, and the socket to the controller is closed.
    mutating func abandon() {
        awaited = nil
        proofDue = nil
        if hasController {
            hasController = false
            actions.append(.perform(.closeController))
        }
    }

    /// Says what the radio is; what it said last is not said again, but that it is at its duty again is.
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
            // The controller answered, though it was not seen to take an order: somebody's discovery is scanning already.
            let answered = awaited == .confirmScan && confirmation.isAnswered
            finish(answered ? .done([]) : .timedOut, at: now)
        }
    }
}
