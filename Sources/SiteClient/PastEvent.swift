import Beacons
import Messages

/// A change of an item's past, without the id that its event has in the event log.
struct PastEvent: Hashable {
    var change: ItemEvent.Change
    var at: WallTime
    /// Why the item was away, if it had probably not left; only the event log has that.
    var probableCause: ProbableCause?

    /// What happened, as tables show it: "left (probably an empty battery)".
    var words: String { change.word + probableCause.suffix }

    /// The steps from one stay to the next.
    ///
    /// Presence that was unknown for a while is no event: what counts is where the item was before and after. An item that was removed and
    /// added again begins anew.
    ///
    /// - Parameter known: the item's events in the event log. From the first of them on there are no other ones: a room that an item was in for a
    ///   few seconds is a stay, and no event.
    static func events(
        of stays: [StaysResponse.Stay], since: WallTime? = nil, before known: [ItemEvent] = []
    ) -> [PastEvent] {
        let first = known.map(\.stamp.at).min()
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
            if let first, stay.from >= first { break }
            if let change, since.map({ stay.from >= $0 }) ?? true {
                events.append(PastEvent(change: change, at: stay.from))
            }
        }
        return events
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

extension PastEvent {
    /// The change that an event of the event log reports.
    init(_ event: ItemEvent) {
        self.init(change: event.change, at: event.stamp.at, probableCause: event.probableCause)
    }
}
