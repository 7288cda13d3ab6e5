import Broker
import Delivery
import HomeAssistant
import Messages
import Mosquitto
import SiteCore

extension AggregatorConfiguration {
    /// The options of the connection that receives, and of a single aggregator also publishes: a session that outlives an absence of a day,
    /// and the will `offline`.
    var brokerOptions: BrokerOptions {
        var options = BrokerOptions(broker)
        options.sessionExpirySeconds = 24 * 3600
        let (availability, subscriber): (Topic, Subscriber) =
            if let standby {
                (.aggregatorMember(name: standby.name), .member)
            } else if let name = subscribe.name {
                (.namedAvailability(aggregator: name), .namedAggregator)
            } else {
                (.aggregatorAvailability, .aggregator)
            }
        options.serve(availability: availability, under: prefix)
        options.subscribe(to: subscriber.subscriptions(under: prefix, rangedStatesOf: subscribe.shares))
        options.test(by: .aggregatorRequest(what: "echo"), under: prefix)
        // If discovery is switched off, the earlier discovery is found and cleared, also in a Home Assistant that starts later.
        options.subscribe(to: [
            Subscription(HomeAssistantTopic.anyDevice(under: homeAssistant.topicPrefix)),
            Subscription(HomeAssistantTopic.status.name(under: homeAssistant.topicPrefix)),
        ])
        if readsOccupancy { options.subscribe(.roomSensors, under: prefix) }
        return options
    }

    /// The filters of a former configuration that the broker may still have in this aggregator's session.
    ///
    /// - Parameter former: the shares that this aggregator had; `nil`: it had none, or nobody knows.
    func formerFilters(sharesBefore former: [BeaconShare]?) -> [String] {
        let present = Set(Subscriber.rangedStates(of: subscribe.shares, under: prefix))
        let before = Subscriber.rangedStates(of: former ?? [], under: prefix)
        return (Subscriber.rangedStates(of: nil, under: prefix) + before).filter { !present.contains($0) }
    }

    /// The options of the connection on which the active one of several aggregators publishes. All aggregators use the same client id, so that
    /// the broker ends the connection of a predecessor that still runs. The broker publishes `offline` within 8 s after a host has vanished.
    var seatOptions: BrokerOptions {
        var options = BrokerOptions(broker)
        options.clientID = sharedClientID
        options.will = OutgoingMessage(Message(.aggregatorAvailability, .offline), under: prefix)
        options.keepAliveSeconds = 5
        options.connectsOnce = true
        return options
    }
}
