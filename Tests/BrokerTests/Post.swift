import Beacons
import Broker
import Journal
import Linux
import Mosquitto
import Settings
import TestBroker

/// A log of events, its delivery, and the scripted broker at the other end: time passes when a test says so.
struct Post {
    var log = EventLog(boot: "1.abcd")
    var delivery: EventDelivery
    let connection: BrokerConnection
    private(set) var client: ScriptedClient
    private let broker: ScriptedBroker
    private let folder: TestFolder
    private var now = Instant.zero

    /// Connected to a broker whose CONNACK has these properties.
    init(properties: [UInt8] = []) throws {
        folder = try TestFolder()
        delivery = EventDelivery(in: StateFolder(path: folder.path), LogSettings())
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
        delivery.deliver(&log, over: connection, at: now)
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
        case .acknowledged(let id, _): delivery.acknowledged(id, in: &log)
        case .refused(let id, let refusal): _ = delivery.refused(id, refusal, in: &log, at: now)
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
