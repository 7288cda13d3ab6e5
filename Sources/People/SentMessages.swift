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
    /// Those whose message has lost an item in this step, and goes on with the others.
    private var haveSettled: Set<Recipient> = []
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
        restore(notification.message, of: notification.item, notification.kind, to: person)
        return .send(
            message(to: Recipient(person: person, kind: notification.kind), at: notification.stamp.at, name: name))
    }

    /// What replaces the messages that have lost an item since the last call, while they are about others.
    mutating func replacements(at now: WallTime, name: (String) -> String) -> [PersonalMessage.Change] {
        defer { haveSettled = [] }
        return haveSettled.filter { sentences[$0] != nil }.map { recipient in
            var message = message(to: recipient, at: now, name: name)
            message.settledAt = now
            return .send(message)
        }
    }

    private func message(to recipient: Recipient, at now: WallTime, name: (String) -> String) -> PersonalMessage {
        let sentences = (sentences[recipient] ?? [:]).sorted { $0.key < $1.key }
        let names = ["items": sentences.map { name($0.key) }.joined(separator: ", ")]
        let title =
            switch recipient.kind {
            case .forgotten: texts.localized("Forgotten: {items}", names)
            case .taken: texts.localized("Taken: {items}", names)
            case .low: texts.localized("Low battery: {items}", names)
            default: texts.localized("Alone: {items}", names)
            }
        return PersonalMessage(
            person: recipient.person, key: recipient.kind.rawValue, title: title,
            text: sentences.map(\.value).joined(separator: "\n"), items: sentences.map(\.key),
            isUrgent: recipient.kind != .low, at: now)
    }

    /// Withdraws the messages to a person.
    mutating func remove(person: String) -> [PersonalMessage.Change] {
        withdraw(sentences.keys.filter { $0.person == person })
    }

    /// Takes an item out of the messages of a kind, or (`nil`) of any kind; withdraws messages about no other item.
    mutating func end(_ item: String, _ kind: Notification.Kind?) -> [PersonalMessage.Change] {
        let concerned = sentences.filter { $0.value[item] != nil && $0.key.kind == kind ?? $0.key.kind }.keys
        for recipient in concerned { sentences[recipient]![item] = nil }
        haveSettled.formUnion(concerned)
        return withdraw(concerned.filter { sentences[$0]!.isEmpty })
    }

    private mutating func withdraw(_ recipients: [Recipient]) -> [PersonalMessage.Change] {
        for recipient in recipients { sentences[recipient] = nil }
        return recipients.map { .withdraw(person: $0.person, key: $0.kind.rawValue) }
    }
}
