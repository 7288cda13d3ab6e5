import Beacons
import HomeAssistant
import EventLogs
import Messages

/// What both services share between their decisions and the broker: the event log's way to the disk and to the broker, states behind
/// their events, what waits for the connection, and what the broker refused.
///
/// Write-ahead: `nextEventStep` writes events before it publishes them, and the log gives out only events that are on the disk.
/// A caller asks it first, then `nextMessage`, and hands each result back, until both have nothing more.
package struct Messenger: Sendable {
    /// What is to be done with events.
    package enum EventStep: Sendable {
        /// Carry out a step on the disk, and hand the outcome to `wrote`.
        case write(EventWriter.Step)
        /// Read events, and hand them to `read`.
        case read(EventSpan)
        /// Publish an event, and hand its number to `published`.
        case publish(Entry)
    }

    /// Whether the broker is there.
    package private(set) var isConnected = false
    private var writer: EventWriter
    private var delivery = EventDelivery()
    private var held = HeldStates()
    private var outbox = Outbox()
    private var refusedStates = RefusedStates()
    /// Why the broker refuses a subscription, as a sentence, by its filter.
    private var refusedSubscriptions: [String: String] = [:]
    /// The event that is being handed to the connection.
    private var event: Entry?
    /// The connection accepts no more, or the disk cannot be read, until something happens.
    private var isFull = false
    private var isUnreadable = false
    /// The problem with refused events that was reported last.
    private var reported: String?

    /// Nothing is on its way.
    package init(_ limits: EventWriter.Limits) { writer = EventWriter(limits) }

    /// Why events are not on disk, in a sentence.
    package var diskProblem: String? { writer.problem }
    /// How many messages wait for the connection.
    package var waiting: Int { outbox.count }

    /// When the log's writer wants to be asked again.
    package func nextWrite(_ log: EventLog) -> Instant? { writer.nextDeadline(log) }
    /// When what the broker refused is tried again.
    package func nextRetry(eventsMayGo: Bool) -> Instant? {
        [eventsMayGo ? delivery.nextDeadline : nil, refusedStates.nextDeadline].compactMap { $0 }.min()
    }

    // MARK: What happens

    /// Something happened, or time passed: the connection may have room again, and the disk may be readable.
    package mutating func resume() { (isFull, isUnreadable) = (false, false) }

    /// The broker is there.
    package mutating func connected() {
        isConnected = true
        refusedStates.connected()
    }

    /// The broker is gone: states are published as they are then, after the next connect, and events again.
    package mutating func disconnected(_ log: inout EventLog) {
        isConnected = false
        outbox.removeAll()
        delivery.connectionLost(&log)
    }

    /// The broker has taken a publication.
    package mutating func acknowledged(_ number: UInt64, in log: inout EventLog) {
        delivery.acknowledged(number, in: &log)
    }

    /// The broker refused a publication; whether the reason is to be logged, as it is a new one for a state.
    package mutating func refused(
        _ number: UInt64, _ rejection: BrokerRejection, in log: inout EventLog, at now: Instant
    ) -> Bool {
        guard !delivery.refused(number, rejection, in: &log, at: now) else { return false }
        return refusedStates.note(rejection, at: now)
    }

    /// Records that the broker refuses a subscription.
    ///
    /// - Parameter problem: the reason, as a sentence.
    /// - Returns: whether the problem is new, and the former one.
    package mutating func subscriptionRefused(_ filter: String, problem: String) -> (isNew: Bool, former: String?) {
        let former = refusedSubscriptions.updateValue(problem, forKey: filter)
        return (former != problem, former)
    }

    /// Records that the broker granted a subscription; returns the problem that this ends.
    package mutating func subscribed(_ filter: String) -> String? { refusedSubscriptions.removeValue(forKey: filter) }

    /// Whether all states are to be published anew now, as the broker refused some.
    package mutating func publishesAnew(at now: Instant) -> Bool { refusedStates.isDue(at: now) && isConnected }

    /// That messages that are not retained did not fit into the outbox since this was asked last, as a sentence for the log.
    package mutating func drainDroppedProblem() -> String? {
        let count = outbox.drainDropped()
        return count > 0 ? "\(count) messages are lost: the broker takes messages more slowly than they are made" : nil
    }

    /// What the problem with refused events was and is now, if that has changed since this was asked last.
    package mutating func changedEventProblem() -> (former: String?, now: String?)? {
        guard delivery.problem != reported else { return nil }
        defer { reported = delivery.problem }
        return (reported, delivery.problem)
    }

    // MARK: What is to be done

    /// The next step of the event log; `nil` when every event is on its way that may be.
    package mutating func nextEventStep(
        _ log: inout EventLog, writtenAt: WrittenAt, eventsMayGo: Bool, at now: Instant
    ) -> EventStep? {
        if let step = writer.next(&log, writtenAt: writtenAt, at: now) { return .write(step) }
        guard isConnected, eventsMayGo, !isFull, !isUnreadable else { return nil }
        switch delivery.next(&log, at: now) {
        case .read(let span): return .read(span)
        case .publish(let entry):
            event = entry
            return .publish(entry)
        case nil: return nil
        }
    }

    /// The next message that is no event, to be handed to the connection; its number goes to `published`.
    package mutating func nextMessage(_ log: EventLog, under prefix: TopicPrefix) -> OutgoingMessage? {
        for message in held.release(behind: log) { add(OutgoingMessage(message, under: prefix)) }
        guard isConnected, !isFull else { return nil }
        return outbox.first
    }

    /// The connection has accepted what it was handed last under a number, or has not; returns the message, if it was accepted and no event.
    @discardableResult
    package mutating func published(as number: UInt64?, in log: inout EventLog) -> OutgoingMessage? {
        isFull = number == nil
        if let entry = event {
            event = nil
            delivery.published(entry, as: number, in: &log)
            return nil
        }
        guard number != nil, let message = outbox.first else { return nil }
        outbox.removeFirst()
        return message
    }

    /// The outcome of a step on the disk.
    package mutating func wrote(_ outcome: EventWriter.Outcome, in log: inout EventLog, at now: Instant) {
        writer.handle(outcome, in: &log, at: now)
    }

    /// The events that were to be read; `nil`: the disk cannot be read now.
    package mutating func read(_ entries: [Entry]?, of span: EventSpan, in log: inout EventLog) {
        guard let entries else { return couldNotRead() }
        log.supply(entries, for: span)
    }

    /// The disk cannot be read: it is not the one that was opened.
    package mutating func couldNotRead() {
        isUnreadable = true
        writer.reopen()
    }

    // MARK: Messages

    /// Publishes a message in its turn, a state behind the events that explain it. Without a connection it is dropped.
    ///
    /// - Parameter goesLast: behind all that waits already, even where the topic's former state waits.
    package mutating func publish(
        _ message: Message, under prefix: TopicPrefix, behind log: EventLog, goesLast: Bool = false
    ) {
        guard let message = held.pass(message, behind: log) else { return }
        add(OutgoingMessage(message, under: prefix), goesLast: goesLast)
    }

    /// Publishes a message that explains itself.
    ///
    /// - Parameter isStep: whether readers need the one that waits on the same topic as well.
    package mutating func add(_ message: OutgoingMessage, goesLast: Bool = false, isStep: Bool = false) {
        if isConnected { outbox.add(message, goesLast: goesLast, isStep: isStep) }
    }

    /// The states that wait for their events: for a farewell, behind all events.
    package mutating func drainHeld() -> [Message] { held.removeAll() }

    /// Writes all events without waiting for their time.
    package mutating func finish() { writer.finish() }

    /// The connection has ended: nothing is published any more.
    package mutating func end() { isConnected = false }
}
