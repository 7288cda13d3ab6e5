/// Who hears an item at one moment, how strongly, and who listens and does not hear it.
struct Hearing: Sendable {
    /// The gateways that hear it, with their levels in dBm.
    var heard: [(gateway: Int, level: Double)] = []
    /// The gateways that are alive, listen, and have not heard it for a while.
    var silent: [Int] = []

    /// The same with nothing fainter than `depth` dB below the loudest: the gateways that hear nothing stand there too.
    func within(_ depth: Double) -> Hearing {
        guard let loudest = heard.lazy.map(\.level).max() else { return self }
        let floor = loudest - depth
        return Hearing(
            heard: heard.map { ($0.gateway, max($0.level, floor)) } + silent.map { ($0, floor) }, silent: [])
    }
}
