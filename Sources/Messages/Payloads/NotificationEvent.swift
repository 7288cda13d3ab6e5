/// That a notification was said: what `notification` keeps, once more as something that happened, for automations that must not act again
/// when they begin to listen.
public struct NotificationEvent: Payload {
    /// What was said.
    public var notification: Notification

    /// The event of one saying.
    public init(_ notification: Notification) {
        self.notification = notification
    }

    /// Writes the kind as the type of the event, and all of the notification.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("event_type", notification.kind.rawValue)
            notification.writeFields(to: &json)
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        let kind: Notification.Kind = try fields.word("event_type")
        notification = try Notification(reading: &fields)
        guard notification.kind == kind else { throw .contradiction("kind") }
    }

    /// The item: a topic says it, too.
    public func contradiction(with topic: Topic) -> String? {
        if case .itemNotificationEvent(let item) = topic, item != notification.item { "item" } else { nil }
    }
}
