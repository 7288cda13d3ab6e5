import Journal
import Mosquitto

/// Hands a log's events to the broker, in order, a window at a time, and remembers which are not acknowledged yet.
public struct EventDelivery: Sendable {
    /// How many events may be on their way at once.
    public static let window = 20

    private var inFlight: [PublicationID: UInt64] = [:]

    /// Nothing is on its way.
    public init() {}

    /// Publishes what the window has room for.
    public mutating func deliver(_ log: inout EventLog, over connection: BrokerConnection) {
        while inFlight.count < Self.window, let entry = log.takeNext() {
            let publication = Publication(topic: entry.topic, payload: entry.payload, qos: .atLeastOnce)
            guard let id = connection.publish(publication) else { return log.giveBack(entry.seq) }
            inFlight[id] = entry.seq
        }
    }

    /// Takes an acknowledgement, or a refusal: a refused event stays in the log, where readers can ask for it. Returns its number, if it was an event.
    public mutating func finish(_ id: PublicationID, in log: inout EventLog) -> UInt64? {
        guard let seq = inFlight.removeValue(forKey: id) else { return nil }
        log.acknowledge(seq)
        return seq
    }

    /// The connection is gone: all that was on its way is to be published again.
    public mutating func connectionLost(_ log: inout EventLog) {
        inFlight.removeAll(keepingCapacity: true)
        log.rewind()
    }
}
