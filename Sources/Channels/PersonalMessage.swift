import Beacons

/// A message to one person, for example that the person forgot something.
///
/// Who hands the message over may hand it over again: a message that equals the one that is known changes nothing. So the decision that a
/// message follows from needs no record of what became of the message.
package struct PersonalMessage: Hashable, Sendable {
    package var person: String
    /// What the message is about. A later message of the same person and key replaces the earlier one, on the phone as well.
    package var key: String
    /// The heading, for example "Forgotten: keys".
    package var title: String
    /// The sentences below the heading.
    package var text: String
    /// The ids of the items that an acknowledgement of the message acknowledges.
    package var items: [String]
    /// Whether the message may break a phone's silence.
    package var isUrgent: Bool
    /// When the message was decided. A message that is older than `longestDelay` is not sent.
    package var at: WallTime

    package init(
        person: String, key: String, title: String, text: String, items: [String] = [], isUrgent: Bool = false,
        at: WallTime
    ) {
        self.person = person
        self.key = key
        self.title = title
        self.text = text
        self.items = items
        self.isUrgent = isUrgent
        self.at = at
    }

    /// A message that has waited for longer is dropped, and reported as one that reached nobody.
    package static let longestDelay = Interval.seconds(6 * 3600)

    /// What is decided about the messages of persons.
    package enum Change: Hashable, Sendable {
        /// Send this message, in place of an earlier one of its person and key.
        case send(PersonalMessage)
        /// The message is no longer true: remove it from the person's phone, and do not send it any more.
        case withdraw(person: String, key: String)
        /// Somebody acknowledged what messages with this key (`nil`: with any) report of this item: a message all of whose items are acknowledged
        /// is withdrawn.
        case acknowledged(item: String, key: String? = nil)
    }
}
