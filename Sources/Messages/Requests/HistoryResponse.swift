/// The response to `request/history`: the stored events, oldest first.
public struct HistoryResponse: Body {
    /// The events; at most `most`.
    public var events: [ItemEvent]
    /// Whether there are more events; request them with `after` the last one.
    public var more: Bool

    /// The limit of events in one response.
    public static let most = 100

    /// Creates a response; more than `most` events are a programming error.
    public init(events: [ItemEvent], more: Bool = false) {
        precondition(events.count <= Self.most, "a response has at most \(Self.most) events")
        self.events = events
        self.more = more
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        json.array("events") { json in for event in events { event.write(to: &json) } }
        json.field("more", more)
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        events = try fields.array("events", limit: Self.most) { (element) throws(PayloadRefusal) in
            var event = try Fields(element, of: "events")
            return try ItemEvent(reading: &event)
        }
        more = try fields.optionalBool("more") ?? false
    }
}
