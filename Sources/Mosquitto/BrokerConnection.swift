import Beacons
import Glibc
import Linux
import Messages
import Synchronization

/// A connection to an MQTT broker that reconnects by itself. Its own thread uses libmosquitto and exchanges messages
/// with the owner through two bounded queues.
///
/// The owner waits on `wakeup` together with its other descriptors, and then calls `take`. Only `stop` blocks.
///
/// `publish` returns an id for an accepted publication. With QoS 1, exactly one of `acknowledged`, `refused` and the
/// next `disconnected` reports its outcome. Publications are sent in the order of acceptance, with at most 20 of QoS 1
/// unacknowledged. The connection never sends one twice: after `connected`, the owner publishes again what matters, and
/// readers drop duplicates by number.
package final class BrokerConnection: Sendable {
    /// With so many notices waiting, the connection reads no more before the owner has taken them.
    package static var pausesAt: Int { Exchange.mostNotices }

    private let runner: Runner
    private let thread = Mutex<pthread_t?>(nil)

    /// Creates a connection that is not started. Fails with a file that cannot be used, or if the kernel has no more descriptors.
    package init(_ options: BrokerOptions, timing: Timing = Timing()) throws(Failure) {
        // The settings refuse half of a TLS section, which must never mean no TLS.
        precondition(options.caFile != nil || options.certificateFile == nil && options.keyFile == nil)
        let mistakes = options.mistakes()
        guard mistakes.isEmpty else {
            throw Failure(.configuration, mistakes.map(\.description).joined(separator: "\n"))
        }
        runner = try orFail(.unavailable) { try Runner(options, timing: timing) }
    }

    deinit {
        runner.exchange.stop(farewell: [], by: Clock.now)
        if let thread = thread.withLock({ $0 }) { pthread_detach(thread) }
    }

    /// Starts to connect; the connection reconnects until `stop`. Fails only if the kernel gives no thread.
    package func start() throws(Failure) {
        try orFail(.unavailable) {
            try thread.withLock { thread throws(SystemError) in
                precondition(thread == nil, "started twice")
                thread = try startThread(named: "mqtt") { [runner] in runner.run() }
            }
        }
    }

    /// A descriptor that is readable while there are notices to take.
    package var wakeup: Int32 { runner.exchange.forOwner.number }

    /// Returns the notices since the last call, in order. If about a thousand wait, the connection stops reading, and
    /// the broker stores the rest.
    package func take() -> [BrokerNotice] {
        runner.exchange.take()
    }

    /// Accepts a publication for sending.
    ///
    /// - Returns: `nil` if the owner has not taken the `connected` notice of an open connection, or if a thousand
    ///   publications or 4 MiB already wait. `wakeup` becomes readable when half of them are sent.
    @discardableResult
    package func publish(_ publication: OutgoingMessage) -> PublicationID? {
        runner.exchange.publish(publication)
    }

    /// Requests the retained messages of these topics again, until `endRecall` on this connection.
    package func recall(_ topics: [String]) { runner.exchange.recall(.subscribe(topics)) }

    package func endRecall(_ topics: [String]) { runner.exchange.recall(.unsubscribe(topics)) }

    /// The number of accepted publications that wait to be sent.
    package var queued: Int { runner.exchange.waiting }

    /// Sends the waiting publications and `farewell`, waits for the acknowledgements, and disconnects so that the
    /// broker publishes no will. Without a connection, `stop` only ends the thread.
    ///
    /// If the farewell is not acknowledged in time, the connection is cut, and the broker publishes the will instead.
    /// Notices up to the end can still be taken.
    ///
    /// - Parameter span: how long this may take. If the thread is stuck in name resolution, `stop` takes half a second
    ///   longer and abandons the thread.
    package func stop(farewell: [OutgoingMessage] = [], within span: Interval) {
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
