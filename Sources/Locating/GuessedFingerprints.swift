/// Fingerprints that are guessed from the gateways' rooms alone: a gateway receives more in its own room, and most beside itself.
enum GuessedFingerprints {
    /// dB that a gateway receives more beside itself than elsewhere in the house.
    private static let beside = 18.0
    /// dB that the gateways of a room receive more anywhere in that room.
    private static let within = 9.0
    /// dBm at a gateway of another room. The value hardly matters, as only differences count.
    static let elsewhere = -70.0
    /// dB: the standard deviation of a guessed RSSI value.
    static let spread = 6.0

    /// The guessed fingerprints of each room, given the rooms of each gateway. In a room without a gateway all gateways receive alike.
    static func fingerprints(served: [[Int]], rooms: Int) -> [Fingerprints] {
        (0..<rooms).map { room in
            var fingerprints = Fingerprints(gateways: served.count)
            let common = served.map { $0.contains(room) ? elsewhere + within : elsewhere }
            for gateway in served.indices where served[gateway].contains(room) {
                var near = common
                near[gateway] = elsewhere + beside
                fingerprints.append(near, spread: spread)
                fingerprints.append(common, spread: spread)
            }
            if fingerprints.count == 0 { fingerprints.append(common, spread: spread) }
            return fingerprints
        }
    }

    static func expectation(of room: Int, served: [[Int]]) -> [Double] {
        served.map { $0.contains(room) ? elsewhere + (beside + within) / 2 : elsewhere }
    }
}
