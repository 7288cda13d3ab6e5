import Beacons

// The inputs, outputs and phases of the state machine.
extension Recovery {
    /// An input of the state machine.
    enum Event: Hashable, Sendable {
        /// The deadline has passed, or the machine must start.
        case due
        /// The outcome of a step without a response packet.
        case outcome(Outcome, of: Step)
        /// An event on the management channel.
        case management(ManagementEvent, index: UInt16)
        /// An event of the controller.
        case controller(ControllerEvent)
        /// An advertisement was received.
        case heard
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

    /// An output of the state machine.
    enum Action: Hashable, Sendable {
        case perform(Step)
        case notify(RadioNotice)
    }

    /// The phases; the comment of the type shows their transitions.
    enum Phase: Hashable, Sendable {
        /// Opening the socket to the kernel.
        case connecting
        case searching
        /// The adapter does not exist; waiting for it.
        case absent
        /// Switching Low Energy and power.
        case preparing
        case beginning
        /// The duty is running.
        case holding
        case proving
        /// Switching power off; preparing switches it on again.
        case cycling
        case resetting
        /// Waiting for the deadline to retry.
        case pausing
        /// Restoring the adapter's previous state.
        case ending
        case stopped
    }
}
