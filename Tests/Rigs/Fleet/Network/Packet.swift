import Beacons
import Delivery
import EventLogs
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
    /// The number that its writer's connection gave it.
    var publication: UInt64?
    /// From the broker: its number in the session, by which the client confirms it.
    var number: UInt64?

    init(_ message: OutgoingMessage, publication: UInt64? = nil, event: Place? = nil) {
        topic = message.topic
        payload = message.payload
        isAcknowledged = message.qos == .atLeastOnce
        retain = message.retain
        validFor = message.expirySeconds.map { .seconds(Double($0)) }
        self.publication = publication
        self.event = event
    }

    init(_ message: Message) { self.init(OutgoingMessage(message, under: .standard)) }

    /// The packet as a service's connection reports it.
    var message: BrokerEvent { .message(topic: topic, payload: payload, isRetained: retain) }
}
