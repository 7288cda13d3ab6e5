import Beacons

/// The request `request/history` to the aggregator for the events of one item or of all items.
public struct HistoryRequest: Body {
    /// The item, by its id or exact name; `nil`: all items.
    public var item: NameOrID?
    /// The time of the earliest event to return; `nil`: no limit.
    public var since: WallTime?
    /// The event behind which the response begins: the last event of the previous response.
    public var after: EventID?

    /// Creates a request from all its properties.
    public init(item: NameOrID? = nil, since: WallTime? = nil, after: EventID? = nil) {
        self.item = item
        self.since = since
        self.after = after
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        item?.writeFields(to: &json)
        json.field("since", since)
        json.field("after", after?.description)
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        let isNamed = fields.value("id") != nil || fields.value("name") != nil
        item = isNamed ? try NameOrID(reading: &fields) : nil
        since = try fields.optionalTime("since")
        after = try fields.optionalParsed("after") { EventID($0) }
    }
}
