/// One topic filter with the QoS to subscribe with.
public struct Subscription: Hashable, Sendable {
    /// The filter, with MQTT's wildcards.
    public var filter: String
    /// The highest QoS with which its messages shall come.
    public var qos: QoS

    /// A filter, at least once unless said otherwise.
    public init(_ filter: String, _ qos: QoS = .atLeastOnce) {
        self.filter = filter
        self.qos = qos
    }
}
