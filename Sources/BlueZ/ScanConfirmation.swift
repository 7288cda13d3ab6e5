/// What the controller's answers to the kernel say about its scan: they pass by on every raw socket.
struct ScanConfirmation: Hashable, Sendable {
    /// It answered something since the socket was opened.
    private(set) var isAnswered = false
    private var hasParameters = false
    private var enabled: UInt8?

    /// Takes in one answer.
    mutating func take(opcode: UInt16, status: UInt8) {
        isAnswered = true
        switch opcode {
        case 0x200B, 0x2041:
            // Parameters come before the scan is enabled, and after it was disabled.
            hasParameters = status == 0
            enabled = status == 0 ? nil : status
        case 0x200C, 0x2042: if hasParameters { enabled = status }
        default: break
        }
    }

    /// What came of the kernel's order to scan: `nil` where none was seen yet.
    var outcome: Outcome? {
        switch enabled {
        case nil: nil
        case 0: .done([])
        case let status?: .refused(status)
        }
    }
}
