/// One message that came from the broker. Its bytes are anybody's: nothing in them is to be believed unread.
public struct BrokerMessage: Hashable, Sendable {
    /// The topic: valid UTF-8, whatever else it may be.
    public var topic: String
    /// At most `BrokerOptions.largestPayload` bytes.
    public var payload: [UInt8]
    /// Whether it comes from the broker's store (or was published so, under `Subscription.retainAsPublished`).
    public var retained: Bool
    /// What it was delivered with.
    public var qos: QoS

    /// For how many more seconds the message holds, as the broker counts (MQTT 5); `nil` if it does not expire, or the broker sent no count.
    public var expiresInSeconds: UInt32?

    /// A message as if it had come.
    public init(
        topic: String, payload: [UInt8], retained: Bool = false, qos: QoS = .atMostOnce,
        expiresInSeconds: UInt32? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.retained = retained
        self.qos = qos
        self.expiresInSeconds = expiresInSeconds
    }

    /// What it weighs in a queue.
    var size: Int { topic.utf8.count + payload.count }
}
