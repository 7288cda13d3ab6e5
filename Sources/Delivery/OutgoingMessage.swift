import HomeAssistant
import EventLogs
import Messages

/// A message with everything that a broker has to know of it, whatever connection publishes it.
package struct OutgoingMessage: Hashable, Sendable {
    /// The topic's whole name.
    package var topic: String
    /// The payload; empty and retained clears the topic.
    package var payload: [UInt8]
    /// How the message is delivered.
    package var qos: QoS
    /// Whether the broker retains the message.
    package var retain: Bool
    /// Seconds after which the broker drops the message; `nil` is never.
    package var expirySeconds: UInt32?

    package init(
        topic: String, payload: [UInt8], qos: QoS = .atMostOnce, retain: Bool = false, expirySeconds: UInt32? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
        self.expirySeconds = expirySeconds
    }

    /// A message under its topic's name, delivered as its topic is.
    package init(_ message: Message, under prefix: TopicPrefix) {
        self.init(
            topic: message.topic.name(under: prefix), payload: message.payload, qos: message.qos,
            retain: message.retain, expirySeconds: message.expirySeconds)
    }

    /// A message on a topic that is not ours, delivered as its properties are.
    package init(_ message: ForeignMessage) {
        self.init(
            topic: message.topic, payload: message.payload, qos: message.isRetained ? .atLeastOnce : .atMostOnce,
            retain: message.isRetained)
    }

    /// An event: acknowledged by the broker, and never retained.
    package init(_ entry: Entry) {
        self.init(topic: entry.topic, payload: entry.payload, qos: .atLeastOnce)
    }
}
