import Beacons

/// The location and presence of an item, as far as the site's gateways can determine them.
public struct ItemLocation: Payload {
    /// The probability that the item is in one room.
    public struct RoomBelief: Hashable, Sendable {
        /// The room's name.
        public var room: String
        /// The probability, 0 to 1.
        public var confidence: Double

        /// Creates a belief from a room and its confidence.
        public init(_ room: String, _ confidence: Double) {
            self.room = room
            self.confidence = confidence
        }
    }

    /// A point on the floor plan.
    public struct Point: Hashable, Sendable {
        /// Metres along the plan's first axis.
        public var x: Double
        /// Metres along the plan's second axis.
        public var y: Double
        /// The floor; 0 if the plan has a single floor.
        public var floor: Int

        /// Creates a point from all its properties.
        public init(x: Double, y: Double, floor: Int) {
            self.x = x
            self.y = y
            self.floor = floor
        }
    }

    /// The gateway that receives an item best, and what it receives.
    public struct Nearest: Hashable, Sendable {
        /// The gateway's id; not sent if the item is away.
        public var gateway: String?
        /// The proximity of the item to the gateway.
        public var proximity: Proximity?
        /// The mean RSSI in dBm of the gateway's last ranged state; `nil` if it had no sightings.
        public var rssi: Double?
    }

    /// What is known of the silence of an item that no gateway receives.
    public enum Silence: Hashable, Sendable {
        case resting(since: WallTime)
        /// The item is home; its silence is unusual, and this is the probability that it has left by now.
        case unusual(awayProbability: Double)
        case caused(by: ProbableCause)

        init?(_ restingSince: WallTime?, _ awayProbability: Double?, _ cause: ProbableCause?) {
            let silence: Silence? =
                restingSince.map { .resting(since: $0) } ?? awayProbability.map { .unusual(awayProbability: $0) }
                ?? cause.map { .caused(by: $0) }
            guard let silence else { return nil }
            self = silence
        }
    }

    /// The item's id.
    public var item: String
    /// The item's name.
    public var name: String
    /// Whether the item is at the site.
    public var presence: Presence
    /// The item's room; not sent if the item is away.
    public var room: String?
    /// The confidence in `room`, 0 to 1; not sent if the item is away.
    public var confidence: Double?
    /// The likeliest rooms, likeliest first; only the first `longestList` that fit are sent, and none if the item is away.
    public var rooms: [RoomBelief]?
    /// The gateway that receives the item best.
    public var nearest: Nearest
    /// The distance to that gateway in metres. With a `point`, it is the error radius of the point.
    public var accuracy: Double?
    /// When the item came into that room, or left the site; `nil` if it was never received.
    public var since: WallTime?
    /// When the item was last received; `nil`: never.
    public var lastSeenAt: WallTime?
    /// What is known of the item's silence; `nil` if it is received, or if nothing is known.
    public var silence: Silence?
    /// When the location was determined.
    public var stamp: Stamp
    /// The position on the floor plan, if there is one.
    public var point: Point?
    /// The reason why the location cannot be known, in a sentence: another item has the same beacon.
    public var error: String?

    /// The limit of `rooms` when a payload is read.
    public static let longestList = 256

    /// Creates a location from all its properties.
    public init(
        item: String, name: String, presence: Presence, room: String? = nil, confidence: Double? = nil,
        rooms: [RoomBelief]? = nil, gateway: String? = nil, proximity: Proximity? = nil, accuracy: Double? = nil,
        rssi: Double? = nil, since: WallTime? = nil, lastSeenAt: WallTime? = nil, restingSince: WallTime? = nil,
        awayProbability: Double? = nil, probableCause: ProbableCause? = nil, stamp: Stamp, point: Point? = nil,
        error: String? = nil
    ) {
        self.item = item
        self.name = name
        self.presence = presence
        self.room = room
        self.confidence = confidence
        self.rooms = rooms
        nearest = Nearest(gateway: gateway, proximity: proximity, rssi: rssi)
        self.accuracy = accuracy
        self.since = since
        self.lastSeenAt = lastSeenAt
        silence = Silence(restingSince, awayProbability, probableCause)
        self.stamp = stamp
        self.point = point
        self.error = error
    }

    /// Since when an item that sleeps is resting: no gateway receives it, and it did not leave. `nil` if it does not.
    public var restingSince: WallTime? { if case .resting(let since)? = silence { since } else { nil } }
    /// The probability that an item that is home has left by now, because no gateway receives it; `nil` if it is low.
    public var awayProbability: Double? { if case .unusual(let probability)? = silence { probability } else { nil } }
    /// Why an item is away, if it has probably not left; `nil` if it has.
    public var probableCause: ProbableCause? { if case .caused(let cause)? = silence { cause } else { nil } }

    /// Writes the keys in the order of the reference's page. If the item is away, room, confidence, rooms and gateway
    /// are omitted.
    public func writeFields(to json: inout JSONWriter) {
        json.field("item", item)
        json.field("name", name)
        json.field("presence", presence.rawValue)
        if presence != .away { writeRoom(to: &json) }
        json.field("proximity", nearest.proximity?.rawValue)
        json.field("accuracy_m", accuracy, decimals: 2)
        json.field("rssi_dbm", nearest.rssi, decimals: 1)
        json.field("since", since)
        json.field("last_seen_at", lastSeenAt)
        json.field("resting_since", restingSince)
        json.field("away_probability", awayProbability, decimals: 2)
        json.field("probable_cause", probableCause?.rawValue)
        stamp.writeTimeFirst(to: &json)
        json.field("x_m", point?.x, decimals: 2)
        json.field("y_m", point?.y, decimals: 2)
        json.field("floor", point?.floor)
        json.field("error", error)
    }

    private func writeRoom(to json: inout JSONWriter) {
        json.field("room", room)
        json.field("confidence", confidence, decimals: 2)
        if let rooms {
            json.object("rooms") { json in
                var rest = PayloadBudget.list
                for belief in rooms.prefix(Self.longestList) {
                    rest -= PayloadBudget.length(of: belief.room) + 6
                    guard rest >= 0 else { break }
                    json.key(named: belief.room)
                    json.element(belief.confidence, decimals: 2)
                }
            }
        }
        json.field("gateway", nearest.gateway)
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try fields.id("item")
        name = try fields.text("name")
        presence = try fields.word("presence")
        room = try fields.optionalText("room")
        confidence = try fields.optionalNumber("confidence", in: 0...1)
        rooms = try fields.rooms()
        nearest = Nearest()
        nearest.gateway = try fields.optionalParsed("gateway") { isValidID($0) ? $0 : nil }
        nearest.proximity = try fields.optionalParsed("proximity", Proximity.init(rawValue:))
        accuracy = try fields.optionalNumber("accuracy_m", in: Fields.amounts)
        nearest.rssi = try fields.optionalNumber("rssi_dbm", in: Fields.strengths)
        since = try fields.optionalTime("since")
        lastSeenAt = try fields.optionalTime("last_seen_at")
        let restingSince = try fields.optionalTime("resting_since")
        let awayProbability = try fields.optionalNumber("away_probability", in: 0...1)
        let probableCause = try fields.optionalParsed("probable_cause", ProbableCause.init(rawValue:))
        silence = Silence(restingSince, awayProbability, probableCause)
        stamp = try Stamp(reading: &fields)
        point = try fields.point()
        error = try fields.optionalText("error")
    }
}

extension Fields {
    fileprivate mutating func rooms() throws(PayloadRefusal) -> [ItemLocation.RoomBelief]? {
        guard let members = try optionalObject("rooms")?.members else { return nil }
        guard members.count <= ItemLocation.longestList else { throw .outOfRange("rooms") }
        var rooms: [ItemLocation.RoomBelief] = []
        for member in members {
            guard let confidence = member.value.double else { throw .wrongType("rooms") }
            guard (0...1).contains(confidence), member.key.utf8.count <= Self.longestText else {
                throw .outOfRange("rooms")
            }
            rooms.append(.init(member.key, confidence))
        }
        return rooms
    }

    /// Reads `x_m` and `y_m`, which must come together, and `floor`, which defaults to 0.
    fileprivate mutating func point() throws(PayloadRefusal) -> ItemLocation.Point? {
        guard let x = try optionalNumber("x_m", in: -1e6...1e6) else { return nil }
        let y = try number("y_m", in: -1e6...1e6)
        return .init(x: x, y: y, floor: try optionalCount("floor", in: -1000...1000) ?? 0)
    }
}
