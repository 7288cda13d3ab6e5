import Glibc

/// Why an adapter cannot do its duty, with a sentence for users. Each kind has its own remedy.
enum Trouble: Hashable, Sendable {
    /// This interface does not work here; another one may.
    case unsupported(String)
    /// This process has no permission; another interface may be allowed.
    case unauthorized(String)
    /// The adapter stays off for now; retried soon.
    case poweredOff(String)
    /// The adapter is gone; searched for again.
    case gone(String)
    /// Another program uses the adapter; retried after a moment.
    case busy(String)
    /// The adapter does not respond or refuses; the remedies become harder each time.
    case mute(String)

    var reason: String {
        switch self {
        case .unsupported(let reason), .unauthorized(let reason), .poweredOff(let reason), .gone(let reason),
            .busy(let reason), .mute(let reason):
            reason
        }
    }

    /// The general trouble of an outcome that is not `done`; `what` completes "cannot ...".
    init(_ outcome: Outcome, cannot what: String, needs capability: Capability) {
        switch outcome {
        case .done: preconditionFailure("a step that is done is no trouble")
        case .failed(EPERM), .failed(EACCES): self = .unauthorized("cannot \(what): \(capability.missing)")
        case .failed(ENODEV), .failed(EPIPE), .failed(ENXIO): self = .gone("the adapter is gone")
        case .failed(ENETDOWN): self = .poweredOff("the adapter is off")
        case .failed(ERFKILL): self = .poweredOff(Self.blocked)
        case .failed(EBUSY): self = .busy("cannot \(what): another program uses the adapter")
        case .failed(EAFNOSUPPORT), .failed(EPROTONOSUPPORT):
            self = .unsupported("cannot \(what): the kernel has no Bluetooth here (is the module bluetooth loaded?)")
        case .failed(let code): self = .mute("cannot \(what): \(String(cString: strerror(code)))")
        case .timedOut: self = .mute("cannot \(what): no response")
        case .refused(let status): self = .mute("cannot \(what): refused with \(hexadecimal(status))")
        }
    }

    /// The trouble of an outcome on the management channel.
    init(management outcome: Outcome, cannot what: String) {
        guard case .refused(let code) = outcome else {
            self.init(outcome, cannot: what, needs: .networkAdministration)
            return
        }
        let status = ManagementStatus(rawValue: code)
        switch status {
        case .permissionDenied: self = .unauthorized("cannot \(what): \(Capability.networkAdministration.missing)")
        case .unknownCommand, .notSupported:
            self = .unsupported("cannot \(what): the kernel or the adapter does not support it")
        case .invalidIndex: self = .gone("the adapter is gone")
        case .notPowered: self = .poweredOff("the adapter is off")
        case .blockedByRfkill: self = .poweredOff(Self.blocked)
        case .busy: self = .busy("cannot \(what): the kernel is busy")
        default: self = .mute("cannot \(what): \(status)")
        }
    }

    static let blocked = "the adapter is blocked by rfkill: `rfkill unblock bluetooth`, or its switch"
}
