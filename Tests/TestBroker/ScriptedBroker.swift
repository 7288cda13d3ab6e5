import Beacons
import Glibc
import Linux

/// A broker that does what a test demands, for what a real one rarely does: late, missing and wrong responses.
///
/// It has no thread: a test accepts, reads and responds in its own time.
package final class ScriptedBroker {
    /// The port of the broker.
    package let port: UInt16
    private let listener: OpenSocket
    private var crowd: [OpenSocket] = []

    /// A broker that accepts connections.
    package init(port: UInt16 = 0, on family: Loopback.Family = .v4, backlog: Int32 = 16) throws {
        listener = try OpenSocket(listeningOn: port, family, backlog: backlog)
        self.port = listener.port
    }

    /// A broker whose queue of connections is full: the kernel drops whoever else comes, as a dead network would.
    package static func deaf(port: UInt16 = 0, on family: Loopback.Family = .v4) throws -> ScriptedBroker {
        let broker = try ScriptedBroker(port: port, on: family, backlog: 0)
        for _ in 0..<2 {
            let socket = try OpenSocket(family)
            _ = socket.connect(to: broker.port)
            broker.crowd.append(socket)
        }
        return broker
    }

    /// The next client's connection.
    package func accept(within patience: Interval = .seconds(60)) throws -> ScriptedClient {
        guard wait(for: [listener.number], until: Clock.now + patience)[0] else {
            throw TestBrokerError("nobody connected")
        }
        let number = Glibc.accept(listener.number, nil, nil)
        guard number >= 0 else { throw SystemError.last("accept") }
        return ScriptedClient(number)
    }

    /// Whether a client connects within `span`.
    package func isCalled(within span: Interval) -> Bool {
        wait(for: [listener.number], until: Clock.now + span)[0]
    }

    /// The next client's connection, let in.
    package func welcome(sessionPresent: Bool = false, properties: [UInt8] = []) throws -> ScriptedClient {
        let client = try accept()
        client.connect = try client.expect(.connect)
        client.acknowledgeConnect(sessionPresent: sessionPresent, properties: properties)
        return client
    }
}
