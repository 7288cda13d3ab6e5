import Beacons

/// One request to the kernel or to the controller; each has one `Outcome`.
enum Step: Hashable, Sendable {
    /// Opens a socket on the management channel in place of the old one.
    case openManagement
    /// Sends a command on the management channel to the adapter with this number.
    case management(ManagementCommand, index: UInt16)
    /// Opens a socket to the controller in place of the old one.
    case openController(ControllerChannel, index: UInt16)
    case closeController
    case controller(ControllerCommand)
    /// Waits until the controller accepts the kernel's command to scan, or at least responds.
    case confirmScan
    /// Reads whether rfkill blocks the adapter, which the response to power on does not contain. The outcome is one
    /// byte, 1 if blocked.
    case readRfkill(index: UInt16)
    /// Lets the kernel reset the controller, adapter and queues (HCIDEVRESET).
    case reset(index: UInt16)

    /// The time limit of the step, after which it has timed out.
    var limit: Interval {
        switch self {
        // Some controllers load firmware here, and the kernel itself waits 10 s for the first command.
        case .management(.setPowered, _), .reset: .seconds(15)
        // The kernel sends several commands to the controller, each with a limit of 2 s.
        case .management: .seconds(5)
        case .controller, .confirmScan, .openManagement, .openController, .closeController, .readRfkill:
            .seconds(2.5)
        }
    }
}

/// The purpose of a socket to the controller.
enum ControllerChannel: Hashable, Sendable {
    /// Testing whether the controller responds, and observing its responses to the kernel; needs no capability.
    case ask
    /// Scanning beside the kernel (HCI_CHANNEL_RAW); needs CAP_NET_RAW.
    case raw
    /// Exclusive use (HCI_CHANNEL_USER); needs CAP_NET_ADMIN and an adapter that is off.
    case user
}

enum Outcome: Hashable, Sendable {
    /// The step succeeded; the bytes of the response follow its status.
    case done([UInt8])
    /// The kernel or the controller refused with this status.
    case refused(UInt8)
    /// A system call failed with this errno.
    case failed(Int32)
    /// No response came within the limit.
    case timedOut
}
