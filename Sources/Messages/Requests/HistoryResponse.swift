/// The response to `request/history`: the stored events, oldest first.
package struct HistoryResponse: Body {
    /// The events; at most `most`.
    package var events: [ItemEvent]
    /// Whether there are more events; request them with `after` the last one.
    package var more: Bool

    /// The limit of events in one response.
    package static let most = 100

    /// Creates a response; more than `most` events are a programming error.
    package init(events: [ItemEvent], more: Bool = false) {
        precondition(events.count <= Self.most, "a response has at most \(Self.most) events")
        self.events = events
        self.more = more
    }

    package func writeFields(to json: inout JSONWriter) {
        json.array("events", events)
        json.field("more", more)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        events = try fields.entries("events", limit: Self.most)
        more = try fields.optionalBool("more") ?? false
    }

    /// Returns the events of several event logs in order of time, up to where the next page of one of them may have an earlier event.
    ///
    /// - Parameter cursor: how far the logs were read; goes on to the last returned event of each.
    package static func merge(_ pages: [HistoryResponse], behind cursor: inout LogCursor) -> [ItemEvent] {
        let end = pages.filter(\.more).compactMap { $0.events.map(\.stamp.at).max() }.min()
        var events: [ItemEvent] = []
        for page in pages {
            let part = page.events.prefix { event in end.map { event.stamp.at <= $0 } ?? true }
            if let last = part.last { cursor.note(last.id) }
            events += part
        }
        return events.indices.sorted { (events[$0].stamp.at, $0) < (events[$1].stamp.at, $1) }.map { events[$0] }
    }
}
