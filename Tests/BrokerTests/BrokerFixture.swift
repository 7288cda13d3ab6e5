import Beacons
import Broker
import Delivery
import EventLogs
import Linux
import Mosquitto
import TestBroker

/// A log of events, its delivery, and the scripted broker at the other end: time passes when a test says so.
struct BrokerFixture {
    var log = EventLog(boot: "1.abcd")
    var delivery = EventDelivery()
    let connection: BrokerConnection
    private(set) var client: ScriptedClient
    private let broker: ScriptedBroker
    private var now = Instant.zero

    /// Connected to a broker whose CONNACK has these properties.
    init(properties: [UInt8] = []) throws {
        broker = try ScriptedBroker()
        connection = try BrokerConnection(BrokerOptions(host: "127.0.0.1", port: Int(broker.port), clientID: "kitchen"))
        try connection.start()
        client = try broker.welcome(properties: properties)
        try waitForConnection()
    }

    /// Lets the connection in again.
    mutating func welcome() throws {
        client = try broker.welcome()
        try waitForConnection()
    }

    /// Events happen; the topic of each is its number.
    mutating func happen(_ count: Int) {
        for _ in 0..<count { log.append(topic: "\(log.upcoming)", payload: Array("event".utf8)) }
    }

    /// Lets seconds pass, and events be published.
    mutating func deliver(after seconds: Double = 0) {
        now = now + .seconds(seconds)
        while let step = delivery.next(&log, at: now) {
            guard case .publish(let entry) = step else { preconditionFailure("nothing is on a disk") }
            let number = connection.publish(OutgoingMessage(entry))
            delivery.published(entry, as: number, in: &log)
            if number == nil { return }
        }
    }

    /// The next publications, as the broker gets them.
    func receive(_ count: Int) throws -> [ScriptedPacket] {
        try (0..<count).map { _ in try client.expect(.publish) }
    }

    /// Takes what the broker says until something is so.
    mutating func settle(_ isSo: (EventLog) -> Bool) throws {
        let deadline = Clock.now + .seconds(30)
        while true {
            for notice in connection.take() { take(notice) }
            if isSo(log) { return }
            guard wait(for: [connection.wakeup], until: deadline)[0] else {
                throw TestBrokerError("\(log.refused) events are refused, \(log.undelivered) undelivered")
            }
        }
    }

    private mutating func take(_ notice: BrokerNotice) {
        switch notice {
        case .acknowledged(let id, _): delivery.acknowledged(id.number, in: &log)
        case .refused(let id, let refusal): _ = delivery.refused(id.number, BrokerRejection(refusal), in: &log, at: now)
        case .disconnected: delivery.connectionLost(&log)
        default: break
        }
    }

    private func waitForConnection() throws {
        let deadline = Clock.now + .seconds(30)
        while !connection.take().contains(where: { if case .connected = $0 { true } else { false } }) {
            guard wait(for: [connection.wakeup], until: deadline)[0] else { throw TestBrokerError("no connection") }
        }
    }
}
