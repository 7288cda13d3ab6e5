/// The kernel's status of a management command (mgmt-api.txt, the table of status codes).
struct ManagementStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    var rawValue: UInt8

    static let success = ManagementStatus(rawValue: 0x00)
    static let unknownCommand = ManagementStatus(rawValue: 0x01)
    static let failed = ManagementStatus(rawValue: 0x03)
    static let busy = ManagementStatus(rawValue: 0x0A)
    static let noResources = ManagementStatus(rawValue: 0x07)
    static let rejected = ManagementStatus(rawValue: 0x0B)
    static let notSupported = ManagementStatus(rawValue: 0x0C)
    static let invalidParameters = ManagementStatus(rawValue: 0x0D)
    static let notPowered = ManagementStatus(rawValue: 0x0F)
    static let invalidIndex = ManagementStatus(rawValue: 0x11)
    static let blockedByRfkill = ManagementStatus(rawValue: 0x12)
    static let permissionDenied = ManagementStatus(rawValue: 0x14)

    /// The kernel's name of the status, or its number.
    var description: String {
        switch self {
        case .success: "success"
        case .unknownCommand: "unknown command"
        case .failed: "failed"
        case .noResources: "no resources"
        case .busy: "busy"
        case .rejected: "rejected"
        case .notSupported: "not supported"
        case .invalidParameters: "invalid parameters"
        case .notPowered: "not powered"
        case .invalidIndex: "no such adapter"
        case .blockedByRfkill: "blocked by rfkill"
        case .permissionDenied: "permission denied"
        default: "status \(hexadecimal(rawValue))"
        }
    }
}
