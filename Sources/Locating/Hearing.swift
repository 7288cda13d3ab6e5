/// Who hears an item at one moment, how strongly, and who listens and does not hear it.
struct Hearing: Sendable {
    /// The gateways that hear it, with their levels in dBm.
    var heard: [(gateway: Int, level: Double)] = []
    /// The gateways that are alive, listen, and have not heard it for a while.
    var silent: [Int] = []
    /// By room, whether a gateway of it listens; empty: in every room one does.
    var attended: [Bool] = []
    /// dB by which the item's beacon is known to be stronger than usual ones.
    var excess = 0.0

    /// Whether a gateway of the room listens. Where none does, nobody would hear the item from near by.
    func isAttended(_ room: Int) -> Bool { attended.isEmpty || attended[room] }
}
