import Beacons

/// What an item's owner is being told, until acknowledged or over.
public struct Notification: Payload {
    /// Of what it tells.
    public enum Kind: String, Sendable, CaseIterable {
        /// Of the item's leaving.
        case left
        /// Of its coming back.
        case returned
    }

    /// The item event that it tells of; the same for each repetition.
    public var id: EventID
    /// Of what it tells.
    public var kind: Kind
    /// What it says.
    public var message: String
    /// The item's id.
    public var item: String
    /// How often it was said, this time with it.
    public var count: Int
    /// When it will be said again; `nil`: not again.
    public var nextAt: WallTime?
    /// When the item left, or returned.
    public var since: WallTime
    /// When this was said.
    public var stamp: Stamp

    /// A notification with all its properties.
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

    /// Takes it from its members; one that is not as agreed refuses it.
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

    /// The item: a topic says it, too.
    public func contradiction(with topic: Topic) -> String? {
        if case .itemNotification(let item) = topic, item != self.item { "item" } else { nil }
    }
}
