import Beacons
import EventLogs
import Messages

/// What both services share between their decisions and the broker, beside events: states behind the events that explain them, what waits
/// for the connection, and what the broker refused.
///
/// A caller carries out all steps of its `EventPublisher` first, then asks `nextMessage`, and hands each result back.
package struct Messenger: Sendable {
    package private(set) var isConnected = false
    private var states = HeldStates()
    private var outbox = Outbox()
    private var refusedStates = RefusedStates()
    /// Why the broker refuses a subscription, as a sentence, by its filter.
    private var refusedSubscriptions: [String: String] = [:]
    /// The connection accepts no more until something happens.
    private var isFull = false

    package init() {}

    package var waiting: Int { outbox.count }
    /// How many states wait for the events that explain them.
    package var held: Int { states.count }
    package var isReady: Bool { isConnected && !isFull }
    /// When the states that the broker refused are published again.
    package var nextRetry: Instant? { refusedStates.nextDeadline }

    // MARK: What happens

    /// Something happened, or time passed: the connection may have room again.
    package mutating func resume() { isFull = false }

    package mutating func connected() {
        isConnected = true
        refusedStates.connected()
    }

    /// The broker is gone: states are published as they are then, after the next connect.
    package mutating func disconnected() {
        isConnected = false
        outbox.removeAll()
    }

    /// The broker refused a publication that is no event; whether the reason is to be logged, as it is a new one.
    package mutating func refused(_ rejection: BrokerRejection, at now: Instant) -> Bool {
        refusedStates.note(rejection, at: now)
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

    // MARK: What is to be done

    /// The next message that is no event, to be handed to the connection; its number goes to `published`.
    package mutating func nextMessage(_ log: EventLog, under prefix: TopicPrefix) -> OutgoingMessage? {
        for message in states.release(behind: log) { add(OutgoingMessage(message, under: prefix)) }
        return isReady ? outbox.first : nil
    }

    /// The connection has accepted what it was handed last under a number, or has not; returns the message, if it was accepted and no event.
    @discardableResult
    package mutating func published(as number: UInt64?, isEvent: Bool) -> OutgoingMessage? {
        isFull = number == nil
        guard !isEvent, number != nil, let message = outbox.first else { return nil }
        outbox.removeFirst()
        return message
    }

    // MARK: Messages

    /// Publishes a message in its turn, a state behind the events that explain it. Without a connection it is dropped.
    ///
    /// - Parameter goesLast: behind all that waits already, even where the topic's former state waits.
    package mutating func publish(
        _ message: Message, under prefix: TopicPrefix, behind log: EventLog, goesLast: Bool = false
    ) {
        guard let message = states.pass(message, behind: log) else { return }
        add(OutgoingMessage(message, under: prefix), goesLast: goesLast)
    }

    /// Publishes a message that explains itself.
    ///
    /// - Parameter isStep: whether readers need the one that waits on the same topic as well.
    package mutating func add(_ message: OutgoingMessage, goesLast: Bool = false, isStep: Bool = false) {
        if isConnected { outbox.add(message, goesLast: goesLast, isStep: isStep) }
    }

    /// The states that wait for their events: for a farewell, behind all events.
    package mutating func drainHeld() -> [Message] { states.removeAll() }

    /// The connection has ended: nothing is published any more.
    package mutating func end() { isConnected = false }
}
