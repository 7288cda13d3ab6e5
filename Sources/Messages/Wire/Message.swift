/// One message for the broker: its topic decides how it is delivered, its payload how long it holds.
public struct Message: Hashable, Sendable {
    /// Where it goes.
    public let topic: Topic
    /// What it says; empty: the broker forgets what it kept.
    public let payload: [UInt8]
    /// After how many seconds a broker that speaks MQTT 5 forgets it; `nil`: never.
    public let expirySeconds: UInt32?

    /// With which QoS it is published.
    public var qos: QoS { topic.qos }
    /// Whether the broker keeps it.
    public var retain: Bool { topic.isRetained }

    /// A payload on its topic, written by means of `json`, whose buffer is used again.
    public init(_ topic: Topic, _ payload: some Payload, using json: inout JSONWriter) {
        json.removeAll()
        payload.write(to: &json)
        self.init(topic, bytes: json.bytes, expirySeconds: payload.validForSeconds)
    }

    /// A payload on its topic.
    public init(_ topic: Topic, _ payload: some Payload) {
        self.init(topic, bytes: payload.bytes, expirySeconds: payload.validForSeconds)
    }

    /// Whether a gateway or the aggregator is there; never expires, as it is the will, too.
    public init(_ topic: Topic, _ availability: Availability) {
        self.init(topic, bytes: availability.bytes, expirySeconds: nil)
    }

    /// Makes the broker forget what it keeps on `topic`, which must be one that it keeps.
    public static func clearing(_ topic: Topic) -> Message {
        precondition(topic.isRetained, "only what is retained can be cleared")
        return Message(topic, bytes: [], expirySeconds: nil)
    }

    /// Bytes that were a payload before: an event from the log.
    public init(_ topic: Topic, bytes: [UInt8], expirySeconds: UInt32? = nil) {
        self.topic = topic
        self.payload = bytes
        self.expirySeconds = expirySeconds
    }
}
