import BareClient
import Beacons
import Glibc
import Linux
import Messages
import Mosquitto
import TestBroker

/// What a message costs between the broker's socket and the service: our connection beside libmosquitto alone, with a real mosquitto.
///
/// Each figure is processor time of this process for one message; the other side is a process of its own.
final class BrokerCost {
    private static let messages = 100_000
    private static let topic = Topic.proximity(
        BeaconIdentity(uuid: BeaconUUID("daf246ce-8363-11e4-b116-123b93f75cba")!, major: 90, minor: 991),
        gateway: "kitchen-1")
    private static let filter = "forgetmenot/beacons/+/+/+/+/proximity"
    private static let payload = RangedState(
        gateway: "kitchen-1", room: "Kitchen", proximity: .near, accuracy: 1.84, rssi: -67.2, sightings: 9,
        measuredPower: MeasuredPower(dBm: -59), addresses: 1,
        stamp: Stamp(
            at: WallTime(milliseconds: 1_795_239_612_345), boot: Boot("17.kfqx")!,
            uptime: Instant(milliseconds: 1_234_567)), validFor: 25
    ).bytes

    private let broker: TestBroker
    private var publisher: Child?

    init() throws {
        var options = TestBroker.Options()
        // A subscriber that is slower than the publisher must not lose messages.
        options.lines = ["max_queued_messages 0", "max_queued_bytes 0", "log_type error", "log_type information"]
        broker = try TestBroker(options)
    }

    /// As the child of a benchmark: publishes to the broker at `port`.
    static func publish(to port: Int32) -> Int32 {
        bare_publish(port, topic.name(under: .standard), String(decoding: payload, as: UTF8.self), Int32(messages))
    }

    /// The rows: a name, and microseconds of the processor for one message.
    func rows() throws -> [(name: String, microseconds: Double)] {
        [
            ("received by libmosquitto alone, in C", try cost { try receiveBare() }),
            ("received by the connection", try cost { try receive { _ in } }),
            (
                "received, topic and ranged state read",
                try cost {
                    try receive { message in
                        let topic = Topic(named: message.topic, under: .standard)
                        precondition((try? RangedState(parsing: message.payload, on: topic)) != nil)
                    }
                }
            ),
            (
                "published by libmosquitto alone, in C",
                try cost { precondition(Self.publish(to: Int32(broker.port)) == 0) }
            ),
            ("published by the connection", try cost { try publishOurs() }),
        ]
    }

    private func cost(_ body: () throws -> Void) throws -> Double {
        var best = Double.infinity
        for _ in 0..<3 {
            let before = Clock.processorTime
            try body()
            best = min(best, (Clock.processorTime - before).seconds / Double(Self.messages) * 1e6)
        }
        return best
    }

    private func startPublisher() {
        publisher = try? Child(["/proc/self/exe", "publish", String(broker.port)])
    }

    private func receiveBare() throws {
        let code = bare_subscribe(
            Int32(broker.port), Self.filter, Int32(Self.messages),
            { Unmanaged<BrokerCost>.fromOpaque($0!).takeUnretainedValue().startPublisher() },
            Unmanaged.passUnretained(self).toOpaque())
        precondition(code == 0 && publisher?.waitForEnd() == 0)
    }

    private func receive(_ take: (BrokerMessage) -> Void) throws {
        var options = BrokerOptions(host: "127.0.0.1", port: Int(broker.port), clientID: "bench")
        options.subscriptions = [Subscription(Self.filter, .atMostOnce)]
        let connection = try BrokerConnection(options)
        try connection.start()
        var received = 0
        while received < Self.messages {
            _ = wait(for: [connection.wakeup], until: nil)
            for notice in connection.take() {
                switch notice {
                case .subscribed: startPublisher()
                case .message(let message):
                    take(message)
                    received += 1
                case .dropped, .failing, .disconnected: preconditionFailure("\(notice)")
                default: break
                }
            }
        }
        connection.stop(within: .seconds(1))
        precondition(publisher?.waitForEnd() == 0)
    }

    private func publishOurs() throws {
        let connection = try BrokerConnection(
            BrokerOptions(host: "127.0.0.1", port: Int(broker.port), clientID: "bench"))
        try connection.start()
        let publication = OutgoingMessage(
            topic: Self.topic.name(under: .standard), payload: Self.payload, qos: .atMostOnce, expirySeconds: 25)
        var published = 0
        while published < Self.messages {
            _ = wait(for: [connection.wakeup], until: nil)
            _ = connection.take()
            while published < Self.messages, connection.publish(publication) != nil { published += 1 }
        }
        connection.stop(within: .seconds(10))
    }
}
