import Beacons

/// The waits between attempts to connect: exponential with full jitter, so that two hundred gateways that lost one
/// broker do not reconnect at the same moment.
///
/// The wait is drawn evenly from zero to a ceiling that doubles with each failure. Before the first connection the
/// ceiling is low: if a house's broker starts late, all gateways connect within seconds of it.
package struct Backoff {
    /// How the last attempt ended.
    package enum Ending: Hashable, Sendable {
        /// The attempt never became a connection.
        case failed
        /// The connection lasted this long.
        case lost(lasted: Interval)
        /// The connection lasted this long. Then another client with the same id took it over, and would do so again.
        case takenOver(lasted: Interval)
        /// Another client with the same id seems to have taken the connection over.
        case perhapsTakenOver
    }

    // Half a second, then doubling: a broker that starts at the same time is tried about every two seconds.
    static let firstCeiling = Interval.milliseconds(500)
    static let ceilingBeforeReached = Interval.seconds(4)
    // All clients reconnect at once to a broker that restarts. Two seconds spread 200 clients to 100 a second.
    static let firstCeilingOnceReached = Interval.seconds(2)
    // This is shorter than the delay of the will (10 s). A client with an unstable link reconnects before its will
    // makes its items unknown.
    static let ceilingOnceReached = Interval.seconds(8)
    // With several addresses, another server is there already: half as long spreads them, too.
    static let firstCeilingOfCluster = Interval.seconds(1)
    // A cluster that elects a leader refuses clients for about ten seconds. So with several addresses, this many waits stay short first.
    static let shortWaitsOfCluster = 8
    // A connection that ended earlier counts as one more failure.
    static let proof = Interval.seconds(5)
    // Two clients with one id disconnect each other forever. These waits limit that to once a minute, later once in a
    // quarter of an hour.
    static let firstTakeoverCeiling = Interval.seconds(120)
    static let takeoverCeiling = Interval.seconds(960)
    static let takeoverForgotten = Interval.seconds(3600)
    // A suspicion may be wrong, so the first one costs half a minute. A repeated suspicion is right.
    static let firstSuspicionCeiling = Interval.seconds(40)

    // Almost at once, but with jitter. The wait gives the other client time to read its socket empty. A socket that is
    // closed with unread data is reset, which looks like an unstable link.
    static let proofRange = (Interval.milliseconds(100), Interval.milliseconds(200))

    private var random: SplitMix64
    private let shortWaits: Int
    private var wasReached = false
    private var failures = 0
    private var takeovers = 0
    private var suspicions = 0

    /// Creates a back-off whose waits depend only on the seed and the endings.
    ///
    /// - Parameter addresses: the number of the broker's addresses. All of them are tried between two waits.
    package init(seed: UInt64, addresses: Int = 1) {
        random = SplitMix64(seed: seed)
        shortWaits = addresses > 1 ? Self.shortWaitsOfCluster : 0
    }

    /// Records that the broker accepted the connection.
    package mutating func reached() {
        wasReached = true
    }

    /// The wait between an ending and the next attempt.
    package mutating func wait(after ending: Ending) -> Interval {
        switch ending {
        case .failed:
            failures += 1
        case .lost(let lasted):
            failures = lasted < Self.proof ? failures + 1 : 1
            if lasted >= Self.takeoverForgotten { suspicions = 0 }
        case .takenOver(let lasted):
            failures = 0
            takeovers = lasted < Self.takeoverForgotten ? takeovers + 1 : 1
            let ceiling = doubled(Self.firstTakeoverCeiling, times: takeovers - 1, upTo: Self.takeoverCeiling)
            // At least half the ceiling, because this wait must keep the client away, not only spread clients.
            return draw(from: Interval(nanoseconds: ceiling.nanoseconds / 2), to: ceiling)
        case .perhapsTakenOver:
            failures = 0
            suspicions += 1
            let ceiling = doubled(Self.firstSuspicionCeiling, times: suspicions - 1, upTo: Self.takeoverCeiling)
            return draw(from: Interval(nanoseconds: ceiling.nanoseconds / 2), to: ceiling)
        }
        return draw(from: .zero, to: ceiling)
    }

    /// The wait before an attempt that tests whether the broker is reachable.
    package mutating func proof() -> Interval { draw(from: Self.proofRange.0, to: Self.proofRange.1) }

    private var ceiling: Interval {
        guard wasReached else {
            return doubled(Self.firstCeiling, times: failures - 1, upTo: Self.ceilingBeforeReached)
        }
        if failures == 1, shortWaits > 0 { return Self.firstCeilingOfCluster }
        return doubled(
            Self.firstCeilingOnceReached, times: max(0, failures - 1 - shortWaits), upTo: Self.ceilingOnceReached)
    }

    private func doubled(_ first: Interval, times: Int, upTo most: Interval) -> Interval {
        min(most, first * Double(1 << min(times, 20)))
    }

    private mutating func draw(from least: Interval, to most: Interval) -> Interval {
        Interval(nanoseconds: .random(in: least.nanoseconds...most.nanoseconds, using: &random))
    }
}
