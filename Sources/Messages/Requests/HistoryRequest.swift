import Beacons

/// Asks the aggregator what happened to an item, or to all of them: `request/history`.
public struct HistoryRequest: Body {
    /// Which item, by its id or exact name; `nil`: all.
    public var item: NamedThing?
    /// Only what happened then or later.
    public var since: WallTime?
    /// Only what stands behind this event in the log: the last one of the answer before.
    public var after: EventID?

    /// A question with all its properties.
    public init(item: NamedThing? = nil, since: WallTime? = nil, after: EventID? = nil) {
        self.item = item
        self.since = since
        self.after = after
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        item?.writeFields(to: &json)
        json.field("since", since)
        json.field("after", after?.description)
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        let isNamed = fields.value("id") != nil || fields.value("name") != nil
        item = isNamed ? try NamedThing(reading: &fields) : nil
        since = try fields.optionalTime("since")
        after = try fields.optionalParsed("after") { EventID($0) }
    }
}
