import Beacons

/// How long a connection is patient. Public figures for production; tests have less time.
package struct Timing: Sendable {
    /// For the network to lead to the broker (TCP). The kernel would try for two minutes, rarer and rarer: a new attempt
    /// sends at once.
    package var reach = Interval.seconds(4)
    /// From there for TLS and the broker's answer to our CONNECT.
    package var answer = Interval.seconds(10)
    /// For the broker to acknowledge what was sent: a dead path would be noticed by itself after two keepalives only.
    package var acknowledge = Interval.seconds(10)
    /// Between two looks at the keepalive, which libmosquitto counts in seconds.
    package var tick = Interval.seconds(1)
    /// So many connections in a row that the broker closed without a word, each within half a minute, make us suspect that
    /// another client has our id: MQTT 3.1.1 has no word for it, and mosquitto before 2.0.15 does not say it either.
    package var suspiciousEndings = 5
    /// Of the jitter; `nil` for another one each time.
    package var seed: UInt64?

    /// The figures of production.
    package init() {}
}
