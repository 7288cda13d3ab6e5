import HomeAssistant
import Mosquitto

extension Publication {
    /// A message for others, delivered as it says.
    public init(_ message: ForeignMessage) {
        self.init(
            topic: message.topic, payload: message.payload, qos: message.isRetained ? .atLeastOnce : .atMostOnce,
            retain: message.isRetained)
    }
}
