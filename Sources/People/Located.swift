import Beacons
import Messages

/// What is decided of an item: where it is, and when it was received last.
package struct Located: Hashable, Sendable {
    package var id: String
    package var name: String
    package var presence: Presence
    /// The item's room, if it is home and the room is known.
    package var room: String?
    /// Since when it is in the room, or away.
    package var since: WallTime?
    /// When a gateway received it last; `nil`: never.
    package var receivedAt: Instant?
    /// Whether it is home and was not received for unusually long.
    package var isSilent = false
    /// Whether it is away, and faded before it fell silent.
    package var hasFaded = false
    /// Whether it is away, probably because its battery is empty: then it shows nothing of people.
    package var hasEmptyBattery = false
    /// Whether it is silent at rest.
    package var sleeps: Bool
    /// Whose it is.
    package var ownership: Ownership?

    package init(
        id: String, name: String, presence: Presence, room: String? = nil, since: WallTime? = nil,
        receivedAt: Instant? = nil, sleeps: Bool = false, ownership: Ownership? = nil
    ) {
        (self.id, self.name, self.presence, self.since) = (id, name, presence, since)
        self.room = presence == .home ? room : nil
        (self.receivedAt, self.sleeps, self.ownership) = (receivedAt, sleeps, ownership)
    }

    /// Whether a gateway received it at that time or later.
    func isReceived(since instant: Instant) -> Bool { receivedAt.map { $0 >= instant } ?? false }
}
