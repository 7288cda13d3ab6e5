import Beacons

/// An active notification of an item. It repeats until it is acknowledged or its cause ends.
package struct Notification: Payload {
    package enum Kind: String, Sendable, CaseIterable {
        case left
        case returned
        /// The last owner who was home departed, and the item stayed.
        case forgotten
        /// The item left without any of its owners.
        case taken
        /// The item is in a room in which it must not be alone, and no owner is near.
        case alone
        /// The battery of the item's tag has become low.
        case low
    }

    /// The id of the item event that caused the notification; equal for each repetition.
    package var id: EventID
    package var kind: Kind
    package var message: String
    package var item: String
    /// How often the notification was published, including this time.
    package var count: Int
    /// When the notification is published again; `nil`: it is not repeated.
    package var nextAt: WallTime?
    /// When the item left, or returned.
    package var since: WallTime
    /// When this repetition was published.
    package var stamp: Stamp

    package init(
        id: EventID, kind: Kind, message: String, item: String, count: Int, nextAt: WallTime? = nil, since: WallTime,
        stamp: Stamp
    ) {
        self.id = id
        self.kind = kind
        self.message = message
        self.item = item
        self.count = count
        self.nextAt = nextAt
        self.since = since
        self.stamp = stamp
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("id", id.description)
        json.field("kind", kind.rawValue)
        json.field("message", message)
        json.field("item", item)
        json.field("count", count)
        json.field("next_at", nextAt)
        json.field("since", since)
        stamp.writeTimeFirst(to: &json)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        id = try fields.parsed("id") { EventID($0) }
        kind = try fields.word("kind")
        message = try fields.text("message")
        item = try fields.id("item")
        count = try fields.count("count", in: Fields.gauges)
        nextAt = try fields.optionalTime("next_at")
        since = try fields.time("since")
        stamp = try Stamp(reading: &fields)
    }
}
