/// One message to be published.
public struct Publication: Hashable, Sendable {
    /// Where to: no wildcards, at least one and at most 65,535 bytes of UTF-8.
    public var topic: String
    /// What; empty and retained clears the topic.
    public var payload: [UInt8]
    /// Whether the broker shall acknowledge it.
    public var qos: QoS
    /// Whether the broker keeps it for later subscribers.
    public var retain: Bool
    /// Seconds after which the broker forgets it; `nil` is never. Not sent with MQTT 3.1.1, which has no such thing.
    public var expirySeconds: UInt32?

    /// A message; not retained and not acknowledged unless said so.
    public init(
        topic: String, payload: [UInt8], qos: QoS = .atMostOnce, retain: Bool = false, expirySeconds: UInt32? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
        self.expirySeconds = expirySeconds
    }

    /// What it weighs in a queue: the bytes that it brings along.
    var size: Int { topic.utf8.count + payload.count }
}
