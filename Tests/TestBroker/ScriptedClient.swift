import Beacons
import Glibc
import Linux

/// One client's connection to a scripted broker: packets in, packets out, MQTT 5.
package final class ScriptedClient {
    /// What the client sent first, once it was read.
    package internal(set) var connect: ScriptedPacket?
    private let number: Int32
    private var unread: [UInt8] = []

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// The next packet; `nil` when the client has hung up. Throws when nothing came in time.
    package func next(within patience: Interval = .seconds(60)) throws -> ScriptedPacket? {
        let deadline = Clock.now + patience
        while true {
            if let packet = ScriptedPacket(takingFrom: &unread) { return packet }
            guard wait(for: [number], until: deadline)[0] else { throw TestBrokerError("the client says nothing") }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = recv(number, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            unread += chunk[..<count]
        }
    }

    /// The next packet, which must be of that kind.
    package func expect(_ kind: ScriptedPacket.Kind) throws -> ScriptedPacket {
        guard let packet = try next() else { throw TestBrokerError("the client hung up instead of sending \(kind)") }
        guard packet.kind == kind else { throw TestBrokerError("the client sent \(packet.kind) instead of \(kind)") }
        return packet
    }

    /// Whether the client sends anything, or hangs up, within `span`.
    package func stirs(within span: Interval) -> Bool {
        !unread.isEmpty || wait(for: [number], until: Clock.now + span)[0]
    }

    /// Sends bytes as they are.
    package func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(number, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Sends what of `bytes` the client's and the kernel's buffers take now; returns how many that were.
    package func sendWithoutWaiting(_ bytes: [UInt8]) -> Int {
        max(0, Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)))
    }

    /// Ends the connection in order: reads until the client has ended it as well, so that it sees an end and no reset.
    package func hangUp() {
        shutdown(number, Int32(SHUT_WR))
        var chunk = [UInt8](repeating: 0, count: 4096)
        while wait(for: [number], until: Clock.now + .seconds(20))[0], recv(number, &chunk, chunk.count, 0) > 0 {}
    }

    /// Whether there is room in the buffers on the way to the client within `span`.
    package func takesMore(within span: Interval) -> Bool {
        var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, Int32(clamping: span.milliseconds)) > 0
    }

    /// CONNACK.
    package func acknowledgeConnect(sessionPresent: Bool = false, reason: UInt8 = 0, properties: [UInt8] = []) {
        send(ScriptedPacket.bytes(0x20, [sessionPresent ? 1 : 0, reason, UInt8(properties.count)] + properties))
    }

    /// PUBACK to a publication, with a reason.
    package func acknowledge(_ publication: ScriptedPacket, reason: UInt8 = 0) {
        send(ScriptedPacket.bytes(0x40, publication.identifier + [reason]))
    }

    /// SUBACK to a subscription, with these codes.
    package func acknowledge(subscription: ScriptedPacket, codes: [UInt8]) {
        // packet identifier, no properties, codes
        send(ScriptedPacket.bytes(0x90, subscription.identifier + [0] + codes))
    }

    /// PUBLISH, QoS 0 without an identifier, else QoS 1.
    package func publish(topic: [UInt8], payload: [UInt8], identifier: UInt16? = nil, retained: Bool = false) {
        send(ScriptedPacket.publish(topic: topic, payload: payload, identifier: identifier, retained: retained))
    }

    /// DISCONNECT, with a reason.
    package func disconnect(reason: UInt8) {
        send(ScriptedPacket.bytes(0xE0, [reason, 0]))
    }
}
