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
        case .refused(let id, let refusal): self = .refused(id.number, BrokerRejection(refusal))
        case .subscribed(let filter, _): self = .subscribed(filter: filter)
        case .subscriptionRefused(let filter, let refusal):
            self = .subscriptionRefused(filter: filter, BrokerRejection(refusal))
        case .dropped(let count, let reason): self = .dropped(count, "\(reason)")
        }
    }
}

extension BrokerRejection {
    /// A connection's refusal as a service's driver takes it.
    package init(_ refusal: BrokerRefusal) {
        self.init(reasonCode: refusal.reasonCode, description: refusal.description)
    }
}

extension Logger.Level {
    /// The level of a driver's line, or of a configuration.
    package init(_ level: LogLevel) {
        self =
            switch level {
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            }
    }
}
