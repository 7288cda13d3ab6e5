import Delivery
import HomeAssistant
import Messages
import Ranging

// How the configuration's values become the modules' own.

extension GatewayConfiguration {
    package var prefix: TopicPrefix { broker.topicPrefix }
    /// The topic of the gateway's discovery; `nil` if the gateway publishes none.
    var discoveryTopic: String? {
        guard homeAssistant.discovery else { return nil }
        return HomeAssistantTopic.device(.gateway(id)).name(under: homeAssistant.topicPrefix)
    }
}

extension RangingSettings {
    package var ranger: Ranger.Settings { Ranger.Settings(filter: filter, pathLoss: pathLoss, rssiOffset: rssiOffset) }
}
