import Beacons

package struct RoomEstimate: Hashable, Sendable {
    package struct Share: Hashable, Sendable {
        package var room: String
        /// 0 to 1.
        package var confidence: Double
    }

    /// A point on the plan.
    package struct Position: Hashable, Sendable {
        /// Metres.
        package var point: Polygon.Point
        package var floor: Int
        /// The radius in metres within which the item is with a chance of about two in three.
        package var accuracy: Double
    }

    /// The estimated room, which changes only if another room is clearly likelier; `nil` before the item was received.
    package var room: String?
    /// The probability of the room. Of all moments with 0.9, nine in ten should be correct.
    package var confidence: Double
    /// The names of all rooms, and the probability of each; empty before the item was received.
    var names: [String]
    var shares: [Double]
    /// The gateway that receives the item best at the moment, offsets included.
    package var gateway: String?
    /// Whether every gateway that scans had the time to report since the item was first received, or received again after a pause. Before
    /// that, the room is that of the gateway that reported first.
    package var isSettled: Bool
    /// 0 while the item moves, 1 once it has been still for a minute.
    package var stillness: Double
    /// When the RSSI last changed as it does when the item moves; `nil`: not since the item was first received.
    package var movedAt: Instant?
    /// The position on the plan, if the estimated room is drawn.
    package var position: Position?

    /// All rooms, the likeliest first. The shares add up to 1.
    package var rooms: [Share] { rooms(atLeast: 0) }

    /// The rooms with at least this probability, the likeliest first.
    package func rooms(atLeast least: Double) -> [Share] {
        shares.indices.filter { shares[$0] >= least }
            .sorted { (shares[$1], names[$0]) < (shares[$0], names[$1]) }
            .map { Share(room: names[$0], confidence: shares[$0]) }
    }

    /// The probability of a room; `nil` for a room that the site does not have, or that is impossible.
    package func share(of room: String) -> Double? {
        guard let index = names.firstIndex(of: room), shares[index] > 0 else { return nil }
        return shares[index]
    }
}
