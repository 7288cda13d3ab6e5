import Beacons
import Linux
import Messages
import Mosquitto
import TestBroker

/// Somebody who reads everything that passes a broker.
final class Observer {
    /// One message, with whose topic nothing was done yet.
    struct Seen {
        var topic: String
        var payload: [UInt8]
        var text: String { String(decoding: payload, as: UTF8.self) }
    }

    /// Every message, in order.
    private(set) var seen: [Seen] = []
    /// The last message of each topic, unless it was empty.
    private(set) var latest: [String: String] = [:]
    private(set) var hasSubscribed = false
    /// Called with each message.
    var onMessage: (Seen) -> Void = { _ in }
    private var delivered: Set<PublicationID> = []
    private let connection: BrokerConnection
    private static let last = "nothing/is/said/here"

    /// Reads all of `forgetmenot/#`, unless `filters` are given, at `broker`; what the broker retains has arrived already.
    convenience init(_ broker: TestBroker, filters: [String] = ["forgetmenot/#"]) throws {
        try self.init(BrokerOptions(host: "localhost", port: Int(broker.port), clientID: "observer"), filters: filters)
    }

    init(_ options: BrokerOptions, filters: [String] = ["forgetmenot/#"]) throws {
        var options = options
        options.clientID += "-\(UInt32.random(in: 0 ... .max))"
        (options.subscriptions, options.catchUpFilter) = (filters.map { Subscription($0) }, Self.last)
        connection = try BrokerConnection(options)
        try connection.start()
        try wait(for: "the subscription") { self.hasSubscribed }
    }

    deinit {
        connection.stop(within: .zero)
    }

    /// Waits until something is so.
    func wait(for what: String, within patience: Interval = .seconds(60), _ isSo: () -> Bool) throws {
        let deadline = Clock.now + patience
        take()
        while !isSo() {
            guard Linux.wait(for: [connection.wakeup], until: deadline)[0] else {
                throw TestBrokerError("\(what) did not come in \(patience.seconds) s; there is \(latest)")
            }
            take()
        }
    }

    /// Waits until each of `topics` has a message.
    func wait(forAllOf topics: [String]) throws {
        try wait(for: "all of \(topics)") { topics.allSatisfy { latest[$0] != nil } }
    }

    /// Waits until an item's location contains `words`.
    func wait(forItem item: String, _ words: String) throws {
        try wait(for: "\(item) with \(words)") { latest["forgetmenot/items/\(item)/location"]?.contains(words) == true }
    }

    /// Publishes a message itself, and waits until the broker has all of it.
    func publish(_ messages: [(topic: String, text: String, retained: Bool)]) throws {
        let ids = messages.compactMap { message in
            connection.publish(
                OutgoingMessage(
                    topic: message.topic, payload: Array(message.text.utf8), qos: .atLeastOnce, retain: message.retained
                ))
        }
        guard ids.count == messages.count else { throw TestBrokerError("there is no connection to say it over") }
        try wait(for: "the broker's word") { delivered.isSuperset(of: ids) }
    }

    /// Publishes one message as anybody who may write.
    func publish(_ topic: String, _ payload: [UInt8], retain: Bool) throws {
        connection.publish(OutgoingMessage(topic: topic, payload: payload, qos: .atMostOnce, retain: retain))
    }

    /// The latest messages of the topics whose name contains `part`.
    func topics(with part: String) -> [String] { latest.keys.filter { $0.contains(part) }.sorted() }

    private func take() {
        for notice in connection.take() {
            switch notice {
            case .message(let message):
                let message = Seen(topic: message.topic, payload: message.payload)
                seen.append(message)
                latest[message.topic] = message.payload.isEmpty ? nil : message.text
                onMessage(message)
            case .subscribed(Self.last, _): hasSubscribed = true
            case .acknowledged(let id, _): delivered.insert(id)
            default: break
            }
        }
    }
}
