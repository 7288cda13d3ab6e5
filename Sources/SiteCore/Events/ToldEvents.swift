import Messages

/// The item events that were published after the site was last written to the disk.
///
/// A new process applies the same events of the gateways again, and must not publish these item events again. The event log is on the disk before
/// an event is published and before the site is written. So the events of the log that are newer than the site on the disk are exactly the ones
/// that would be published twice.
struct ToldEvents: Sendable {
    private var byItem: [String: [ItemEvent.Change]] = [:]

    init() {}

    /// Oldest first.
    init(_ events: some Sequence<ItemEvent>) {
        for event in events { byItem[event.item, default: []].append(event.change) }
    }

    var isEmpty: Bool { byItem.isEmpty }

    /// Whether a change of an item was published before; each event counts once.
    ///
    /// Moves are skipped: they follow from ranged states, which do not arrive again. If the changes differ from the published ones, the rest is new.
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

    /// Whether the last published `left` or `returned` of an item contradicts `presence`.
    func contradicts(_ presence: Presence, of item: String) -> Bool {
        switch byItem[item]?.last(where: \.isPresence) {
        case .left: presence == .home
        case .returned: presence == .away
        default: false
        }
    }

    /// The items of which only moves were published, and the rooms to which they moved last.
    var lastRooms: [(item: String, room: String)] {
        byItem.compactMap { item, told in
            guard told.allSatisfy({ !$0.isPresence }), case .moved(_, let room) = told.last else { return nil }
            return (item, room)
        }
    }
}
