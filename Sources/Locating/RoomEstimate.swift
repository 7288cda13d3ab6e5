import Beacons

/// Where an item is believed to be.
public struct RoomEstimate: Hashable, Sendable {
    /// A room and how likely it is.
    public struct Share: Hashable, Sendable {
        /// The room's name.
        public var room: String
        /// 0 to 1.
        public var confidence: Double
    }

    /// A point on the plan.
    public struct Position: Hashable, Sendable {
        /// Metres.
        public var point: Polygon.Point
        /// The storey.
        public var floor: Int
        /// The radius in metres within which the item is with a chance of about two in three.
        public var accuracy: Double
    }

    /// The room that is said: it stays until another is clearly likelier. `nil` where nothing was ever heard.
    public var room: String?
    /// How likely the room that is said is: of all moments at which it is 0.9, nine in ten should be right.
    public var confidence: Double
    /// The names of all rooms, and how likely each is; empty before anything was received.
    private var names: [String]
    private var shares: [Double]
    /// The gateway that hears it best at the moment, offsets included.
    public var gateway: String?
    /// Whether every gateway that scans had the time to report since the item was first received, or received again after a pause. Before that the
    /// room is that of the gateway that reported first.
    public var isSettled: Bool
    /// 0 while the item moves, 1 once it has been still for a minute.
    public var stillness: Double
    /// When the RSSI last changed as it does when the item moves; `nil`: not since the item was first received.
    public var movedAt: Instant?
    /// Whether the room is likelier than all others together. A change to a room that is not is no event: it is likelier to be wrong than right.
    public var isClear: Bool { confidence >= Tuning.clear }
    /// Where on the plan, if the said room is drawn in it.
    public var position: Position?

    init(
        room: String?, confidence: Double, names: [String], shares: [Double], gateway: String?, isSettled: Bool,
        stillness: Double, movedAt: Instant? = nil, position: Position? = nil
    ) {
        self.room = room
        self.confidence = confidence
        self.names = names
        self.shares = shares
        self.gateway = gateway
        self.isSettled = isSettled
        self.stillness = stillness
        self.movedAt = movedAt
        self.position = position
    }

    /// Every room, the likeliest first; the shares add up to 1.
    public var rooms: [Share] { rooms(atLeast: 0) }

    /// The rooms that are at least so likely, the likeliest first.
    public func rooms(atLeast least: Double) -> [Share] {
        shares.indices.filter { shares[$0] >= least }
            .sorted { (shares[$1], names[$0]) < (shares[$0], names[$1]) }
            .map { Share(room: names[$0], confidence: shares[$0]) }
    }

    /// How likely a room is; `nil` for a room that is none of the site's, or cannot be.
    public func share(of room: String) -> Double? {
        guard let index = names.firstIndex(of: room), shares[index] > 0 else { return nil }
        return shares[index]
    }
}
