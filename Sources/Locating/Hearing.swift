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

    /// The same with nothing fainter than `depth` dB below the loudest: the gateways that hear nothing stand there too.
    func within(_ depth: Double) -> Hearing {
        guard let loudest = heard.lazy.map(\.level).max() else { return self }
        let floor = loudest - depth
        var within = self
        for index in within.heard.indices { within.heard[index].level = max(within.heard[index].level, floor) }
        for gateway in silent { within.heard.append((gateway, floor)) }
        within.silent = []
        return within
    }
}
