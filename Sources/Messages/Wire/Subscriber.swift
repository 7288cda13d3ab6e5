/// Who reads from the broker, by what it needs to read.
public enum Subscriber: Hashable, Sendable {
    /// A gateway: the registry, and the requests to it.
    case gateway(id: String)
    /// The aggregator: the gateways and what they say, the registry and its own retained topics as the broker has them, requests.
    case aggregator
    /// A command that shows what is retained: locations, notifications, the registry, and who is alive.
    case viewer
    /// A command that shows what is being received now: the ranged states.
    case rangedStates
    /// A command that goes on with the items' events.
    case follower
    /// Whoever asked all gateways for `what`.
    case askerOfGateways(what: String)
    /// Whoever asked the aggregator for `what`.
    case askerOfAggregator(what: String)
}
