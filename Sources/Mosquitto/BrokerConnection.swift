import Beacons
import Glibc
import Linux
import Synchronization

/// A connection to an MQTT broker that comes back by itself: a thread of its own owns libmosquitto, and the owner speaks with it
/// through two bounded queues.
///
/// The owner waits on `wakeup` together with its other descriptors, and takes what there is. Nothing here blocks but `stop`.
///
/// What is promised of a publication: from `publish` it has an id, and with QoS 1 exactly one of `acknowledged`, `refused` and
/// the next `disconnected` says what became of it. Publications go out in the order in which they were accepted, at most 20 of
/// QoS 1 unacknowledged at a time, and none is ever sent twice by itself: after `connected` the owner publishes again what it
/// holds dear, and is a reader of it, drops doubles by its own numbers.
public final class BrokerConnection: Sendable {
    private let runner: Runner
    private let thread = Mutex<pthread_t?>(nil)

    /// A connection that has not begun. A mistake in the options stops it here: part of a TLS section never means no TLS.
    public convenience init(_ options: BrokerOptions) throws(BrokerSetupError) {
        try self.init(options, timing: Timing())
    }

    /// The same, with another patience.
    package init(_ options: BrokerOptions, timing: Timing) throws(BrokerSetupError) {
        let mistakes = options.mistakes()
        guard mistakes.isEmpty else { throw .mistakes(mistakes) }
        do throws(SystemError) { runner = try Runner(options, timing: timing) } catch { throw .system(error) }
    }

    deinit {
        runner.exchange.stop(farewell: [], by: Clock.now)
        if let thread = thread.withLock({ $0 }) { pthread_detach(thread) }
    }

    /// Begins to connect, and goes on until `stop`.
    public func start() throws(BrokerSetupError) {
        do throws(SystemError) {
            try thread.withLock { thread throws(SystemError) in
                precondition(thread == nil, "started twice")
                thread = try startThread(runner)
            }
        } catch {
            throw .system(error)
        }
    }

    /// A descriptor that is readable while there is something to take.
    public var wakeup: Int32 { runner.exchange.forOwner.number }

    /// What has happened since the last time, in order. At most about a thousand: then the broker keeps the rest until these
    /// are taken.
    public func take() -> [BrokerNotice] {
        runner.exchange.take()
    }

    /// Accepts a publication, to be sent in its turn.
    ///
    /// - Returns: `nil` when the owner has not taken the `connected` of a living connection, or when a thousand publications
    ///   or 4 MiB wait already: the newest is the one that is not accepted. `wakeup` is readable once half of them are gone.
    @discardableResult
    public func publish(_ publication: Publication) -> PublicationID? {
        runner.exchange.publish(publication)
    }

    /// Asks the broker for the retained messages of these topics once more, until `endRecall` on this connection.
    public func recall(_ topics: [String]) { runner.exchange.recall(.subscribe(topics)) }

    /// Ends a `recall` of these topics.
    public func endRecall(_ topics: [String]) { runner.exchange.recall(.unsubscribe(topics)) }

    /// How many accepted publications wait to be sent.
    public var queued: Int { runner.exchange.waiting }

    /// Sends what waits and then `farewell`, waits for the acknowledgements, parts from the broker so that it publishes no
    /// will, and ends. Without a connection it just ends.
    ///
    /// Where the farewell is not acknowledged in time the connection is cut without parting: the will then says it instead.
    /// What happened until the end can still be taken.
    ///
    /// - Parameter span: how long this may take; half a second more where the thread is stuck in the search for a name, and
    ///   is left behind.
    public func stop(farewell: [Publication] = [], within span: Interval) {
        let deadline = Clock.now + span
        runner.exchange.stop(farewell: farewell, by: deadline)
        guard let ending = thread.withLock({ $0.take() }) else { return }
        if wait(for: [runner.ended.number], until: deadline + .milliseconds(500))[0] {
            pthread_join(ending, nil)
        } else {
            pthread_detach(ending)
        }
    }
}
