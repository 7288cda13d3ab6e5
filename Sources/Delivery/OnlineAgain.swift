import Beacons

/// When a service that has connected repeats that it is `online`.
///
/// The broker publishes the will of the connection before, at the latest after some seconds: a NATS server that waits for its cluster does so when
/// the service is connected elsewhere already. An aggregator publishes `offline` for a gateway of which the broker has nothing, and the gateway
/// may connect at that moment. Without a repetition such an `offline` would hold until the next connection.
package struct OnlineAgain: Sendable {
    /// The times after a connection.
    package static let delays = [Interval.seconds(5), .seconds(15)]

    private var due: [Instant] = []

    package init() {}

    /// When the next repetition is due; `nil`: none is.
    package var nextDeadline: Instant? { due.first }

    /// The service has connected.
    package mutating func connected(at now: Instant) { due = Self.delays.map { now + $0 } }

    package mutating func disconnected() { due = [] }

    /// Whether a repetition is due, which counts as done then.
    package mutating func takeDue(at now: Instant) -> Bool {
        guard let first = due.first, first <= now else { return false }
        due.removeFirst()
        return true
    }
}
