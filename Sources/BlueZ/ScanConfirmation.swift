/// Confirms the scan from the controller's responses to the kernel, which every raw socket receives.
struct ScanConfirmation: Hashable, Sendable {
    /// Whether the controller has responded since the socket was opened.
    private(set) var hasResponded = false
    private var hasParameters = false
    private var enabled: UInt8?

    mutating func note(opcode: UInt16, status: UInt8) {
        hasResponded = true
        switch opcode {
        case 0x200B, 0x2041:
            // Parameters are set before the scan is enabled and after it was disabled.
            hasParameters = status == 0
            enabled = status == 0 ? nil : status
        case 0x200C, 0x2042: if hasParameters { enabled = status }
        default: break
        }
    }

    /// The outcome of the kernel's command to scan; `nil` if there was none yet.
    var outcome: Outcome? {
        switch enabled {
        case nil: nil
        case 0: .done([])
        case let status?: .refused(status)
        }
    }
}
