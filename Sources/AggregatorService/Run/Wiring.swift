import Broker
import Delivery
import HomeAssistant
import Messages
import Mosquitto
import SiteCore

extension AggregatorConfiguration {
    /// The connection's options: a session that outlives an absence of a day, and the will `offline`.
    var brokerOptions: BrokerOptions {
        var options = BrokerOptions(broker)
        options.sessionExpirySeconds = 24 * 3600
        options.serve(availability: .aggregatorAvailability, subscriber: .aggregator, under: prefix)
        // If discovery is switched off, the earlier discovery is found and cleared.
        options.subscribe(to: [Messages.Subscription(HomeAssistantTopic.anyDevice(under: homeAssistant.topicPrefix))])
        if homeAssistant.discovery {
            options.subscribe(to: [
                Messages.Subscription(HomeAssistantTopic.status.name(under: homeAssistant.topicPrefix))
            ])
        }
        return options
    }
}
