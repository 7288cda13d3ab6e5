import Beacons

/// The request `request/history` to the aggregator for the events of one item or of all items.
package struct HistoryRequest: Body {
    /// The item, by its id or exact name; `nil`: all items.
    package var item: NameOrID?
    /// The time of the earliest event to return; `nil`: no limit.
    package var since: WallTime?
    /// How far the reader has read: the response begins behind the event that is the latest of the log, or at its beginning if it has none.
    package var after: LogCursor
    /// The one of several aggregators that responds from its own log, active or not; `nil`: the active one.
    package var aggregator: String?

    package init(
        item: NameOrID? = nil, since: WallTime? = nil, after: LogCursor = LogCursor(), aggregator: String? = nil
    ) {
        self.item = item
        self.since = since
        self.after = after
        self.aggregator = aggregator
    }

    package func writeFields(to json: inout JSONWriter) {
        item?.writeFields(to: &json)
        json.field("since", since)
        json.field("after", after.events.first?.description)
        if after.events.count > 1 { json.field("or_after", after.events.dropFirst().map(\.description)) }
        json.field("aggregator", aggregator)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        let isNamed = fields.value("id") != nil || fields.value("name") != nil
        item = isNamed ? try NameOrID(reading: &fields) : nil
        since = try fields.optionalTime("since")
        let first = try fields.optionalParsed("after") { EventID($0) }
        let others = try (fields.optionalTexts("or_after", limit: LogCursor.most) ?? []).map {
            (text) throws(PayloadRefusal) in
            guard let event = EventID(text) else { throw .malformed("or_after") }
            return event
        }
        after = LogCursor([first].compactMap(\.self) + others)
        aggregator = fields.value("aggregator") == nil ? nil : try fields.id("aggregator")
    }
}
