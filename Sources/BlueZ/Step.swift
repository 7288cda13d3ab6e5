import Beacons

/// One thing asked of the kernel or of the controller; each has one `Outcome`.
enum Step: Hashable, Sendable {
    /// A socket on the management channel, in place of the old one.
    case openManagement
    /// A command on the management channel, to the adapter numbered so.
    case management(ManagementCommand, index: UInt16)
    /// A socket to the controller, in place of the old one.
    case openController(ControllerChannel, index: UInt16)
    /// Closes it.
    case closeController
    /// A command to the controller itself.
    case controller(ControllerCommand)
    /// Waits until the controller was seen to take the kernel's order to scan, or at least to answer at all.
    case confirmScan
    /// Looks whether rfkill blocks the adapter: the kernel's answer to power on does not say. Done with one byte, 1 if it does.
    case readRfkill(index: UInt16)
    /// Has the kernel reset the controller, adapter and queues (HCIDEVRESET).
    case reset(index: UInt16)

    /// How long an answer may take; then the step has timed out.
    var limit: Interval {
        switch self {
        // Loads firmware on some, and the kernel itself waits 10 s for the first command.
        case .management(.setPowered, _), .reset: .seconds(15)
        // Several commands to the controller, each of which the kernel gives 2 s.
        case .management: .seconds(5)
        case .controller, .confirmScan, .openManagement, .openController, .closeController, .readRfkill:
            .seconds(2.5)
        }
    }
}

/// What a socket to the controller is for.
enum ControllerChannel: Hashable, Sendable {
    /// To ask whether it answers, and to see its answers to the kernel: needs no capability.
    case ask
    /// To scan beside the kernel (HCI_CHANNEL_RAW): needs CAP_NET_RAW.
    case raw
    /// To have it alone (HCI_CHANNEL_USER): needs CAP_NET_ADMIN, and the adapter switched off.
    case user
}

/// What came of a step.
enum Outcome: Hashable, Sendable {
    /// It is done; what the answer carries after its status.
    case done([UInt8])
    /// The kernel or the controller refused, with its status.
    case refused(UInt8)
    /// A call to the kernel failed, with its errno.
    case failed(Int32)
    /// Nothing came.
    case timedOut
}
