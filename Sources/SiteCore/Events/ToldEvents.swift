import Messages

/// What was told of the items after the site was last kept on disk: a start that applies the same gateways' events again shall not tell
/// it again.
///
/// The log of item events is on disk before an event is published, and before the site is kept: so what the log has beyond the kept site
/// is exactly what was told and would be told once more.
struct ToldEvents: Sendable {
    private var byItem: [String: [ItemEvent.Change]] = [:]

    init() {}

    /// Oldest first.
    init(_ events: some Sequence<ItemEvent>) {
        for event in events { byItem[event.item, default: []].append(event.change) }
    }

    var isEmpty: Bool { byItem.isEmpty }

    /// Whether a change of an item was told already; each counts once. Moves in between follow from what cannot be heard again: they
    /// are stepped over. Where the story goes another way this time, it is a new one.
    mutating func wasTold(_ change: ItemEvent.Change, of item: String) -> Bool {
        guard let told = byItem[item], let next = told.firstIndex(where: { $0.isPresence }) else { return false }
        guard change.isPresence else { return false }
        if told[next].word == change.word {
            byItem[item] = Array(told[(next + 1)...])
            return true
        }
        byItem[item] = nil
        return false
    }

    /// Whether the last leaving or return that was told of an item says something else than `presence`.
    func contradicts(_ presence: Presence, of item: String) -> Bool {
        switch byItem[item]?.last(where: \.isPresence) {
        case .left: presence == .home
        case .returned: presence == .away
        default: false
        }
    }

    /// The room that was told last, if nothing but moves was told since: the item's id and where it went.
    var lastRooms: [(item: String, room: String)] {
        byItem.compactMap { item, told in
            guard told.allSatisfy({ !$0.isPresence }), case .moved(_, let room) = told.last else { return nil }
            return (item, room)
        }
    }
}
