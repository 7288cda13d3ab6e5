import EventLogs
import Messages

/// States that wait for the events which explain them, as those have to be on the disk before they go.
///
/// Who saw a ranged state vanish before its exit could only report `unknown`, and who saw a region `inside` before its enter
/// would take it for the past. Who saw a battery low before its event would take the event for published. One message for each topic waits at most: a newer one takes its place.
package struct HeldStates: Sendable {
    /// Cleared states wait up to this number. Beyond it the oldest are dropped: the state that the broker has of their topics expires.
    package static let mostCleared = 10_000

    /// In the order of their events. A message that was replaced leaves a gap.
    private var waiting: [(message: Message, after: UInt64)?] = []
    /// How many messages and gaps were before the first of `waiting`.
    private var before = 0
    /// Where the message of a topic waits, counted from the first one ever.
    private var places: [Topic: Int] = [:]
    private var cleared = 0

    package init() {}

    package var count: Int { places.count }

    /// Holds what is to be published next, or gives it back unless it has to wait for an event of `log`.
    package mutating func pass(_ message: Message, behind log: EventLog) -> Message? {
        let hasEvents: Bool
        switch message.topic {
        case .regionState, .itemHealth: hasEvents = true
        case .proximity: hasEvents = message.payload.isEmpty
        default: return message
        }
        remove(message.topic)
        let last = log.upcoming - 1
        guard hasEvents, !log.isHandedOver(last) else { return message }
        places[message.topic] = before + waiting.count
        waiting.append((message, last))
        if message.payload.isEmpty { cleared += 1 }
        if cleared > Self.mostCleared || waiting.count > 2 * count + Self.mostCleared { tidy() }
        return nil
    }

    /// Those whose events have been handed over.
    package mutating func release(behind log: EventLog) -> [Message] {
        let due = waiting.prefix { $0.map { log.isHandedOver($0.after) } ?? true }
        guard !due.isEmpty else { return [] }
        let messages = due.compactMap { $0?.message }
        waiting.removeFirst(due.count)
        before += due.count
        for message in messages { forget(message) }
        return messages
    }

    /// All of them, whatever they wait for: for a farewell, behind all events.
    package mutating func removeAll() -> [Message] {
        defer { self = HeldStates() }
        return waiting.compactMap { $0?.message }
    }

    private mutating func remove(_ topic: Topic) {
        guard let place = places[topic], let held = waiting[place - before] else { return }
        waiting[place - before] = nil
        forget(held.message)
    }

    private mutating func forget(_ message: Message) {
        places[message.topic] = nil
        if message.payload.isEmpty { cleared -= 1 }
    }

    /// Closes the gaps, and drops the oldest cleared states if there are too many: more than one, so that this happens rarely.
    private mutating func tidy() {
        var surplus = cleared > Self.mostCleared ? Self.mostCleared / 8 : 0
        cleared -= surplus
        let held = waiting.compactMap { $0 }.filter { held in
            guard surplus > 0, held.message.payload.isEmpty else { return true }
            surplus -= 1
            return false
        }
        waiting = held
        before = 0
        places = [:]
        for (place, held) in held.enumerated() { places[held.message.topic] = place }
    }
}
