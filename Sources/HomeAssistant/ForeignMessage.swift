/// A message on a topic outside this project, in a format that Home Assistant defines.
package struct ForeignMessage: Hashable, Sendable {
    /// The topic as MQTT text.
    package let topic: String
    /// The payload; an empty retained payload deletes the retained message.
    package let payload: [UInt8]
    /// Whether the broker retains the message. Retained messages have QoS 1; other messages are repeated and have QoS 0.
    package let isRetained: Bool

    package init(topic: String, payload: [UInt8], isRetained: Bool) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
