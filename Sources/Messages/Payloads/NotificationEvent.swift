/// One publication of a notification, as an event that is not retained. Automations use it, because a retained
/// `notification` would trigger them again whenever they subscribe.
public struct NotificationEvent: Payload {
    /// The notification that was published.
    public var notification: Notification

    /// Creates the event of one publication.
    public init(_ notification: Notification) {
        self.notification = notification
    }

    /// Writes the kind as `event_type`, followed by the notification.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("event_type", notification.kind.rawValue)
            notification.writeFields(to: &json)
        }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        let kind: Notification.Kind = try fields.word("event_type")
        notification = try Notification(reading: &fields)
        guard notification.kind == kind else { throw .contradiction("kind") }
    }

    /// Checks the item against the topic's.
    public func contradiction(with topic: Topic) -> String? {
        if case .itemNotificationEvent(let item) = topic, item != notification.item { "item" } else { nil }
    }
}
