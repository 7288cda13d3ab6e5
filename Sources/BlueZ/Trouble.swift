import Glibc

/// Why an adapter does not do what it should, with a sentence for people; each kind has a remedy of its own.
enum Trouble: Hashable, Sendable {
    /// This interface cannot do it here: another may.
    case unsupported(String)
    /// This process may not do it: another interface may be allowed.
    case unauthorized(String)
    /// It is off, and stays off for now: asked again soon.
    case poweredOff(String)
    /// It went away: looked for again.
    case gone(String)
    /// Somebody else is at it: asked again in a moment.
    case busy(String)
    /// It does not answer, or refuses: shaken harder each time.
    case mute(String)

    var reason: String {
        switch self {
        case .unsupported(let reason), .unauthorized(let reason), .poweredOff(let reason), .gone(let reason),
            .busy(let reason), .mute(let reason):
            reason
        }
    }
}

extension Trouble {
    /// What an outcome that is not `done` means in general; `what` completes «cannot ...».
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
        case .timedOut: self = .mute("cannot \(what): no answer")
        case .refused(let status): self = .mute("cannot \(what): refused with \(hexadecimal(status))")
        }
    }

    /// The same for an answer on the management channel.
    init(management outcome: Outcome, cannot what: String) {
        guard case .refused(let code) = outcome else {
            self.init(outcome, cannot: what, needs: .networkAdministration)
            return
        }
        let status = ManagementStatus(rawValue: code)
        switch status {
        case .permissionDenied: self = .unauthorized("cannot \(what): \(Capability.networkAdministration.missing)")
        case .unknownCommand, .notSupported:
            self = .unsupported("cannot \(what): the kernel or the adapter is not able to")
        case .invalidIndex: self = .gone("the adapter is gone")
        case .notPowered: self = .poweredOff("the adapter is off")
        case .blockedByRfkill: self = .poweredOff(Self.blocked)
        case .busy: self = .busy("cannot \(what): the kernel is busy")
        default: self = .mute("cannot \(what): \(status)")
        }
    }

    static let blocked = "the adapter is blocked by rfkill: `rfkill unblock bluetooth`, or its switch"
}
