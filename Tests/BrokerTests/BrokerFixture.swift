import Beacons
import Delivery
import EventLogs
import Linux
import Messages
import Mosquitto
import Settings
import TestBroker

/// Events on their way, and the scripted broker at the other end: the test advances time.
struct BrokerFixture {
    var events = EventPublisher(boot: Boot("1.abcd")!, LogSettings())
    var log: EventLog { events.log }
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
    mutating func happen(_ count: Int, on folder: String = "") {
        for _ in 0..<count { events.append(topic: "\(folder)\(log.upcoming)", payload: Array("event".utf8)) }
    }

    /// Lets seconds pass, and events be published.
    mutating func deliver(after seconds: Double = 0) {
        now = now + .seconds(seconds)
        let writtenAt = WrittenAt(uptime: now, wall: WallTime(milliseconds: 0), isSynchronised: false)
        while let step = events.next(writtenAt: writtenAt, mayPublish: true, at: now) {
            switch step {
            case .write: events.wrote(.failed("there is no disk"), at: now)
            case .read: preconditionFailure("nothing is on a disk")
            case .publish(let entry):
                let number = connection.publish(OutgoingMessage(entry))?.number
                _ = events.published(as: number)
                if number == nil { return }
            }
        }
    }

    /// The next publications, as the broker gets them.
    func receive(_ count: Int) throws -> [ScriptedPacket] {
        try (0..<count).map { _ in try client.expect(.publish) }
    }

    /// Receives from the broker until a condition holds.
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
        case .acknowledged(let id, _): events.acknowledged(id.number)
        case .refused(let id, let refusal):
            _ = events.refused(id.number, refusal, at: now) { !$0.hasPrefix("former/") }
        case .disconnected: events.connectionLost()
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
