import Beacons
import Messages

/// What a simulation published, and what became of it.
struct LoadCount: Sendable {
    private var kinds: [(name: String, messages: Int, bytes: Int)] = []
    /// The messages of QoS 1 that the broker has not acknowledged yet.
    private(set) var unacknowledged = 0
    private(set) var refused = 0
    /// The first refusal, in a sentence.
    private(set) var refusal: String?
    /// How much later than planned a second ended, at most.
    var backlog = Interval.zero
    /// Items in range that the aggregator did not report as home.
    var withoutLocation = 0

    /// The number of messages.
    var published: Int { kinds.reduce(0) { $0 + $1.messages } }

    mutating func add(_ message: Message) {
        let name = message.topic.kind
        let place = kinds.firstIndex { $0.name == name } ?? kinds.count
        if place == kinds.count { kinds.append((name, 0, 0)) }
        kinds[place].messages += 1
        kinds[place].bytes += message.payload.count
        if message.qos == .atLeastOnce { unacknowledged += 1 }
    }

    mutating func acknowledged() { unacknowledged -= 1 }

    mutating func refused(_ reason: String, isAcknowledged: Bool) {
        if isAcknowledged { unacknowledged -= 1 }
        refused += 1
        refusal = refusal ?? reason
    }

    /// The report, one line for each kind of message.
    var lines: [String] {
        var lines = kinds.sorted { $0.name < $1.name }.map {
            "Published \($0.name): \($0.messages) messages, \($0.bytes) bytes of payload"
        }
        lines.append(
            "Published in all: \(published) messages; not acknowledged: \(unacknowledged); refused: \(refused)")
        if let refusal { lines.append("The first refusal: \(refusal)") }
        if backlog >= .seconds(1) {
            lines.append("The broker or this machine was too slow: \(Int(backlog.seconds)) s behind the plan at most")
        }
        return lines
    }
}

extension Topic {
    /// The kind of message, in a word or two.
    fileprivate var kind: String {
        switch self {
        case .proximity: "ranged states"
        case .beaconEvent, .regionEvent: "events"
        case .gatewayInfo: "infos"
        case .gatewayAvailability: "availabilities"
        default: "other messages"
        }
    }
}
