import Beacons

/// Where an item is, or whether it is away, as far as the site's gateways can tell.
public struct ItemLocation: Payload {
    /// How much it may be in one room.
    public struct RoomBelief: Hashable, Sendable {
        /// The room's name.
        public var room: String
        /// 0 to 1.
        public var confidence: Double

        /// A room with its confidence.
        public init(_ room: String, _ confidence: Double) {
            self.room = room
            self.confidence = confidence
        }
    }

    /// A point of the site's plan.
    public struct Point: Hashable, Sendable {
        /// Metres along the plan's first axis.
        public var x: Double
        /// Metres along the plan's second axis.
        public var y: Double
        /// The floor, 0 where the plan has but one.
        public var floor: Int

        /// A point with all its properties.
        public init(x: Double, y: Double, floor: Int) {
            self.x = x
            self.y = y
            self.floor = floor
        }
    }

    /// The item's id.
    public var item: String
    /// The item's name.
    public var name: String
    /// Whether it is at the site.
    public var presence: Presence
    /// The room it is in; never said when away.
    public var room: String?
    /// How sure that is, 0 to 1; never said when away.
    public var confidence: Double?
    /// The likeliest rooms, the likeliest first; only the first `longestList` are sent; never said when away.
    public var rooms: [RoomBelief]?
    /// The gateway that hears it best; never said when away.
    public var gateway: String?
    /// How near to that gateway.
    public var proximity: Proximity?
    /// How far from that gateway, in metres; with a `point`, how far off that may be.
    public var accuracy: Double?
    /// Since when it is in that room, or away; `nil` where it was never heard.
    public var since: WallTime?
    /// When it was last heard; `nil`: never.
    public var lastSeenAt: WallTime?
    /// When this was so.
    public var stamp: Stamp
    /// Where on the plan, if there is one.
    public var point: Point?
    /// Why nothing can be known of it, in a sentence: another item has its identity.
    public var error: String?

    /// The most rooms that are read.
    public static let longestList = 256

    /// A location with all its properties.
    public init(
        item: String, name: String, presence: Presence, room: String? = nil, confidence: Double? = nil,
        rooms: [RoomBelief]? = nil, gateway: String? = nil, proximity: Proximity? = nil, accuracy: Double? = nil,
        since: WallTime? = nil, lastSeenAt: WallTime? = nil, stamp: Stamp, point: Point? = nil, error: String? = nil
    ) {
        self.item = item
        self.name = name
        self.presence = presence
        self.room = room
        self.confidence = confidence
        self.rooms = rooms
        self.gateway = gateway
        self.proximity = proximity
        self.accuracy = accuracy
        self.since = since
        self.lastSeenAt = lastSeenAt
        self.stamp = stamp
        self.point = point
        self.error = error
    }

    /// When away, room, confidence, rooms and gateway are left out, whatever they hold.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("item", item)
            json.field("name", name)
            json.field("presence", presence.rawValue)
            if presence != .away { writeRoom(to: &json) }
            json.field("proximity", proximity?.rawValue)
            json.field("accuracy_m", accuracy, decimals: 2)
            json.field("since", since)
            json.field("last_seen_at", lastSeenAt)
            stamp.writeTimeFirst(to: &json)
            json.field("x_m", point?.x, decimals: 2)
            json.field("y_m", point?.y, decimals: 2)
            json.field("floor", point?.floor)
            json.field("error", error)
        }
    }

    private func writeRoom(to json: inout JSONWriter) {
        json.field("room", room)
        json.field("confidence", confidence, decimals: 2)
        if let rooms {
            json.object("rooms") { json in
                for belief in rooms.prefix(Self.longestList) {
                    json.key(named: belief.room)
                    json.element(belief.confidence, decimals: 2)
                }
            }
        }
        json.field("gateway", gateway)
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try fields.id("item")
        name = try fields.text("name")
        presence = try fields.word("presence")
        room = try fields.optionalText("room")
        confidence = try fields.optionalNumber("confidence", in: 0...1)
        rooms = try fields.rooms()
        gateway = try fields.optionalParsed("gateway") { isValidID($0) ? $0 : nil }
        proximity = try fields.optionalParsed("proximity", Proximity.init(rawValue:))
        accuracy = try fields.optionalNumber("accuracy_m", in: Fields.amounts)
        since = try fields.optionalTime("since")
        lastSeenAt = try fields.optionalTime("last_seen_at")
        stamp = try Stamp(reading: &fields)
        point = try fields.point()
        error = try fields.optionalText("error")
    }

    /// The item: a topic says it, too.
    public func contradiction(with topic: Topic) -> String? {
        if case .itemLocation(let item) = topic, item != self.item { "item" } else { nil }
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

    /// `x_m` and `y_m`, which come together, and `floor`, 0 where it is absent.
    fileprivate mutating func point() throws(PayloadRefusal) -> ItemLocation.Point? {
        guard let x = try optionalNumber("x_m", in: -1e6...1e6) else { return nil }
        let y = try number("y_m", in: -1e6...1e6)
        return .init(x: x, y: y, floor: try optionalCount("floor", in: -1000...1000) ?? 0)
    }
}
