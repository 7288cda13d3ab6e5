import Beacons
import EventLogs
import Messages
import Settings

/// The events of a service on their way to the disk and to the broker. Only this type changes an event log.
///
/// Write-ahead: `next` writes events before it publishes them, in order, a window at a time. The caller carries out each step and hands its
/// result back, until there is no next step. An event that the broker refuses is tried again, ever more slowly; meanwhile those behind it
/// go on, until a window of them is refused. An event of a former id or prefix that the broker does not permit is given up: the broker's rules
/// name the present ones.
package struct EventPublisher: Sendable {
    /// How many events may be on their way, or refused, at once.
    package static let window = 20
    /// So long after a refusal everything refused is tried again; each time that it is refused again twice as long, up to the second.
    static let patience = (first: Interval.seconds(30), longest: Interval.seconds(900))
    /// MQTT's reasons "not authorized" and "topic name invalid": the broker does not permit the topic.
    private static let forbidden: Set<Int> = [135, 144]

    /// What is to be done next.
    package enum Step: Sendable {
        /// Carry out a step on the disk, and hand the outcome to `wrote`.
        case write(EventWriter.Step)
        /// Read events from the disk, and hand them to `supply`.
        case read(EventSpan)
        /// Publish an event, and hand its number to `published`.
        case publish(Entry)
    }

    /// Why the broker does not take events, in a sentence; `nil` while it takes them.
    package private(set) var problem: String?
    /// The problem that `changedProblem` returned last.
    private var reported: String?
    private var writer: EventWriter
    private var inFlight: [UInt64: Entry] = [:]
    /// The event that is being handed to the connection.
    private var handed: Entry?
    /// The disk cannot be read, until something happens.
    private var isUnreadable = false
    /// When what was refused is tried again, how long it waits the next time, and what was tried again and has no acknowledgement yet.
    private var retryAt: Instant?
    private var patience = patience.first
    private var retried: Set<Place> = []
    /// Why events were given up, in a sentence, and whether `takeGivenUp` returned it.
    private var givenUp: (reason: String, isReported: Bool)?

    /// Nothing is on its way, and the disk was not read yet.
    package init(boot: Boot, _ settings: LogSettings) {
        let limits = EventWriter.Limits(
            bytes: settings.megabytes << 20, age: settings.keepFor, within: settings.commitWithin)
        writer = EventWriter(EventLog(boot: boot.description), limits)
    }

    /// The events, delivered or not.
    package var log: EventLog { _read { yield writer.log } }
    /// Why events are not on disk, in a sentence.
    package var diskProblem: String? { writer.problem }

    /// When `next` wants to be called again, whatever else happens.
    package func nextDeadline(mayPublish: Bool) -> Instant? {
        [writer.nextDeadline, mayPublish ? retryAt : nil].compactMap { $0 }.min()
    }

    /// What the problem with refused events was and is now, if that has changed since this was asked last.
    package mutating func changedProblem() -> (former: String?, now: String?)? {
        guard problem != reported else { return nil }
        defer { reported = problem }
        return (reported, problem)
    }

    /// Why events of a former id or prefix were given up, in a sentence for the log; once for each process.
    package mutating func takeGivenUp() -> String? {
        guard let givenUp, !givenUp.isReported else { return nil }
        self.givenUp?.isReported = true
        return givenUp.reason
    }

    // MARK: What is to be done

    /// Appends an event with the number `log.upcoming`, which the payload must also contain.
    package mutating func append(topic: String, payload: [UInt8]) { writer.log.append(topic: topic, payload: payload) }

    /// The next step; `nil` when every event is on its way that may be. What it is time for is tried again.
    ///
    /// - Parameter now: on the clock of the machine, whatever clock the events are on.
    package mutating func next(writtenAt: WrittenAt, mayPublish: Bool, at now: Instant) -> Step? {
        if let step = writer.next(writtenAt: writtenAt, at: now) { return .write(step) }
        guard mayPublish, !isUnreadable else { return nil }
        if let retryAt, now >= retryAt {
            self.retryAt = nil
            retried.formUnion(writer.log.retry())
            patience = min(patience * 2, Self.patience.longest)
        }
        guard inFlight.count + log.refused < Self.window else { return nil }
        if let span = log.requested { return .read(span) }
        handed = writer.log.dequeue()
        return handed.map(Step.publish)
    }

    /// Writes all events without waiting for their time: before a state that follows from them, or at the end.
    package mutating func finish() { writer.finish() }

    /// Gives up the delivery of all events, because another process publishes in their place; see `EventLog.withdraw`.
    package mutating func withdraw() -> [Entry] { writer.log.withdraw() }

    // MARK: What happens

    /// Something happened, or time passed: the disk may be readable again.
    package mutating func resume() { isUnreadable = false }

    /// The outcome of a step on the disk.
    package mutating func wrote(_ outcome: EventWriter.Outcome, at now: Instant) { writer.handle(outcome, at: now) }

    /// The events that were to be read; `nil`: the disk cannot be read now.
    package mutating func supply(_ entries: [Entry]?, for span: EventSpan) {
        guard let entries else { return couldNotRead() }
        writer.log.supply(entries, for: span)
    }

    /// The disk cannot be read: it is not the one that was opened.
    package mutating func couldNotRead() {
        isUnreadable = true
        writer.reopen()
    }

    /// The connection has accepted what it was handed last under a number, or has not; returns whether that was an event.
    package mutating func published(as number: UInt64?) -> Bool {
        guard let entry = handed.take() else { return false }
        if let number { inFlight[number] = entry } else { writer.log.giveBack() }
        return true
    }

    /// The broker has taken a publication: an event, perhaps.
    package mutating func acknowledged(_ number: UInt64) {
        guard let place = inFlight.removeValue(forKey: number)?.place else { return }
        end(place)
    }

    private mutating func end(_ place: Place) {
        writer.log.acknowledge(place)
        retried.remove(place)
        if retried.isEmpty, log.refused == 0 { (problem, patience) = (nil, Self.patience.first) }
    }

    /// The broker has refused a publication; returns whether it was an event, which is tried again or given up then.
    ///
    /// An event that was given up stays in the log, where readers can request it.
    ///
    /// - Parameter isOwn: whether a topic is one of the present id and prefix. The run does not decide: events of a former run with the same id
    ///   are tried again, because the broker's rules may be wrong for a while.
    package mutating func refused(
        _ number: UInt64, _ refusal: BrokerRejection, at now: Instant, isOwn: (String) -> Bool
    ) -> Bool {
        guard let entry = inFlight.removeValue(forKey: number) else { return false }
        if let reason = refusal.reasonCode, Self.forbidden.contains(reason), !isOwn(entry.topic) {
            giveUp(entry, refusal)
            return true
        }
        writer.log.refuse(entry.place)
        retried.remove(entry.place)
        retryAt = retryAt ?? now + patience
        problem = problem ?? "\(refusal); events are tried again every now and then"
        return true
    }

    private mutating func giveUp(_ entry: Entry, _ refusal: BrokerRejection) {
        let reason =
            "The broker does not permit \(entry.topic), of a former id or prefix: \(refusal); such events are not published, but can be "
            + "requested"
        givenUp = givenUp ?? (reason, isReported: false)
        end(entry.place)
    }

    /// The connection is gone: all that was on its way, or refused, is to be published again.
    package mutating func connectionLost() {
        inFlight.removeAll(keepingCapacity: true)
        (problem, retryAt, patience, retried) = (nil, nil, Self.patience.first, [])
        writer.log.rewind()
    }
}
