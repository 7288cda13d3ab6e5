import HomeAssistant
import EventLogs
import Messages

extension OutgoingMessage {
    /// A message on a topic that is not ours, delivered as its properties are.
    package init(_ message: ForeignMessage) {
        self.init(
            topic: message.topic, payload: message.payload, qos: message.isRetained ? .atLeastOnce : .atMostOnce,
            retain: message.isRetained)
    }

    /// An event: acknowledged by the broker, and never retained.
    package init(_ entry: Entry) {
        self.init(topic: entry.topic, payload: entry.payload, qos: .atLeastOnce)
    }
}
