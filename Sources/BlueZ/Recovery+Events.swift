import Beacons

// The inputs, outputs and phases of the state machine.
extension Recovery {
    enum Event: Hashable, Sendable {
        /// The deadline has passed, or the machine must start.
        case due
        /// The outcome of a step without a response packet.
        case outcome(Outcome, of: Step)
        case management(ManagementEvent, index: UInt16)
        case controller(ControllerEvent)
        case received
        /// The socket to the kernel, or to the controller, is broken.
        case managementBroken
        case controllerBroken(Int32)
        /// The owner requests proof that the adapter is scanning.
        case prove
        /// The owner requests a restart.
        case restart
        /// The owner requests the end; the adapter's previous state is restored, but power stays on with `keepsPower`.
        case stop(keepsPower: Bool)
    }

    enum Action: Hashable, Sendable {
        case perform(Step)
        case notify(RadioNotice)
    }

    /// The phases, each with what exists only during it; the comment of the type shows their transitions.
    enum Phase: Sendable {
        /// Opening the socket to the kernel.
        case connecting
        case searching(AdapterSearch)
        /// The adapter does not exist; waiting for it.
        case absent
        /// Switching Low Energy and power.
        case preparing
        case beginning
        /// The duty is running.
        case holding(Holding)
        /// A proof is running; `isReceiving` is whether an advertisement was received since it began.
        case proving(isReceiving: Bool)
        /// Asking whether devices are connected, before power is switched off because of a silence.
        case asking
        /// Switching power off; preparing switches it on again.
        case cycling
        case resetting
        /// Waiting for the deadline to retry.
        case pausing
        /// Restoring the adapter's previous state with these steps, after the one that is running.
        case ending(ArraySlice<Step>)
        case stopped
    }

    /// What counts while the duty is running.
    struct Holding: Sendable {
        /// When an advertisement was received last, or the duty began.
        var lastReceivedAt: Instant
        /// When the duty must be proven even though advertisements are received.
        var proofDue: Instant?
    }

    /// For how long nothing was received, although the controller responds.
    struct Silence: Sendable {
        /// When an advertisement was received last, or the adapter began to scan; `nil` while it does not scan.
        var since: Instant?
        /// The place in `lengths` of the next silence at which the adapter is switched off and on.
        var remedies = 0
        /// When it was switched off and on in this silence.
        var restartedAt: Instant?
        /// The longest silence that ended by itself.
        private var longest = Interval.zero

        /// The lengths of a silence at which the adapter is switched off and on; then each six hours. They grow, because
        /// the house may just be quiet.
        private static let lengths = [Interval.seconds(100), .seconds(600), .seconds(3600)]

        /// An advertisement ends the silence. Long after a restart, it shows that the house was quiet, not that the adapter was deaf: from then on only a
        /// silence of twice that length counts.
        mutating func end(at now: Instant) {
            let isCured = restartedAt.map { now - $0 < .seconds(30) } ?? false
            if let since, !isCured { longest = max(longest, now - since) }
            (since, restartedAt) = (now, nil)
            remedies = Self.lengths.firstIndex { $0 >= longest * 2 } ?? Self.lengths.count
        }

        /// When to switch the adapter off and on next.
        var remedyDue: Instant? {
            let more = Double(remedies - Self.lengths.count + 1) * 21_600
            return since.map { $0 + (remedies < Self.lengths.count ? Self.lengths[remedies] : .seconds(more)) }
        }
    }

    /// What the machine waits for besides events.
    enum Wait: Sendable {
        case nothing
        /// The outcome of the step that is running.
        case step(Step, until: Instant)
        case pause(until: Instant)

        var step: Step? {
            if case .step(let step, _) = self { step } else { nil }
        }

        var deadline: Instant? {
            switch self {
            case .nothing: nil
            case .step(_, let limit), .pause(let limit): limit
            }
        }
    }

    /// Whether the adapter exists.
    enum Place: Sendable {
        case neverFound
        /// The adapter, and the settings with which it was found, which are restored at the end.
        case present(Adapter, found: AdapterSettings)
        /// The kernel registers an adapter switched off, so the settings with which it was found first count when it returns.
        case lost(at: Instant, found: AdapterSettings)
    }
}
