import Beacons

// What goes in, what comes out, and what lies between.
extension Recovery {
    /// What happened.
    enum Event: Hashable, Sendable {
        /// The deadline has passed, or it shall begin.
        case due
        /// What came of a step that no packet answers.
        case outcome(Outcome, of: Step)
        /// The kernel said something.
        case management(ManagementEvent, index: UInt16)
        /// The controller did.
        case controller(ControllerEvent)
        /// An advertisement came.
        case heard
        /// The socket to the kernel, or to the controller, is no more.
        case managementBroken
        case controllerBroken(Int32)
        /// Somebody wants to know whether it is listening.
        case prove
        /// Somebody wants it to begin again.
        case restart
        /// It is to leave the adapter as it was; but on, where somebody else wants it to be.
        case stop(keepsPower: Bool)
    }

    /// What to do.
    enum Action: Hashable, Sendable {
        case perform(Step)
        case notify(RadioNotice)
    }

    /// Where it stands; the type's comment has them drawn.
    enum Phase: Hashable, Sendable {
        /// Opening the socket to the kernel.
        case connecting
        case searching
        /// No such adapter: waits until one comes.
        case absent
        /// Low Energy, and power.
        case preparing
        case beginning
        /// At its duty.
        case holding
        case proving
        /// Switching off, and then on by preparing.
        case cycling
        case resetting
        /// Tries again at the deadline.
        case pausing
        /// Leaving the adapter as it was.
        case ending
        case stopped
    }
}
