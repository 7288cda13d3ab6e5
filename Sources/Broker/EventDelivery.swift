import Archive
import Beacons
import Journal
import Linux
import Mosquitto
import Settings

/// Sees a log's events to the disk and then to the broker, in order, a window at a time, and remembers which are not acknowledged yet.
///
/// An event that the broker refuses is tried again, ever more slowly; meanwhile those behind it go on, until a window of them is refused.
public struct EventDelivery {
    /// How many events may be on their way, or refused, at once.
    public static let window = 20
    /// So long after a refusal everything refused is tried again; each time that it is refused again twice as long, up to the second.
    static let patience = (first: Interval.seconds(30), longest: Interval.seconds(900))

    /// The log on disk.
    public let archive: EventArchive
    /// Why the broker does not take events, in a sentence; `nil` while it takes them.
    public private(set) var problem: String?
    private var inFlight: [PublicationID: Place] = [:]
    /// When what was refused is tried again, how long it waits the next time, and what was tried again and is not answered yet.
    private var retryAt: Instant?
    private var patience = patience.first
    private var retried: Set<Place> = []

    /// Nothing is on its way. The log is kept in `folder`, as `settings` say.
    public init(in folder: StateFolder, _ settings: LogSettings) {
        archive = EventArchive(in: folder, limits: EventArchive.Limits(settings))
    }

    /// Publishes what the window has room for, and tries again what it is time for.
    public mutating func deliver(_ log: inout EventLog, over connection: BrokerConnection, at now: Instant) {
        if let retryAt, now >= retryAt {
            self.retryAt = nil
            retried.formUnion(log.retry())
            patience = min(patience * 2, Self.patience.longest)
        }
        while inFlight.count + log.refused < Self.window {
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

    /// When `deliver` wants to be called again, whatever else happens.
    public var nextDeadline: Instant? { retryAt }

    /// The broker has taken a publication: an event, perhaps.
    public mutating func acknowledged(_ id: PublicationID, in log: inout EventLog) {
        guard let place = inFlight.removeValue(forKey: id) else { return }
        log.acknowledge(place)
        retried.remove(place)
        if retried.isEmpty, log.refused == 0 { (problem, patience) = (nil, Self.patience.first) }
    }

    /// The broker has refused a publication; whether it was an event, which is tried again then.
    public mutating func refused(
        _ id: PublicationID, _ refusal: BrokerRefusal, in log: inout EventLog, at now: Instant
    ) -> Bool {
        guard let place = inFlight.removeValue(forKey: id) else { return false }
        log.refuse(place)
        retried.remove(place)
        retryAt = retryAt ?? now + patience
        problem = problem ?? "\(refusal); events are tried again every now and then"
        return true
    }

    /// Ends the connection with `farewell`, behind what the window still takes, and writes what was acknowledged until then.
    public mutating func end(
        _ log: inout EventLog, over connection: BrokerConnection, farewell: [Publication], within span: Interval,
        writtenAt: WrittenAt, at now: Instant
    ) {
        archive.finish(&log, writtenAt: writtenAt)
        deliver(&log, over: connection, at: now)
        connection.stop(farewell: farewell, within: span)
        for case .acknowledged(let id, _) in connection.take() { acknowledged(id, in: &log) }
        archive.finish(&log, writtenAt: writtenAt)
    }

    /// The connection is gone: all that was on its way, or refused, is to be published again.
    public mutating func connectionLost(_ log: inout EventLog) {
        inFlight.removeAll(keepingCapacity: true)
        (problem, retryAt, patience, retried) = (nil, nil, Self.patience.first, [])
        log.rewind()
    }
}

extension EventArchive.Limits {
    /// As `[log]` says.
    public init(_ settings: LogSettings) {
        self.init(bytes: settings.megabytes << 20, age: settings.keepFor, within: settings.commitWithin)
    }
}
