import Beacons

/// An active notification of an item. It repeats until it is acknowledged or its cause ends.
public struct Notification: Payload {
    /// The cause of a notification.
    public enum Kind: String, Sendable, CaseIterable {
        /// The item left.
        case left
        /// The item returned.
        case returned
    }

    /// The id of the item event that caused the notification; equal for each repetition.
    public var id: EventID
    /// The cause of the notification.
    public var kind: Kind
    /// The text of the notification.
    public var message: String
    /// The item's id.
    public var item: String
    /// How often the notification was published, including this time.
    public var count: Int
    /// When the notification is published again; `nil`: it is not repeated.
    public var nextAt: WallTime?
    /// When the item left, or returned.
    public var since: WallTime
    /// When this repetition was published.
    public var stamp: Stamp

    /// Creates a notification from all its properties.
    public init(
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

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in writeFields(to: &json) }
    }

    func writeFields(to json: inout JSONWriter) {
        json.field("id", id.description)
        json.field("kind", kind.rawValue)
        json.field("message", message)
        json.field("item", item)
        json.field("count", count)
        json.field("next_at", nextAt)
        json.field("since", since)
        stamp.writeTimeFirst(to: &json)
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        id = try fields.parsed("id") { EventID($0) }
        kind = try fields.word("kind")
        message = try fields.text("message")
        item = try fields.id("item")
        count = try fields.count("count", in: Fields.gauges)
        nextAt = try fields.optionalTime("next_at")
        since = try fields.time("since")
        stamp = try Stamp(reading: &fields)
    }

    /// Checks the item against the topic's.
    public func contradiction(with topic: Topic) -> String? {
        if case .itemNotification(let item) = topic, item != self.item { "item" } else { nil }
    }
}
