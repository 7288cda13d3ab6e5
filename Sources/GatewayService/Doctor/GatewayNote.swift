import Linux

/// What a running gateway leaves in the lock of its state folder for `doctor`: what the broker makes of the gateway.
enum GatewayNote: Equatable {
    /// The broker has not responded yet.
    case connecting
    /// The broker serves the gateway.
    case connected
    /// The broker does not serve the gateway, or not in everything, for this reason.
    case failing(String)

    init(problem: String?, isConnected: Bool) {
        self = problem.map { .failing($0) } ?? (isConnected ? .connected : .connecting)
    }

    /// The text in the lock.
    var text: String {
        switch self {
        case .connecting: ""
        case .connected: "connected"
        case .failing(let reason): "failing: \(reason)"
        }
    }

    /// Reads what the gateway that uses `folder` has left there. A gateway of an earlier version leaves nothing.
    init(in folder: StateFolder) {
        let text = StateLock.note(in: folder)
        let prefix = "failing: "
        self =
            text.hasPrefix(prefix)
            ? .failing(String(text.dropFirst(prefix.count))) : text == "connected" ? .connected : .connecting
    }
}
