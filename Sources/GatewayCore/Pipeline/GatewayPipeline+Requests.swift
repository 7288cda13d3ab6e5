import Beacons
import EventLogs
import Messages
import Ranging

/// Messages from the broker: the registry, and requests.
extension GatewayPipeline {
    /// Handles one message. A message with an invalid payload is counted and otherwise ignored.
    package mutating func receive(topic name: String, payload: [UInt8], isRetained: Bool, at moment: Moment) {
        now = moment
        if handle(homeAssistant: name, payload, isRetained: isRetained) { return }
        guard let topic = Topic(named: name, under: prefix) else { return refuse("topic") }
        if case .gatewayRequest(configuration.id, let what) = topic {
            // A retained request was meant for an earlier moment.
            guard !isRetained else { return refuse("retained_request") }
            return respond(what, payload)
        }
        do throws(PayloadRefusal) {
            try apply(registry: topic, payload: payload)
        } catch {
            refuse(error.name)
        }
    }

    private mutating func refuse(_ reason: String) {
        if refusedMessages[reason] == nil { outputs.append(.note("A message from the broker was ignored: \(reason)")) }
        refusedMessages[reason, default: 0] += 1
    }
}
