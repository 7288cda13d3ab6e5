import Messages

/// Why somebody is notified of an item.
package enum Alarm: Hashable, Sendable {
    /// The last owner who was home departed without the item; the ids of those who departed then.
    case forgotten(by: [String])
    /// The item left without any of its owners; its last room, if known.
    case taken(from: String?)
    /// The item is in a room in which it must not be alone, and no owner is near.
    case alone(in: String)

    package var kind: Notification.Kind {
        switch self {
        case .forgotten: .forgotten
        case .taken: .taken
        case .alone: .alone
        }
    }
}
