/// Signatures of a site of which only the gateways' rooms are known.
struct NamesSignatures {
    /// dB by which a gateway is louder beside it than elsewhere.
    static let own = 12.0
    /// dB by which the other gateways of the same room are louder than those elsewhere.
    static let sibling = 10.0
    /// dBm of a gateway elsewhere; it hardly matters, since only differences count.
    static let elsewhere = -70.0
    /// dB: how far off a guessed level may be.
    static let spread = 6.0

    /// One place per gateway that serves a room. A room without a gateway has none, and is never said.
    static func signatures(rooms: [Int?], into signatures: inout Signatures, only wanted: (Int) -> Bool) {
        for (gateway, room) in rooms.enumerated() {
            guard let room, wanted(room) else { continue }
            var mean = rooms.map { $0 == room ? elsewhere + sibling : elsewhere }
            mean[gateway] = elsewhere + own
            signatures.append(room: room, mean: mean, spread: Array(repeating: spread, count: rooms.count))
        }
    }
}
