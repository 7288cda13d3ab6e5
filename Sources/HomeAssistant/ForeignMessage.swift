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

extension Announcer {
    /// The messages for some of the devices that wait.
    package struct Portion: Sendable {
        /// The messages, in the order of their publication.
        package var messages: [ForeignMessage] = []
        /// Whether Home Assistant has to take in a device: until then it misses what is not retained.
        package var hasNews = false
        /// The items among these devices that Home Assistant did not have before, or that it reads again.
        package var newItems: [String] = []
        /// How many devices the messages concern.
        package var devices = 0
    }
}
