import Beacons
import Messages

/// A change of an item's past, without the id that its event has in the event log.
struct PastEvent: Hashable {
    var change: ItemEvent.Change
    var at: WallTime

    /// The steps from one stay to the next.
    ///
    /// Presence that was unknown for a while is no event: what counts is where the item was before and after. An item that was removed and
    /// added again begins anew.
    static func events(of stays: [StaysResponse.Stay], since: WallTime? = nil) -> [PastEvent] {
        var events: [PastEvent] = []
        var presence = Presence.unknown
        var room: String?
        var end: WallTime?
        for stay in stays {
            if end != stay.from { (presence, room) = (.unknown, nil) }
            end = stay.to
            let change: ItemEvent.Change?
            switch (presence, stay.presence) {
            case (_, .unknown): continue
            case (.home, .home):
                if let from = room, let to = stay.room, from != to {
                    change = .moved(from: from, to: to)
                } else {
                    change = nil
                }
                room = stay.room ?? room
            case (.away, .home):
                change = .returned(to: stay.room)
                room = stay.room
            case (.home, .away):
                change = .left(from: room)
                room = nil
            default:
                change = nil
                room = stay.room
            }
            presence = stay.presence
            if let change, since.map({ stay.from >= $0 }) ?? true {
                events.append(PastEvent(change: change, at: stay.from))
            }
        }
        return events
    }

    /// What a change has in common with its event, whose room may have become known later.
    private struct Key: Hashable {
        var word: String
        var at: WallTime
    }

    /// The events of the event log that report these changes, with the rooms that the changes have; `nil` where the event log has none.
    static func logged(_ changes: [PastEvent], among events: [ItemEvent]) -> [ItemEvent?] {
        let known = Dictionary(
            events.map { (Key(word: $0.change.word, at: $0.stamp.at), $0) }, uniquingKeysWith: { first, _ in first })
        return changes.map { past in
            var event = known[Key(word: past.change.word, at: past.at)]
            event?.change = past.change
            return event
        }
    }

    /// Writes the keys of an `ItemEvent`, without those that only the event log has: `id`, `seq`, `boot` and `uptime_ms`.
    func write(item: String, name: String, to json: inout JSONWriter) {
        json.object { json in
            json.field("v", 1)
            json.field("event_type", change.word)
            json.field("item", item)
            json.field("name", name)
            change.writeRooms(to: &json)
            json.field("at", at)
        }
    }
}
