import Beacons
import Journal
import Messages

/// One message on its way, either way.
struct Packet: Sendable {
    var topic: String
    var payload: [UInt8]
    /// QoS 1, or 0.
    var isAcknowledged: Bool
    var retain: Bool
    /// From its publishing on.
    var validFor: Interval?
    /// The event that it is, in its writer's log.
    var event: Place?
    /// From the broker: its number in the session, by which the client confirms it.
    var number: UInt64?

    init(
        topic: String, payload: [UInt8], isAcknowledged: Bool, retain: Bool, validFor: Interval? = nil,
        event: Place? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.isAcknowledged = isAcknowledged
        self.retain = retain
        self.validFor = validFor
        self.event = event
    }

    init(_ message: Message) {
        self.init(
            topic: message.topic.name(under: .standard), payload: message.payload,
            isAcknowledged: message.qos == .atLeastOnce, retain: message.retain,
            validFor: message.expirySeconds.map { .seconds(Double($0)) })
    }
}
