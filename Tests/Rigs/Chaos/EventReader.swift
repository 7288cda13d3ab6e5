import Beacons
import Messages
import Mosquitto
import TestBroker

/// Somebody who reads every event that is published, and remembers their ids.
final class EventReader {
    private let connection: BrokerConnection
    private var writers: [EventID: String] = [:]

    init(of broker: TestBroker) throws {
        var options = BrokerOptions(host: "127.0.0.1", port: Int(broker.port), clientID: "reader")
        options.subscriptions = [Subscription("forgetmenot/#")]
        connection = try BrokerConnection(options)
        try connection.start()
    }

    deinit {
        connection.stop(within: .zero)
    }

    /// The ids of all events that were published until now.
    func take() -> Set<EventID> {
        for case .message(let message) in connection.take() where message.topic.hasSuffix("/event") {
            guard let event = try? LoggedEvent(parsing: message.payload) else { continue }
            let words = message.topic.split(separator: "/")
            // Of a beacon or a region at a gateway, or of an item.
            writers[event.id] = words[1] == "items" ? "aggregator" : String(words[words.count - 2])
        }
        return Set(writers.keys)
    }

    /// Who numbered an event: the name of its program.
    func writer(of event: EventID) -> String? { writers[event] }
}
