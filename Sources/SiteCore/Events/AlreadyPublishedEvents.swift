import Messages

/// The item events that were published after the site was last written to disk.
///
/// A new process applies the same events of the gateways again, and must not publish these item events again. The event log is on disk
/// before an event is published and before the site is written. So the events that would be published twice are exactly those events of the
/// log that are newer than the stored site.
struct AlreadyPublishedEvents: Sendable {
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
    mutating func wasPublished(_ change: ItemEvent.Change, of item: String) -> Bool {
        guard let published = byItem[item], let next = published.firstIndex(where: { $0.isPresence }) else {
            return false
        }
        guard change.isPresence else { return false }
        if published[next].word == change.word {
            byItem[item] = Array(published[(next + 1)...])
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
        byItem.compactMap { item, published in
            guard published.allSatisfy({ !$0.isPresence }), case .moved(_, let room) = published.last else {
                return nil
            }
            return (item, room)
        }
    }
}
