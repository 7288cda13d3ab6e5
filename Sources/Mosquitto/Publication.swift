/// One message to publish.
package struct Publication: Hashable, Sendable {
    /// The topic: no wildcards, 1 to 65,535 bytes of UTF-8.
    package var topic: String
    /// The payload. An empty retained payload deletes the retained message.
    package var payload: [UInt8]
    /// The QoS, which determines whether the broker acknowledges the message.
    package var qos: QoS
    /// Whether the broker retains the message for later subscribers.
    package var retain: Bool
    /// The seconds after which the broker deletes the message; `nil`: never. It is not sent with MQTT 3.1.1, which has
    /// no expiry.
    package var expirySeconds: UInt32?

    /// Creates a message, by default neither retained nor acknowledged.
    package init(
        topic: String, payload: [UInt8], qos: QoS = .atMostOnce, retain: Bool = false, expirySeconds: UInt32? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
        self.expirySeconds = expirySeconds
    }

    /// The number of bytes that the message counts in a queue.
    var size: Int { topic.utf8.count + payload.count }
}
