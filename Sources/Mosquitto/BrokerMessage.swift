import Messages

/// One message from the broker. Its bytes are not trustworthy: any client may have sent them.
package struct BrokerMessage: Hashable, Sendable {
    /// The topic, as valid UTF-8.
    package var topic: String
    /// The payload, at most `BrokerOptions.largestPayload` bytes.
    package var payload: [UInt8]
    /// Whether the broker had stored the message.
    package var retained: Bool
    package var qos: QoS

    /// The remaining seconds until the message expires (MQTT 5); `nil` if it does not expire, or if the broker sent no
    /// expiry.
    package var expiresInSeconds: UInt32?

    /// The number of bytes that the message counts in a queue.
    var size: Int { topic.utf8.count + payload.count }
}
