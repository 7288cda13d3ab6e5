/// The readers of the broker, each with its own set of subscriptions.
package enum Subscriber: Hashable, Sendable {
    /// A gateway reads the registry, the aliases of items and its requests.
    case gateway(id: String)
    /// The aggregator reads the gateways' messages, the registry, its own retained topics and its requests.
    case aggregator
    /// An aggregator with a name locates a part of the items. It reads nothing that only the aggregator without a name decides about.
    case namedAggregator
    /// One of several aggregators of a site. It also receives the messages of the others.
    case member
    /// The aggregator also reads the rooms' occupancy sensors, if the configuration enables them.
    case roomSensors
    /// A command that shows retained messages: locations, notifications, the registry and availability.
    case viewer
    /// A command that shows the ranged states.
    case rangedStates
    /// A command that follows the items' events.
    case follower
    /// A command that sent a request to all gateways.
    case askerOfGateways(GatewayRequest)
    /// A command that sent a request to the aggregator.
    case askerOfAggregator(SiteRequest)
}
