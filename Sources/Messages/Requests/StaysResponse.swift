import Beacons

/// The response to `request/stays`: where an item was, oldest first.
package struct StaysResponse: Body {
    /// Where the item was for a while.
    package struct Stay: Members {
        /// Whether the item was at the site.
        package var presence: Presence
        /// The room of an item that was home, if known.
        package var room: String?
        package var from: WallTime
        /// The end; `nil`: the stay lasts.
        package var to: WallTime?

        package init(_ presence: Presence, room: String? = nil, from: WallTime, to: WallTime? = nil) {
            self.presence = presence
            self.room = room
            self.from = from
            self.to = to
        }

        package func writeFields(to json: inout JSONWriter) {
            json.field("presence", presence.rawValue)
            json.field("room", room)
            json.field("from", from)
            json.field("to", to)
        }

        package init(reading fields: inout Fields) throws(PayloadRefusal) {
            presence = try fields.word("presence")
            room = try fields.optionalText("room")
            from = try fields.time("from")
            to = try fields.optionalTime("to")
        }
    }

    package var item: String
    /// The item's name; that of a removed item is its id.
    package var name: String
    /// The stays that overlap the time since `since`; at most `most`.
    package var stays: [Stay]
    /// Whether there are more stays; request them with `after` the beginning of the last one.
    package var more: Bool

    package static let most = 200

    /// Creates a response; more than `most` stays are a programming error.
    package init(item: String, name: String, stays: [Stay], more: Bool = false) {
        precondition(stays.count <= Self.most, "a response has at most \(Self.most) stays")
        self.item = item
        self.name = name
        self.stays = stays
        self.more = more
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("item", item)
        json.field("name", name)
        json.array("stays", stays)
        json.field("more", more)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try fields.id("item")
        name = try fields.text("name")
        stays = try fields.entries("stays", limit: Self.most)
        more = try fields.optionalBool("more") ?? false
    }
}
