import Beacons
import Journal

/// Sees a log's events to the disk and then to the broker as the live services do: in order, a window at a time, again after a lost connection.
struct Outbox: Sendable {
    private static let window = 20

    var archive = VirtualArchive()
    private var inFlight: Set<Place> = []

    /// The events that the window has room for.
    mutating func take(from log: inout EventLog) -> [Packet] {
        var packets: [Packet] = []
        while inFlight.count < Self.window {
            if let span = log.wanted { log.supply(archive.read(span, by: log.catalogue), for: span) }
            guard let entry = log.takeNext() else {
                guard log.wanted != nil else { break }
                continue
            }
            inFlight.insert(entry.place)
            packets.append(
                Packet(
                    topic: entry.topic, payload: entry.payload, isAcknowledged: true, retain: false, event: entry.place)
            )
        }
        return packets
    }

    mutating func acknowledge(_ event: Place, in log: inout EventLog) {
        guard inFlight.remove(event) != nil else { return }
        log.acknowledge(event)
    }

    mutating func connectionLost(_ log: inout EventLog) {
        inFlight.removeAll()
        log.rewind()
    }

    /// The process is gone, and what it had on its way with it; the disk stays.
    mutating func processEnded() { inFlight.removeAll() }
}
