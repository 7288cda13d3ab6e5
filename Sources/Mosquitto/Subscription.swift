/// A topic filter with its delivery options.
package struct Subscription: Hashable, Sendable {
    /// When the broker sends the retained messages of the filter. MQTT 3.1.1 supports only `always`.
    package enum Retained: Int32, Sendable {
        /// At each subscription, and therefore after each connect.
        case always = 0
        /// Only if the session had no such subscription.
        case whenNew = 0x10
        /// Never.
        case never = 0x20
    }

    /// The filter, with `+` and `#`.
    package var filter: String
    /// The highest QoS of deliveries.
    package var qos: QoS
    /// Whether to exclude the client's own publications (MQTT 5).
    package var noLocal: Bool
    /// Whether `BrokerMessage.retained` is the flag of the publication instead of whether the broker had stored the
    /// message (MQTT 5).
    package var retainAsPublished: Bool
    /// When the broker sends retained messages.
    package var retained: Retained

    /// Creates a subscription that receives all matching messages, and the retained messages at each connect.
    package init(
        _ filter: String, qos: QoS = .atLeastOnce, noLocal: Bool = false, retainAsPublished: Bool = false,
        retained: Retained = .always
    ) {
        self.filter = filter
        self.qos = qos
        self.noLocal = noLocal
        self.retainAsPublished = retainAsPublished
        self.retained = retained
    }
}
