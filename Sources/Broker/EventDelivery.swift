import Archive
import Beacons
import Journal
import Linux
import Mosquitto
import Settings

/// Sees a log's events to the disk and then to the broker, in order, a window at a time, and remembers which are not acknowledged yet.
public struct EventDelivery {
    /// How many events may be on their way at once.
    public static let window = 20

    /// The log on disk.
    public let archive: EventArchive
    private var inFlight: [PublicationID: Place] = [:]

    /// Nothing is on its way. The log is kept in `folder`, as `settings` say.
    public init(in folder: StateFolder, _ settings: LogSettings) {
        archive = EventArchive(in: folder, limits: EventArchive.Limits(settings))
    }

    /// Publishes what the window has room for.
    public mutating func deliver(_ log: inout EventLog, over connection: BrokerConnection) {
        while inFlight.count < Self.window {
            if let span = log.wanted {
                guard let entries = archive.read(span, by: log.catalogue) else { return }
                log.supply(entries, for: span)
            }
            guard let entry = log.takeNext() else {
                // What was wanted may all be gone: then there is more to be wanted.
                guard log.wanted != nil else { return }
                continue
            }
            let publication = Publication(topic: entry.topic, payload: entry.payload, qos: .atLeastOnce)
            guard let id = connection.publish(publication) else { return log.giveBack() }
            inFlight[id] = entry.place
        }
    }

    /// Takes an acknowledgement, or a refusal: a refused event stays in the log, where readers can ask for it. Returns its number, if it was an event.
    public mutating func finish(_ id: PublicationID, in log: inout EventLog) -> UInt64? {
        guard let place = inFlight.removeValue(forKey: id) else { return nil }
        log.acknowledge(place)
        return place.seq
    }

    /// Ends the connection with `farewell`, behind what the window still takes, and writes what was acknowledged until then.
    public mutating func end(
        _ log: inout EventLog, over connection: BrokerConnection, farewell: [Publication], within span: Interval,
        writtenAt: WrittenAt
    ) {
        archive.finish(&log, writtenAt: writtenAt)
        deliver(&log, over: connection)
        connection.stop(farewell: farewell, within: span)
        for case .acknowledged(let id, _) in connection.take() { _ = finish(id, in: &log) }
        archive.finish(&log, writtenAt: writtenAt)
    }

    /// The connection is gone: all that was on its way is to be published again.
    public mutating func connectionLost(_ log: inout EventLog) {
        inFlight.removeAll(keepingCapacity: true)
        log.rewind()
    }
}

extension EventArchive.Limits {
    /// As `[log]` says.
    public init(_ settings: LogSettings) {
        self.init(bytes: settings.megabytes << 20, age: settings.keepFor, within: settings.commitWithin)
    }
}
