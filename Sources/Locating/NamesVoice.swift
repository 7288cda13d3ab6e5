/// What the gateways' names lead one to expect: a gateway is louder in its own room than elsewhere, and loudest beside itself.
enum NamesVoice {
    /// dB by which a gateway is louder beside it than elsewhere in the house.
    private static let beside = 18.0
    /// dB by which the gateways of a room are louder anywhere in that room.
    private static let within = 9.0
    /// dBm of a gateway of another room; it hardly matters, as only differences count.
    static let elsewhere = -70.0
    /// dB: how far off a guessed level may be.
    static let spread = 6.0

    /// The signatures of each room, given the rooms of each gateway. A room without a gateway is where none is louder than the others.
    static func signatures(served: [[Int]], rooms: Int) -> [Signatures] {
        (0..<rooms).map { room in
            var signatures = Signatures(gateways: served.count)
            let common = served.map { $0.contains(room) ? elsewhere + within : elsewhere }
            for gateway in served.indices where served[gateway].contains(room) {
                var near = common
                near[gateway] = elsewhere + beside
                signatures.append(near, spread: spread)
                signatures.append(common, spread: spread)
            }
            if signatures.count == 0 { signatures.append(common, spread: spread) }
            return signatures
        }
    }

    /// What one expects of a room as a whole.
    static func expectation(of room: Int, served: [[Int]]) -> [Double] {
        served.map { $0.contains(room) ? elsewhere + (beside + within) / 2 : elsewhere }
    }
}
