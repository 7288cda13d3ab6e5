/// Who hears an item at one moment, how strongly, and who listens and does not hear it.
struct Hearing: Sendable {
    /// The gateways that hear it, with their levels in dBm.
    var heard: [(gateway: Int, level: Double)] = []
    /// The gateways that are alive, listen, and have not heard it for a while.
    var silent: [Int] = []
}
