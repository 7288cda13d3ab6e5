import Beacons
import Glibc
import Linux
import Messages
import Mosquitto
import TestBroker

/// Somebody at a broker's door, let in or not.
final class Visitor {
    private let connection: BrokerConnection
    private(set) var notices: [BrokerNotice] = []

    /// Knocks, and waits for what the broker makes of it, and of the subscriptions.
    init(_ options: BrokerOptions, reading filters: [String] = [], qos: QoS = .atMostOnce) throws {
        var options = options
        options.subscriptions = filters.map { Subscription($0, qos) }
        connection = try BrokerConnection(options)
        try connection.start()
        try wait(for: "the broker's word") {
            if fault != nil { return true }
            let granted = notices.count {
                if case .subscribed = $0 { true } else if case .subscriptionRefused = $0 { true } else { false }
            }
            return isIn && granted == filters.count
        }
    }

    deinit {
        connection.stop(within: .zero)
    }

    /// Whether the broker let it in.
    var isIn: Bool { notices.contains { if case .connected = $0 { true } else { false } } }

    /// Why it is not in, or no longer.
    var fault: BrokerFault? {
        for notice in notices {
            switch notice {
            case .failing(let fault), .disconnected(let fault): return fault
            default: break
            }
        }
        return nil
    }

    /// The messages that the visitor received on a topic.
    func received(_ topic: String) -> [BrokerMessage] {
        notices.compactMap { if case .message(let message) = $0, message.topic == topic { message } else { nil } }
    }

    /// Waits for a message on a topic.
    func receive(_ topic: String) throws {
        try wait(for: topic) { !received(topic).isEmpty }
    }

    /// Waits for one more notice of the connection.
    func receiveMore() throws {
        let count = notices.count
        try wait(for: "more") { notices.count > count }
    }

    /// Publishes a message, and waits for the outcome; returns whether the broker accepted it.
    @discardableResult
    func publish(
        _ topic: String, _ payload: [UInt8] = Array("{}".utf8), retain: Bool = false, expirySeconds: UInt32? = nil
    ) throws -> Bool {
        let message = OutgoingMessage(
            topic: topic, payload: payload, qos: .atLeastOnce, retain: retain, expirySeconds: expirySeconds)
        guard let id = connection.publish(message) else { return false }
        var isTaken = false
        try wait(for: "what becomes of \(topic)") {
            isTaken = notices.contains { if case .acknowledged(id, _) = $0 { true } else { false } }
            return isTaken || fault != nil || notices.contains { if case .refused(id, _) = $0 { true } else { false } }
        }
        return isTaken
    }

    private func wait(for what: String, _ isSo: () -> Bool) throws {
        let deadline = Clock.now + .seconds(60)
        notices += connection.take()
        while !isSo() {
            guard Linux.wait(for: [connection.wakeup], until: deadline)[0] else {
                throw TestBrokerError("\(what) did not come: \(notices)")
            }
            notices += connection.take()
        }
    }
}
