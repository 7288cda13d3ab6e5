/// A message to the broker. The topic determines QoS and retention, the payload determines the expiry.
public struct Message: Hashable, Sendable {
    /// The topic of the message.
    public let topic: Topic
    /// The payload; an empty payload deletes the retained message.
    public let payload: [UInt8]
    /// The seconds after which an MQTT 5 broker deletes the message; `nil`: never.
    public let expirySeconds: UInt32?

    /// The QoS of the publication.
    public var qos: QoS { topic.qos }
    /// Whether the broker retains the message.
    public var retain: Bool { topic.isRetained }

    /// Creates a message from a payload, written with `json`, whose buffer is reused.
    public init(_ topic: Topic, _ payload: some Payload, using json: inout JSONWriter) {
        json.removeAll()
        payload.write(to: &json)
        self.init(topic, bytes: json.ownBytes, expirySeconds: payload.validForSeconds)
    }

    /// Creates a message from a payload.
    public init(_ topic: Topic, _ payload: some Payload) {
        self.init(topic, bytes: payload.bytes, expirySeconds: payload.validForSeconds)
    }

    /// Creates an availability message. It never expires, because it is also the will.
    public init(_ topic: Topic, _ availability: Availability) {
        self.init(topic, bytes: availability.bytes, expirySeconds: nil)
    }

    /// Creates the message that deletes the retained message of `topic`, which must be a retained topic.
    public static func clearing(_ topic: Topic) -> Message {
        precondition(topic.isRetained, "only a retained topic can be cleared")
        return Message(topic, bytes: [], expirySeconds: nil)
    }

    /// Creates a message from bytes that were a payload before, such as an event of the log.
    public init(_ topic: Topic, bytes: [UInt8], expirySeconds: UInt32? = nil) {
        self.topic = topic
        self.payload = bytes
        self.expirySeconds = expirySeconds
    }
}
