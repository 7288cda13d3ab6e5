/// A topic filter, and how the broker shall treat what matches it.
public struct Subscription: Hashable, Sendable {
    /// When the broker sends what it retains for the filter. MQTT 3.1.1 knows only `always`.
    public enum Retained: Int32, Sendable {
        /// At each subscription, so after each connect.
        case always = 0
        /// Only where the session had no such subscription.
        case whenNew = 0x10
        /// Not at all.
        case never = 0x20
    }

    /// The filter, with `+` and `#`.
    public var filter: String
    /// The best that the broker shall deliver with.
    public var qos: QoS
    /// Whether to be spared one's own publications (MQTT 5).
    public var noLocal: Bool
    /// Whether `BrokerMessage.retained` says how it was published, instead of whether it comes from the broker's store (MQTT 5).
    public var retainAsPublished: Bool
    /// When the broker sends what it retains.
    public var retained: Retained

    /// A subscription that gets all that matches, the retained at each connect.
    public init(
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
