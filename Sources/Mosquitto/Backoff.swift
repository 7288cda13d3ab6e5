import Beacons

/// How long to wait before the next attempt: exponential, with full jitter, so that two hundred gateways that lost one broker
/// do not come back as one.
///
/// The wait is drawn evenly from zero to a ceiling that doubles with each failure. While nothing was ever reached the ceiling
/// is low: a house whose broker is late to boot shall be whole within seconds of it.
package struct Backoff {
    /// How the last attempt came to its end.
    package enum Ending: Hashable, Sendable {
        /// It never became a connection.
        case failed
        /// It was one for so long.
        case lost(lasted: Interval)
        /// It was one for so long; then another client took our place, and would again.
        case takenOver(lasted: Interval)
        /// It looks as if.
        case perhapsTakenOver
    }

    // Half a second, then doubling: a broker that boots beside us is tried about every two seconds.
    static let firstCeiling = Interval.milliseconds(500)
    static let ceilingBeforeReached = Interval.seconds(4)
    // A broker that was there and restarts has everybody come back at once: two seconds spread 200 clients to 100 a second.
    static let firstCeilingOnceReached = Interval.seconds(2)
    // Shorter than a will waits (10 s): whose line comes and goes is back before it, and its items do not become unknown for it.
    static let ceilingOnceReached = Interval.seconds(8)
    // A connection that ended sooner than this proved nothing: it counts as one more failure.
    static let proof = Interval.seconds(5)
    // Two that share an id throw each other out for ever. These waits make it once in a minute, then once in a quarter of an hour.
    static let firstTakeoverCeiling = Interval.seconds(120)
    static let takeoverCeiling = Interval.seconds(960)
    static let takeoverForgotten = Interval.seconds(3600)
    // A suspicion may be wrong: the first one costs half a minute. One that is raised again is right.
    static let firstSuspicionCeiling = Interval.seconds(40)

    // At once, and yet not as one. Where another client is thrown out by this, its socket has been read empty by then: what is closed
    // with something unread in it is reset, and looks like a bad line.
    static let proofRange = (Interval.milliseconds(100), Interval.milliseconds(200))

    private var random: SplitMix64
    private var wasReached = false
    private var failures = 0
    private var takeovers = 0
    private var suspicions = 0

    /// A back-off that draws the same waits for the same seed and endings.
    package init(seed: UInt64) {
        random = SplitMix64(state: seed)
    }

    /// The broker let us in.
    package mutating func reached() {
        wasReached = true
    }

    /// The wait between that ending and the next attempt.
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
            // Half of it at least: here the point is not to spread, but to stay away.
            return draw(from: Interval(nanoseconds: ceiling.nanoseconds / 2), to: ceiling)
        case .perhapsTakenOver:
            failures = 0
            suspicions += 1
            let ceiling = doubled(Self.firstSuspicionCeiling, times: suspicions - 1, upTo: Self.takeoverCeiling)
            return draw(from: Interval(nanoseconds: ceiling.nanoseconds / 2), to: ceiling)
        }
        return draw(from: .zero, to: ceiling)
    }

    /// The wait before an attempt that is to show that the way to the broker is open.
    package mutating func proof() -> Interval { draw(from: Self.proofRange.0, to: Self.proofRange.1) }

    private var ceiling: Interval {
        wasReached
            ? doubled(Self.firstCeilingOnceReached, times: failures - 1, upTo: Self.ceilingOnceReached)
            : doubled(Self.firstCeiling, times: failures - 1, upTo: Self.ceilingBeforeReached)
    }

    private func doubled(_ first: Interval, times: Int, upTo most: Interval) -> Interval {
        min(most, first * Double(1 << min(times, 20)))
    }

    private mutating func draw(from least: Interval, to most: Interval) -> Interval {
        Interval(nanoseconds: .random(in: least.nanoseconds...most.nanoseconds, using: &random))
    }
}

/// Steele, Lea and Flood's generator of 2014: 64 bits of state, and good enough to spread waits.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
