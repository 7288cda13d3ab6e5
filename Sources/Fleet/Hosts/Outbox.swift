import Beacons
import Journal

/// Hands a log's events to the broker as the live services do: in order, a window at a time, again after a lost connection.
struct Outbox: Sendable {
    private static let window = 20

    private var inFlight: Set<UInt64> = []

    /// The events that the window has room for.
    mutating func take(from log: inout EventLog) -> [Packet] {
        var packets: [Packet] = []
        while inFlight.count < Self.window, let entry = log.takeNext() {
            inFlight.insert(entry.seq)
            packets.append(
                Packet(
                    topic: entry.topic, payload: entry.payload, isAcknowledged: true, retain: false, event: entry.seq))
        }
        return packets
    }

    mutating func acknowledge(_ event: UInt64, in log: inout EventLog) {
        guard inFlight.remove(event) != nil else { return }
        log.acknowledge(event)
    }

    mutating func connectionLost(_ log: inout EventLog) {
        inFlight.removeAll()
        log.rewind()
    }
}
