import Beacons
import Channels
import Messages
import Text

/// The messages that each person has, by what they are about: the sentence of each item.
struct SentMessages: Sendable {
    private struct Recipient: Hashable, Sendable {
        var person: String
        var kind: Notification.Kind
    }

    private var sentences: [Recipient: [String: String]] = [:]
    /// The language of the titles.
    private let texts: Texts

    init(_ texts: Texts) { self.texts = texts }

    /// Continues with the sentence of an item that a former process has sent.
    mutating func restore(_ text: String, of item: String, _ kind: Notification.Kind, to person: String) {
        sentences[Recipient(person: person, kind: kind), default: [:]][item] = text
    }

    /// Adds the sentence of an item to a person's message of its kind, and sends that.
    ///
    /// - Parameter name: the name of an item.
    mutating func send(
        _ notification: Notification, to person: String, name: (String) -> String
    ) -> PersonalMessage.Change {
        let (kind, item) = (notification.kind, notification.item)
        restore(notification.message, of: item, kind, to: person)
        let sentences = (sentences[Recipient(person: person, kind: kind)] ?? [:]).sorted { $0.key < $1.key }
        let names = ["items": sentences.map { name($0.key) }.joined(separator: ", ")]
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
                text: sentences.map(\.value).joined(separator: "\n"), items: sentences.map(\.key),
                isUrgent: kind != .low, at: notification.stamp.at))
    }

    /// Withdraws the messages to a person.
    mutating func remove(person: String) -> [PersonalMessage.Change] {
        withdraw(sentences.keys.filter { $0.person == person })
    }

    /// Takes an item out of the messages of a kind, or (`nil`) of any kind; withdraws messages about no other item.
    mutating func end(_ item: String, _ kind: Notification.Kind?) -> [PersonalMessage.Change] {
        let concerned = sentences.filter { $0.value[item] != nil && $0.key.kind == kind ?? $0.key.kind }.keys
        for recipient in concerned { sentences[recipient]![item] = nil }
        return withdraw(concerned.filter { sentences[$0]!.isEmpty })
    }

    private mutating func withdraw(_ recipients: [Recipient]) -> [PersonalMessage.Change] {
        for recipient in recipients { sentences[recipient] = nil }
        return recipients.map { .withdraw(person: $0.person, key: $0.kind.rawValue) }
    }
}
