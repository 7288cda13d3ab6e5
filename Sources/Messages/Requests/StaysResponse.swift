import Beacons

/// The response to `request/stays`: where an item was, oldest first.
public struct StaysResponse: Body {
    /// Where the item was for a while.
    public struct Stay: Hashable, Sendable {
        /// Whether the item was at the site.
        public var presence: Presence
        /// The room of an item that was home, if known.
        public var room: String?
        /// The beginning.
        public var from: WallTime
        /// The end; `nil`: the stay lasts.
        public var to: WallTime?

        /// Creates a stay from all its properties.
        public init(_ presence: Presence, room: String? = nil, from: WallTime, to: WallTime? = nil) {
            self.presence = presence
            self.room = room
            self.from = from
            self.to = to
        }
    }

    /// The item's id.
    public var item: String
    /// The item's name; that of a removed item is its id.
    public var name: String
    /// The stays that overlap the time since `since`; at most `most`.
    public var stays: [Stay]
    /// Whether there are more stays; request them with `after` the beginning of the last one.
    public var more: Bool

    /// The limit of stays in one response.
    public static let most = 200

    /// Creates a response; more than `most` stays are a programming error.
    public init(item: String, name: String, stays: [Stay], more: Bool = false) {
        precondition(stays.count <= Self.most, "a response has at most \(Self.most) stays")
        self.item = item
        self.name = name
        self.stays = stays
        self.more = more
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        json.field("item", item)
        json.field("name", name)
        json.array("stays") { json in
            for stay in stays {
                json.object { json in
                    json.field("presence", stay.presence.rawValue)
                    json.field("room", stay.room)
                    json.field("from", stay.from)
                    json.field("to", stay.to)
                }
            }
        }
        json.field("more", more)
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try fields.id("item")
        name = try fields.text("name")
        stays = try fields.array("stays", limit: Self.most) { (element) throws(PayloadRefusal) in
            var stay = try Fields(element, of: "stays")
            return Stay(
                try stay.word("presence"), room: try stay.optionalText("room"), from: try stay.time("from"),
                to: try stay.optionalTime("to"))
        }
        more = try fields.optionalBool("more") ?? false
    }
}
