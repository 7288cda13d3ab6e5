/// One publication of a notification, as an event that is not retained. Automations use it, because a retained
/// `notification` would trigger them again whenever they subscribe.
package struct NotificationEvent: Payload {
    package var notification: Notification

    package init(_ notification: Notification) {
        self.notification = notification
    }

    /// Writes the kind as `event_type`, followed by the notification.
    package func writeFields(to json: inout JSONWriter) {
        json.field("event_type", notification.kind.rawValue)
        notification.writeFields(to: &json)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        let kind: Notification.Kind = try fields.word("event_type")
        notification = try Notification(reading: &fields)
        guard notification.kind == kind else { throw .contradiction("kind") }
    }
}
