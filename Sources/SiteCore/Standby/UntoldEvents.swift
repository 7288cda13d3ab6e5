import Beacons
import Messages

/// What an aggregator on standby has decided and the active one has not published yet, and the other way round.
///
/// Both receive the same messages, and so decide the same events, one a little earlier than the other. An event that both have decided
/// is struck off. What is left when the active one dies is published by its successor: nothing is lost and nothing is repeated.
/// Locations prove nothing: they are published before their events, which go to the disk first.
/// The active one decides what is true: what it does not publish for a while, though it lives, did not happen.
struct UntoldEvents: Sendable {
    /// How long an event is remembered that only one of the two has decided.
    static let patience = Interval.seconds(20)
    /// Events that only the active one has decided are remembered longer: a standby that starts takes in what it missed first.
    static let longPatience = Interval.seconds(75)
    /// The most events of one item that are remembered on each side; the oldest is dropped first.
    static let most = 32
    /// Two dates of one event differ by no more.
    static let tolerance = Interval.seconds(2)

    private struct Decision: Sendable {
        var event: ItemEvent
        var at: Instant
    }

    /// Decided here, by item.
    private var owed: [String: [Decision]] = [:]
    /// Published by the active one, by item.
    private var ahead: [String: [Decision]] = [:]
    /// The last leaving or return that the active one is known to have published, by item.
    private var last: [String: (word: String, at: WallTime)] = [:]

    /// Whether an event waits for the active one.
    var isOwing: Bool { !owed.isEmpty }
    func isOwing(_ item: String) -> Bool { owed[item] != nil }
    /// The most events of one item.
    var longest: Int { max(owed.values.map(\.count).max() ?? 0, ahead.values.map(\.count).max() ?? 0) }

    /// An event was decided here; returns whether it is not to be published, now at least.
    mutating func decide(_ event: ItemEvent, isActive: Bool, at now: Instant) -> Bool {
        let item = event.item
        if event.change.isPresence, let told = ahead[item],
            let next = told.firstIndex(where: { $0.event.change.isPresence })
        {
            let isSame = told[next].event.change.word == event.change.word
            // Where the story goes another way, it is a new one.
            ahead[item] = isSame ? nonEmpty(told[(next + 1)...]) : nil
            if isSame { return true }
        }
        guard !isActive else { return false }
        if isKnown(event) { return true }
        if event.change.isPresence { last[item] = nil }
        owed[item, default: []].append(Decision(event: event, at: now))
        if owed[item]!.count > Self.most { owed[item]!.removeFirst() }
        return true
    }

    /// Another aggregator has published an event.
    mutating func hear(_ event: ItemEvent, at now: Instant) {
        let item = event.item
        guard event.change.isPresence else {
            // Both find the same room in the end, by ways of their own.
            let rest = owed[item]?.drop { !$0.event.change.isPresence }
            owed[item] = rest.flatMap { nonEmpty($0) }
            return
        }
        last[item] = (event.change.word, event.stamp.at)
        if let waiting = owed[item], let next = waiting.firstIndex(where: { $0.event.change.isPresence }) {
            let isSame = waiting[next].event.change.word == event.change.word
            owed[item] = isSame ? nonEmpty(waiting[(next + 1)...]) : nil
            if isSame { return }
        } else {
            owed[item] = nil
        }
        ahead[item, default: []].append(Decision(event: event, at: now))
        if ahead[item]!.count > Self.most { ahead[item]!.removeFirst() }
    }

    /// Events that came back from the event log, as another aggregator took over before the broker had them.
    /// Those that the other one has published by now are struck off.
    mutating func owe(_ events: [ItemEvent], at now: Instant) {
        let later = owed
        owed = [:]
        for event in events { _ = decide(event, isActive: false, at: now) }
        for (item, decisions) in later { owed[item] = (owed[item, default: []] + decisions).suffix(Self.most) }
    }

    /// Drops what the active one has not decided though it lived, until `heardAt` at least; and what this one has not.
    mutating func age(at now: Instant, heardAt: Instant?) {
        if let heardAt {
            for (item, decisions) in owed {
                owed[item] = nonEmpty(decisions.filter { heardAt < $0.at + Self.patience }[...])
            }
        }
        for (item, decisions) in ahead {
            ahead[item] = nonEmpty(decisions.filter { now < $0.at + Self.longPatience }[...])
        }
    }

    /// What the former active one did not publish, in the order in which it happened: it is the caller's to publish.
    mutating func release() -> [ItemEvent] {
        defer { owed = [:] }
        let events = owed.sorted { $0.key < $1.key }.flatMap { $0.value.map(\.event) }.filter { !isKnown($0) }
        return events.indices.sorted { (events[$0].stamp.at, $0) < (events[$1].stamp.at, $1) }.map { events[$0] }
    }

    /// Forgets items that are no longer there.
    mutating func forget(unless isThere: (String) -> Bool) {
        for item in Set(owed.keys).union(ahead.keys).union(last.keys) where !isThere(item) {
            (owed[item], ahead[item], last[item]) = (nil, nil, nil)
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
