import Beacons
import Linux
import Messages
import Mosquitto
import TestBroker

/// The owner of a connection in a test: waits on the descriptor and stores all notices.
final class Owner {
    let connection: BrokerConnection
    /// All notices so far.
    private(set) var notices: [BrokerNotice] = []
    private var read = 0

    init(_ options: BrokerOptions, timing: Timing = Timing()) throws {
        connection = try BrokerConnection(options, timing: timing)
        try connection.start()
    }

    deinit {
        connection.stop(within: .zero)
    }

    /// The next notice that `match` accepts; earlier ones are skipped.
    @discardableResult
    func next<Value>(
        _ what: String, within patience: Interval = .seconds(60), _ match: (BrokerNotice) -> Value?
    ) throws -> Value {
        let deadline = Clock.now + patience
        while true {
            while read < notices.count {
                read += 1
                if let value = match(notices[read - 1]) { return value }
            }
            guard wait(for: [connection.wakeup], until: deadline)[0] else {
                throw TestBrokerError("no \(what) in \(patience.seconds) s; the last were \(notices.suffix(5))")
            }
            takeNow()
        }
    }

    /// Takes the available notices.
    func takeNow() {
        notices += connection.take()
    }

    @discardableResult
    func connected() throws -> Bool {
        try next("connection") { if case .connected(let present) = $0 { present } else { nil } }
    }

    func disconnected() throws -> BrokerFault {
        try next("end of the connection") { if case .disconnected(let fault) = $0 { fault } else { nil } }
    }

    func failing() throws -> BrokerFault {
        try next("failure") { if case .failing(let fault) = $0 { fault } else { nil } }
    }

    func subscribed() throws {
        try next("subscription") { if case .subscribed = $0 { true } else { nil } }
    }

    func message() throws -> BrokerMessage {
        try next("message") { if case .message(let message) = $0 { message } else { nil } }
    }

    func acknowledged(_ id: PublicationID?) throws {
        try next("acknowledgement") { if case .acknowledged(id, _) = $0 { true } else { nil } }
    }

    func refused(_ id: PublicationID?) throws -> BrokerRejection {
        try next("refusal") { if case .refused(id, let refusal) = $0 { refusal } else { nil } }
    }

    /// Publishes with QoS 1 and waits for the acknowledgement.
    func deliver(_ topic: String, _ text: String, retain: Bool = false) throws {
        try acknowledged(connection.publish(.text(topic, text, retain: retain)))
    }
}

extension OutgoingMessage {
    static func text(_ topic: String, _ text: String, qos: QoS = .atLeastOnce, retain: Bool = false) -> OutgoingMessage
    {
        OutgoingMessage(topic: topic, payload: Array(text.utf8), qos: qos, retain: retain)
    }
}

extension BrokerMessage {
    var text: String { String(decoding: payload, as: UTF8.self) }
}

extension BrokerOptions {
    /// Options with `clientID` and a port of the loopback.
    static func at(_ port: UInt16, as clientID: String = "kitchen", subscribedTo filters: String...) -> BrokerOptions {
        var options = BrokerOptions(host: "localhost", port: Int(port), clientID: clientID)
        options.subscriptions = filters.map { Subscription($0) }
        return options
    }
}
