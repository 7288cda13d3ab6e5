import Beacons
import Messages

/// The events that one of several aggregators has decided and nobody has published yet.
///
/// All aggregators receive the same messages, and so decide the same events, one a little earlier than the other. An event that another one
/// has published is dropped. If the active aggregator goes down, its successor publishes the rest: nothing is lost and nothing is repeated.
/// Two events are the same if they follow from the same event of a gateway, by its id: order and number differ between two aggregators, as
/// soon as one of them was restarted. An item leaves and returns in turn. So two returns without a departure between them are one, whatever
/// their times: a ranged state may overtake the event of the same gateway, and then one aggregator draws from the state what the other one
/// draws from the event. A move is no news if another aggregator has had the item in that room already, whatever the way there.
/// Locations prove nothing: they are published before their events, which go to the disk first. The decision of the active aggregator
/// counts. If it is up and does not publish an event for a while, the event did not happen.
struct UnpublishedEvents: Sendable {
    /// How long an event is stored that only one of the two has decided.
    static let patience = Interval.seconds(20)
    /// Events that only the active one has decided are stored for longer: a standby that starts first applies what it missed.
    static let longPatience = Interval.seconds(75)
    /// The most events of one item on each side; the oldest is dropped first.
    static let most = 256

    private struct Decision: Sendable {
        var event: ItemEvent
        var at: Instant
    }

    private struct Item: Sendable {
        var pending: [Decision] = []
        /// Published by another one, and not decided here; of moves the last.
        var ahead: [Decision] = []
        /// The room of that move, unless the item left between the move and a time; `nil`: there is none.
        func room(at time: WallTime) -> String? {
            guard !pending.contains(where: \.event.change.isPresence),
                let move = ahead.last(where: { $0.event.change.room != nil })?.event
            else { return nil }
            let hasLeft = ahead.contains {
                $0.event.change.isPresence && $0.event.stamp.at >= move.stamp.at && $0.event.stamp.at <= time
            }
            return hasLeft ? nil : move.change.room
        }
        /// The newest event of each gateway from which a published event follows. The active one has decided what follows from all up to that.
        var covered: ByGateway<EventID> = [:]

        /// Whether the active one had applied the gateway's event from which an event follows.
        func covers(_ event: ItemEvent) -> Bool {
            guard let cause = event.cause, let last = covered[cause.gateway] else { return false }
            return last.boot == cause.event.boot && cause.event.seq <= last.seq
        }

        /// Notes an event that another one has published, and that was not decided here.
        mutating func addAhead(_ event: ItemEvent, at now: Instant) {
            ahead.append(Decision(event: event, at: now))
            if ahead.count > UnpublishedEvents.most { ahead.removeFirst() }
        }

        /// Drops what another one has published up to a departure or return. An alarm may have the time of the departure that it follows.
        mutating func dropAhead(until time: WallTime) {
            ahead.removeAll {
                ($0.event.change.isPresence || $0.event.change.room != nil) && $0.event.stamp.at <= time
            }
        }

        /// Drops moves that another one has published up to a departure or return which both have decided.
        mutating func dropMovesAhead(until time: WallTime) {
            ahead.removeAll { $0.event.change.room != nil && $0.event.stamp.at <= time }
        }
    }

    private var items: [String: Item] = [:]

    /// The events that nobody has published, oldest first.
    var pending: [ItemEvent] {
        let events = items.sorted { $0.key < $1.key }.flatMap { $0.value.pending.map(\.event) }
        return events.indices.sorted { (events[$0].stamp.at, $0) < (events[$1].stamp.at, $1) }.map { events[$0] }
    }
    func hasPending(_ item: String) -> Bool { items[item]?.pending.isEmpty == false }
    /// The most events of one item.
    var longest: Int { items.values.reduce(0) { max($0, $1.pending.count, $1.ahead.count) } }

    /// An event was decided here; returns whether it is not to be published, now at least.
    ///
    /// - Parameter mayPublish: whether this aggregator publishes what nobody has published.
    mutating func decide(_ event: ItemEvent, mayPublish: Bool, at now: Instant) -> Bool {
        var item = items[event.item] ?? Item()
        defer { items[event.item] = item }
        if event.change.isPresence {
            if let same = item.ahead.firstIndex(where: { event.isSame(as: $0.event) })
                ?? Self.only(event, in: item.ahead, beside: item.pending)
            {
                // A response may bring an older event behind a newer one.
                item.dropAhead(until: item.ahead[same].event.stamp.at)
                return true
            }
            if item.covers(event) {
                item.dropMovesAhead(until: event.stamp.at)
                return true
            }
            item.dropAhead(until: event.stamp.at)
        } else if let room = event.change.room {
            // A way to where the other one has the item is no move, and neither is a detour from there.
            if room == item.room(at: event.stamp.at) {
                item.pending.removeAll { $0.event.change.room != nil }
                return true
            }
            if mayPublish { item.ahead.removeAll { $0.event.change.room != nil } }
        } else if let same = item.ahead.firstIndex(where: { event.isSame(as: $0.event) }) {
            item.ahead.remove(at: same)
            return true
        }
        guard !mayPublish else { return false }
        item.pending.append(Decision(event: event, at: now))
        if item.pending.count > Self.most { item.pending.removeFirst() }
        return true
    }

    /// Another aggregator has published an event.
    mutating func receive(_ event: ItemEvent, at now: Instant) {
        var item = items[event.item] ?? Item()
        defer { items[event.item] = item }
        if event.change.isLow { return item.pending.removeAll(where: \.event.change.isLow) }
        guard event.change.isPresence else {
            let word = event.change.word
            let before = item.pending.prefix { !$0.event.change.isPresence }
            let isKnown = before.contains { $0.event.change.word == word }
            // Both find the same room in the end, but not by the same moves.
            item.pending.replaceSubrange(..<before.endIndex, with: before.filter { $0.event.change.word != word })
            if event.change.room != nil { item.ahead.removeAll { $0.event.change.room != nil } }
            if event.change.room != nil || !isKnown { item.addAhead(event, at: now) }
            return
        }
        let isKnown = item.covers(event)
        if !isKnown, let cause = event.cause, item.covered.count < GatewayRecord.most {
            item.covered[cause.gateway] = cause.event
        }
        if let same = item.pending.lastIndex(where: { $0.event.isSame(as: event) })
            ?? Self.only(event, in: item.pending, beside: item.ahead)
        {
            item.pending.removeFirst(same + 1)
            item.dropMovesAhead(until: event.stamp.at)
        } else if !isKnown {
            item.addAhead(event, at: now)
        }
        item.pending.removeAll { [item] in item.covers($0.event) }
    }

    /// Where one side has the departure or return of the other one, if it is the only one on both sides that has no counterpart yet.
    private static func only(_ event: ItemEvent, in side: [Decision], beside other: [Decision]) -> Int? {
        guard let index = side.firstIndex(where: \.event.change.isPresence), event.mayBeSame(as: side[index].event),
            !(side[(index + 1)...] + other).contains(where: \.event.change.isPresence)
        else { return nil }
        return index
    }

    /// Adds events that were decided before: by a former process, or because another aggregator took over before the broker had them. Events
    /// that another one has published by now are removed.
    mutating func addPending(_ events: [ItemEvent], at now: Instant) {
        let later = items.mapValues(\.pending)
        for id in Array(items.keys) { items[id]?.pending = [] }
        for event in events { _ = decide(event, mayPublish: false, at: now) }
        for (id, decisions) in later {
            let earlier = items[id]?.pending ?? []
            items[id]?.pending = (earlier + decisions).suffix(Self.most)
        }
    }

    /// Drops events that the active aggregator has not decided although it was up, at least until `receivedAt`, and events that this one
    /// has not decided.
    mutating func age(at now: Instant, receivedAt: Instant?) {
        for id in Array(items.keys) {
            if let receivedAt { items[id]?.pending.removeAll { receivedAt >= $0.at + Self.patience } }
            items[id]?.ahead.removeAll { now >= $0.at + Self.longPatience }
        }
    }

    /// Returns the events that the former active aggregator did not publish, in order of time. The caller publishes them.
    mutating func release() -> [ItemEvent] {
        defer {
            for (id, item) in items where !item.pending.isEmpty {
                items[id]?.pending = []
                // A move is no news only for as long as the other one's is the last.
                items[id]?.ahead.removeAll { $0.event.change.room != nil }
            }
        }
        return pending
    }

    mutating func forget(unless isThere: (String) -> Bool) {
        for id in Array(items.keys) where !isThere(id) { items[id] = nil }
    }
}

extension ItemEvent {
    /// Two dates of the same event differ by at most this.
    private static let tolerance = Interval.seconds(5)
    /// Two dates of the same alarm differ by at most this: of people who depart together, each may be the one whose departure dates the alarm.
    private static let alarmTolerance = Interval.seconds(120)

    /// Whether nothing excludes that two departures, two returns, or two alarms of one kind, are the same.
    func mayBeSame(as other: ItemEvent) -> Bool {
        guard change.word == other.change.word else { return false }
        guard let cause, let second = other.cause, cause.gateway == second.gateway else { return true }
        return cause.event == second.event
    }

    /// Whether two aggregators, or two runs of one, mean the same departure, return or alarm.
    ///
    /// An item may leave and return at several gateways at once, of which each aggregator may have applied another one last. Then the times decide.
    func isSame(as other: ItemEvent) -> Bool {
        guard mayBeSame(as: other) else { return false }
        if cause != nil, cause == other.cause { return true }
        let difference = max(stamp.at - other.stamp.at, other.stamp.at - stamp.at)
        return difference <= (change.isPresence ? Self.tolerance : Self.alarmTolerance)
    }
}

extension ItemEvent.Change {
    /// The room of a move; `nil`: this is none.
    fileprivate var room: String? { if case .moved(_, let room) = self { room } else { nil } }
}
