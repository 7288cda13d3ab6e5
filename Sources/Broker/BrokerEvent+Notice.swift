import Delivery
import Logging
import Settings
import Mosquitto

extension BrokerEvent {
    /// A connection's notice as a service's driver takes it.
    package init(_ notice: BrokerNotice) {
        switch notice {
        case .connected: self = .connected
        case .disconnected(let fault): self = .disconnected("\(fault)")
        case .failing(let fault): self = .failing("\(fault)")
        case .message(let message):
            self = .message(topic: message.topic, payload: message.payload, isRetained: message.retained)
        case .acknowledged(let id, _): self = .acknowledged(id.number)
        case .refused(let id, let refusal): self = .refused(id.number, refusal)
        case .subscribed(let filter, _): self = .subscribed(filter: filter)
        case .subscriptionRefused(let filter, let refusal): self = .subscriptionRefused(filter: filter, refusal)
        case .dropped(let count, let reason): self = .dropped(count, "\(reason)")
        }
    }
}

extension Logger.Level {
    /// The level of a driver's line, or of a configuration. The names are the same.
    package init(_ level: LogLevel) { self.init(rawValue: level.rawValue)! }
}
