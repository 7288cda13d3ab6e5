import Beacons
import Channels
import Messages
import Text

/// The messages that each person has, by what they are about: the notification of each item.
struct SentMessages: Sendable {
    private struct Recipient: Hashable, Sendable {
        var person: String
        var kind: Notification.Kind
    }

    private var notifications: [Recipient: [String: Notification]] = [:]
    /// The notifications that were in the last message.
    private var last: [Recipient: [String: Notification]] = [:]
    /// The language of the titles.
    private let texts: Texts

    init(_ texts: Texts) { self.texts = texts }

    /// Continues with the notification of an item that a former process has sent.
    mutating func restore(_ notification: Notification, to person: String) {
        let recipient = Recipient(person: person, kind: notification.kind)
        notifications[recipient, default: [:]][notification.item] = notification
        last[recipient] = notifications[recipient]
    }

    /// Adds the notification of an item to a person's message of its kind, and sends that. An aggregator that starts learns of notifications in any
    /// order, and then has the message that another one sent last.
    ///
    /// - Parameter name: the name of an item.
    /// - Returns: `nil` if another item has just repeated the same message.
    mutating func send(
        _ notification: Notification, to person: String, name: (String) -> String
    ) -> PersonalMessage.Change? {
        let kind = notification.kind
        let recipient = Recipient(person: person, kind: kind)
        guard !wasRepeated(notification, to: recipient) else {
            notifications[recipient]![notification.item] = notification
            return nil
        }
        restore(notification, to: person)
        let all = notifications[recipient]!.values.sorted { $0.item < $1.item }
        let names = ["items": all.map { name($0.item) }.joined(separator: ", ")]
        let title =
            switch kind {
            case .forgotten: texts.localized("Forgotten: {items}", names)
            case .taken: texts.localized("Taken: {items}", names)
            case .low: texts.localized("Low battery: {items}", names)
            default: texts.localized("Alone: {items}", names)
            }
        return .send(
            PersonalMessage(
                person: person, key: kind.rawValue, title: title,
                text: all.map(\.message).joined(separator: "\n"), items: all.map(\.item), isUrgent: kind != .low,
                at: all.map(\.stamp.at).max()!))
    }

    /// Whether the last message has the same sentences as a repetition, and less than half of the pause before the repetition is over since then.
    private func wasRepeated(_ notification: Notification, to recipient: Recipient) -> Bool {
        guard notification.count > 1, let last = last[recipient],
            let former = notifications[recipient]?[notification.item],
            let sentAt = last.values.map(\.stamp.at).max(), notification.stamp.at >= sentAt
        else { return false }
        let texts = notifications[recipient]!.merging([notification.item: notification]) { $1 }.mapValues(\.message)
        let (since, pause) = (notification.stamp.at - sentAt, notification.stamp.at - former.stamp.at)
        return texts == last.mapValues(\.message) && since + since < pause
    }

    /// Withdraws the messages to a person.
    mutating func remove(person: String) -> [PersonalMessage.Change] {
        withdraw(notifications.keys.filter { $0.person == person })
    }

    /// Takes an item out of the messages of a kind, or (`nil`) of any kind; withdraws messages about no other item.
    mutating func end(_ item: String, _ kind: Notification.Kind?) -> [PersonalMessage.Change] {
        let concerned = notifications.filter { $0.value[item] != nil && $0.key.kind == kind ?? $0.key.kind }.keys
        for recipient in concerned { notifications[recipient]![item] = nil }
        return withdraw(concerned.filter { notifications[$0]!.isEmpty })
    }

    private mutating func withdraw(_ recipients: [Recipient]) -> [PersonalMessage.Change] {
        for recipient in recipients { (notifications[recipient], last[recipient]) = (nil, nil) }
        return recipients.map { .withdraw(person: $0.person, key: $0.kind.rawValue) }
    }
}
