import Broker
import Delivery
import HomeAssistant
import Messages
import Mosquitto
import SiteCore

extension AggregatorConfiguration {
    /// The connection's options: a session that outlives an absence of a day, and a will that says `offline`.
    var brokerOptions: BrokerOptions {
        var options = BrokerOptions(broker)
        options.sessionExpirySeconds = 24 * 3600
        options.serve(availability: .aggregatorAvailability, subscriber: .aggregator, under: prefix)
        // Of discovery that is switched off, what was told before is to be found and taken back.
        options.subscriptions.append(
            Mosquitto.Subscription(HomeAssistantTopic.anyDevice(under: homeAssistant.topicPrefix), qos: .atLeastOnce))
        if homeAssistant.discovery {
            options.subscriptions.append(
                Mosquitto.Subscription(
                    HomeAssistantTopic.status.name(under: homeAssistant.topicPrefix), qos: .atLeastOnce))
        }
        return options
    }
}
