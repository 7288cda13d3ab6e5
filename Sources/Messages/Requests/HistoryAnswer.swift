/// Answers `request/history`: what is still known of what happened, oldest first.
public struct HistoryAnswer: Body {
    /// The events; at most `most`.
    public var events: [ItemEvent]
    /// Whether there are more: ask again, `after` the last one.
    public var more: Bool

    /// The most events of one answer.
    public static let most = 100

    /// An answer with all its properties; more than `most` events are our own mistake.
    public init(events: [ItemEvent], more: Bool = false) {
        precondition(events.count <= Self.most, "an answer has at most \(Self.most) events")
        self.events = events
        self.more = more
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.array("events") { json in for event in events { event.write(to: &json) } }
        json.field("more", more)
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        events = try fields.array("events", limit: Self.most) { (element) throws(PayloadRefusal) in
            var event = try Fields(element, of: "events")
            return try ItemEvent(reading: &event)
        }
        more = try fields.optionalBool("more") ?? false
    }
}
