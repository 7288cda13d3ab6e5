import Messages

/// The item events that were published after the site was last written to disk.
///
/// A new process applies the same events of the gateways again, and must not publish these item events again. The event log is on disk
/// before an event is published and before the site is written. So the events that would be published twice are exactly those events of the
/// log that are newer than the stored site.
struct AlreadyPublishedEvents: Sendable {
    private var byItem: [String: [ItemEvent]] = [:]

    init() {}

    /// Oldest first.
    init(_ events: some Sequence<ItemEvent>) {
        for event in events { byItem[event.item, default: []].append(event) }
    }

    var isEmpty: Bool { byItem.isEmpty }
    /// The events of each item, oldest first.
    var events: [ItemEvent] { byItem.values.flatMap { $0 } }

    /// The published event that an event of an item repeats; `nil`: it is new. Each published event counts once.
    ///
    /// Moves are skipped: they follow from ranged states, which do not arrive again. Where another gateway's event was the last one, the order
    /// decides, which holds on one machine. If the changes differ from the published ones, the rest is new.
    mutating func published(_ event: ItemEvent) -> ItemEvent? {
        guard event.change.isPresence, let published = byItem[event.item] else { return nil }
        let same = published.firstIndex { event.isSame(as: $0) } ?? published.firstIndex { $0.change.isPresence }
        guard let same, event.mayBeSame(as: published[same]) else {
            byItem[event.item] = nil
            return nil
        }
        byItem[event.item] = Array(published[(same + 1)...])
        return published[same]
    }

    /// Whether the last published `left` or `returned` of an item contradicts `presence`.
    func contradicts(_ presence: Presence, of item: String) -> Bool {
        switch byItem[item]?.last(where: \.change.isPresence)?.change {
        case .left: presence == .home
        case .returned: presence == .away
        default: false
        }
    }

    /// The items of which only moves were published, and the rooms to which they moved last.
    var lastRooms: [(item: String, room: String)] {
        byItem.compactMap { item, published in
            guard published.allSatisfy({ !$0.change.isPresence }), case .moved(_, let room) = published.last?.change
            else { return nil }
            return (item, room)
        }
    }
}
