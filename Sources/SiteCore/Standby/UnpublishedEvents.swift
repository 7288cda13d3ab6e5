import Beacons
import Messages

/// The events that only one of two aggregators has so far: decided by the standby and not yet published by the active one, or the reverse.
///
/// Both receive the same messages, and so decide the same events, one a little earlier than the other. An event that both have decided is
/// removed. If the active aggregator goes down, its successor publishes the rest: nothing is lost and nothing is repeated. Locations prove
/// nothing: they are published before their events, which go to the disk first. The decision of the active aggregator counts. If it is up
/// and does not publish an event for a while, the event did not happen.
struct UnpublishedEvents: Sendable {
    /// How long an event is stored that only one of the two has decided.
    static let patience = Interval.seconds(20)
    /// Events that only the active one has decided are stored for longer: a standby that starts first applies what it missed.
    static let longPatience = Interval.seconds(75)
    /// The most events of one item on each side; the oldest is dropped first.
    static let most = 32
    /// Two dates of the same event differ by at most this.
    static let tolerance = Interval.seconds(2)

    private struct Decision: Sendable {
        var event: ItemEvent
        var at: Instant
    }

    /// Decided here, by item.
    private var pending: [String: [Decision]] = [:]
    /// Published by the active one, by item.
    private var ahead: [String: [Decision]] = [:]
    /// The last leaving or return that the active one is known to have published, by item.
    private var last: [String: (word: String, at: WallTime)] = [:]

    /// Whether an event waits for the active one.
    var hasPending: Bool { !pending.isEmpty }
    func hasPending(_ item: String) -> Bool { pending[item] != nil }
    /// The most events of one item.
    var longest: Int { max(pending.values.map(\.count).max() ?? 0, ahead.values.map(\.count).max() ?? 0) }

    /// An event was decided here; returns whether it is not to be published, now at least.
    mutating func decide(_ event: ItemEvent, isActive: Bool, at now: Instant) -> Bool {
        let item = event.item
        if event.change.isPresence, let published = ahead[item],
            let next = published.firstIndex(where: { $0.event.change.isPresence })
        {
            let isSame = published[next].event.change.word == event.change.word
            // Another change than the published one is a new event.
            ahead[item] = isSame ? nonEmpty(published[(next + 1)...]) : nil
            if isSame { return true }
        }
        guard !isActive else { return false }
        if isKnown(event) { return true }
        if event.change.isPresence { last[item] = nil }
        pending[item, default: []].append(Decision(event: event, at: now))
        if pending[item]!.count > Self.most { pending[item]!.removeFirst() }
        return true
    }

    /// Another aggregator has published an event.
    mutating func receive(_ event: ItemEvent, at now: Instant) {
        let item = event.item
        guard event.change.isPresence else {
            // Both find the same room in the end, but not by the same moves.
            let rest = pending[item]?.drop { !$0.event.change.isPresence }
            pending[item] = rest.flatMap { nonEmpty($0) }
            return
        }
        last[item] = (event.change.word, event.stamp.at)
        if let waiting = pending[item], let next = waiting.firstIndex(where: { $0.event.change.isPresence }) {
            let isSame = waiting[next].event.change.word == event.change.word
            pending[item] = isSame ? nonEmpty(waiting[(next + 1)...]) : nil
            if isSame { return }
        } else {
            pending[item] = nil
        }
        ahead[item, default: []].append(Decision(event: event, at: now))
        if ahead[item]!.count > Self.most { ahead[item]!.removeFirst() }
    }

    /// Adds events that came back from the event log, as another aggregator took over before the broker had them. Events that the other one
    /// has published by now are removed.
    mutating func addPending(_ events: [ItemEvent], at now: Instant) {
        let later = pending
        pending = [:]
        for event in events { _ = decide(event, isActive: false, at: now) }
        for (item, decisions) in later { pending[item] = (pending[item, default: []] + decisions).suffix(Self.most) }
    }

    /// Drops events that the active aggregator has not decided although it was up, at least until `receivedAt`, and events that this one
    /// has not decided.
    mutating func age(at now: Instant, receivedAt: Instant?) {
        if let receivedAt {
            for (item, decisions) in pending {
                pending[item] = nonEmpty(decisions.filter { receivedAt < $0.at + Self.patience }[...])
            }
        }
        for (item, decisions) in ahead {
            ahead[item] = nonEmpty(decisions.filter { now < $0.at + Self.longPatience }[...])
        }
    }

    /// Returns the events that the former active aggregator did not publish, in order of time. The caller publishes them.
    mutating func release() -> [ItemEvent] {
        defer { pending = [:] }
        let events = pending.sorted { $0.key < $1.key }.flatMap { $0.value.map(\.event) }.filter { !isKnown($0) }
        return events.indices.sorted { (events[$0].stamp.at, $0) < (events[$1].stamp.at, $1) }.map { events[$0] }
    }

    /// Drops the events of removed items.
    mutating func forget(unless isThere: (String) -> Bool) {
        for item in Set(pending.keys).union(ahead.keys).union(last.keys) where !isThere(item) {
            (pending[item], ahead[item], last[item]) = (nil, nil, nil)
        }
    }

    /// Whether an event is the last that was published of its item.
    private func isKnown(_ event: ItemEvent) -> Bool {
        guard event.change.isPresence, let last = last[event.item], last.word == event.change.word else { return false }
        return event.stamp.at <= last.at + Self.tolerance
    }

    private func nonEmpty(_ decisions: ArraySlice<Decision>) -> [Decision]? {
        decisions.isEmpty ? nil : Array(decisions)
    }
}

extension ItemEvent.Change {
    /// Whether the item left or returned.
    var isPresence: Bool {
        if case .moved = self { false } else { true }
    }
}
