import Beacons
import EventLogs

/// Hands a log's events to the broker in order, a window at a time, and remembers which are not acknowledged yet.
///
/// An event that the broker refuses is tried again, ever more slowly; meanwhile those behind it go on, until a window of them is refused.
package struct EventDelivery: Sendable {
    /// How many events may be on their way, or refused, at once.
    package static let window = 20
    /// So long after a refusal everything refused is tried again; each time that it is refused again twice as long, up to the second.
    static let patience = (first: Interval.seconds(30), longest: Interval.seconds(900))

    /// What is to be done next.
    package enum Step: Sendable {
        /// Read events from the disk, and supply the log with them.
        case read(EventSpan)
        /// Publish an event, and report to `published`.
        case publish(Entry)
    }

    /// Why the broker does not take events, in a sentence; `nil` while it takes them.
    package private(set) var problem: String?
    private var inFlight: [UInt64: Place] = [:]
    /// When what was refused is tried again, how long it waits the next time, and what was tried again and has no acknowledgement yet.
    private var retryAt: Instant?
    private var patience = patience.first
    private var retried: Set<Place> = []

    /// Nothing is on its way.
    package init() {}

    /// The next step while the window has room and there are events; what it is time for is tried again.
    package mutating func next(_ log: inout EventLog, at now: Instant) -> Step? {
        if let retryAt, now >= retryAt {
            self.retryAt = nil
            retried.formUnion(log.retry())
            patience = min(patience * 2, Self.patience.longest)
        }
        guard inFlight.count + log.refused < Self.window else { return nil }
        if let span = log.requested { return .read(span) }
        return log.dequeue().map(Step.publish)
    }

    /// The connection has accepted an event under a number, or has not.
    package mutating func published(_ entry: Entry, as number: UInt64?, in log: inout EventLog) {
        guard let number else { return log.giveBack() }
        inFlight[number] = entry.place
    }

    /// When `next` wants to be called again, whatever else happens.
    package var nextDeadline: Instant? { retryAt }

    /// The broker has taken a publication: an event, perhaps.
    package mutating func acknowledged(_ number: UInt64, in log: inout EventLog) {
        guard let place = inFlight.removeValue(forKey: number) else { return }
        log.acknowledge(place)
        retried.remove(place)
        if retried.isEmpty, log.refused == 0 { (problem, patience) = (nil, Self.patience.first) }
    }

    /// The broker has refused a publication; whether it was an event, which is tried again then.
    package mutating func refused(
        _ number: UInt64, _ refusal: BrokerRejection, in log: inout EventLog, at now: Instant
    ) -> Bool {
        guard let place = inFlight.removeValue(forKey: number) else { return false }
        log.refuse(place)
        retried.remove(place)
        retryAt = retryAt ?? now + patience
        problem = problem ?? "\(refusal); events are tried again every now and then"
        return true
    }

    /// The connection is gone: all that was on its way, or refused, is to be published again.
    package mutating func connectionLost(_ log: inout EventLog) {
        inFlight.removeAll(keepingCapacity: true)
        (problem, retryAt, patience, retried) = (nil, nil, Self.patience.first, [])
        log.rewind()
    }
}
