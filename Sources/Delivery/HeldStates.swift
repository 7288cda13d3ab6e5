import EventLogs
import Messages

/// States that wait for the events which explain them, as those have to be on the disk before they go.
///
/// Who saw a ranged state vanish before its exit could only report `unknown`, and who saw a region `inside` before its enter
/// would take it for the past. Who saw a battery low before its event would take the event for published. One message for each topic waits at most: a newer one takes its place.
package struct HeldStates: Sendable {
    private var waiting: [(message: Message, after: UInt64)] = []

    /// Nothing waits.
    package init() {}

    /// Holds what is to be published next, or gives it back unless it has to wait for an event of `log`.
    package mutating func pass(_ message: Message, behind log: EventLog) -> Message? {
        let hasEvents: Bool
        switch message.topic {
        case .regionState, .itemHealth: hasEvents = true
        case .proximity: hasEvents = message.payload.isEmpty
        default: return message
        }
        waiting.removeAll { $0.message.topic == message.topic }
        let last = log.upcoming - 1
        guard hasEvents, !log.isHandedOver(last) else { return message }
        waiting.append((message, last))
        return nil
    }

    /// Those whose events have been handed over.
    package mutating func release(behind log: EventLog) -> [Message] {
        guard !waiting.isEmpty else { return [] }
        defer { waiting.removeAll { log.isHandedOver($0.after) } }
        return waiting.filter { log.isHandedOver($0.after) }.map(\.message)
    }

    /// All of them, whatever they wait for: for a farewell, behind all events.
    package mutating func removeAll() -> [Message] {
        defer { waiting.removeAll() }
        return waiting.map(\.message)
    }
}
