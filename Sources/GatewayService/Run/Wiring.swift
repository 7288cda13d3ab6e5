import Broker
import Delivery
import GatewayCore
import HomeAssistant
import Messages
import Mosquitto

// How the configuration's values become the adapters' own.

extension RadioSettings {
    /// Whether time is the recording's and not the clock's.
    var isVirtual: Bool {
        guard case .capture = source else { return false }
        return speed == .fast
    }
}

extension GatewayConfiguration {
    /// The connection's options: the will is `offline`, and the registry and requests are subscribed to. So is the birth of Home Assistant,
    /// whoever announces the gateway: its telemetry is not retained.
    var brokerOptions: BrokerOptions {
        var options = BrokerOptions(broker)
        options.serve(availability: .gatewayAvailability(gateway: id), subscriber: .gateway(id: id), under: prefix)
        options.test(by: .gatewayRequest(gateway: id, what: "echo"), under: prefix)
        options.subscribe(to: [
            Subscription(HomeAssistantTopic.status.name(under: homeAssistant.topicPrefix))
        ])
        return options
    }
}
