/// One topic filter with its QoS.
public struct Subscription: Hashable, Sendable {
    /// The filter, with MQTT's wildcards.
    public var filter: String
    /// The highest QoS of the delivered messages.
    public var qos: QoS

    /// Creates a subscription, at least once by default.
    public init(_ filter: String, _ qos: QoS = .atLeastOnce) {
        self.filter = filter
        self.qos = qos
    }
}
