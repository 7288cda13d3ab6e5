/// A message on a topic that is not ours: Home Assistant has said what stands there and how.
public struct ForeignMessage: Hashable, Sendable {
    /// Where it goes, as MQTT has it.
    public let topic: String
    /// What it says; empty and retained: the broker forgets what it kept.
    public let payload: [UInt8]
    /// Whether the broker keeps it. What is kept is delivered at least once, what comes again within seconds at most once.
    public let isRetained: Bool

    /// Creates a message from all its properties.
    public init(topic: String, payload: [UInt8], isRetained: Bool) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
