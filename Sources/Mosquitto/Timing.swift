import Beacons

/// The time limits of a connection. The defaults are for production; tests use shorter ones.
package struct Timing: Sendable {
    /// The limit for the TCP connection. The kernel would try for two minutes at growing intervals; a new attempt sends
    /// at once.
    package var reach = Interval.seconds(4)
    /// The limit for TLS and the broker's response to CONNECT, after the TCP connection.
    package var response = Interval.seconds(10)
    /// The limit for an acknowledgement. The keepalive alone would detect a dead path only after two periods.
    package var acknowledge = Interval.seconds(10)
    /// The interval between checks of the keepalive, which libmosquitto counts in seconds.
    package var tick = Interval.seconds(1)
    /// How long nothing arrives with QoS 1 before the connection tests that the broker delivers, and how long the test may take.
    package var echo = Interval.seconds(60)
    /// The wait until a refused subscription is requested again on the same connection. The wait doubles up to
    /// `longestResubscribe`, because a broker that elects a leader grants within seconds, and one that denies by its
    /// ACL does not.
    package var resubscribe = Interval.seconds(5)
    /// The longest wait until a refused subscription is requested again.
    package var longestResubscribe = Interval.seconds(300)
    /// The number of connections in a row, each closed without a reason within half a minute, that raise a `Suspicion`.
    package var suspiciousEndings = 5
    /// The seed of the jitter; `nil`: a random one.
    package var seed: UInt64?

    /// Creates the time limits of production.
    package init() {}
}
