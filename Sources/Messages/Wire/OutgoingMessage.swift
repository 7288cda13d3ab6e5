/// A message with everything that a broker has to know of it, whatever connection publishes it.
package struct OutgoingMessage: Hashable, Sendable {
    /// The topic's whole name: no wildcards, 1 to 65,535 bytes of UTF-8.
    package var topic: String
    /// The payload; empty and retained clears the topic.
    package var payload: [UInt8]
    package var qos: QoS
    package var retain: Bool
    /// Seconds after which the broker drops the message; `nil` is never. MQTT 3.1.1 has no expiry.
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

    /// The number of bytes that the message counts in a queue.
    package var size: Int { topic.utf8.count + payload.count }
}
