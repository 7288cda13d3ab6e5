import Beacons

/// Notices that the machine slept, or that the process stood still, as in a container that was paused: nothing was read meanwhile, and nobody
/// knows when what waits in the kernel was received.
package struct StallWatch {
    /// A longer delay is no load of the machine: a turn of the loop takes milliseconds.
    static let tolerance = Interval.seconds(5)

    /// When the loop goes on at the latest.
    private var due: Instant?
    /// For how long the machine had slept when the loop went on last.
    private var asleep: Interval?

    package init() {}

    /// Records that the loop sleeps until `deadline` at the latest.
    package mutating func sleeps(until deadline: Instant, at now: Instant) { due = max(deadline, now) }

    /// Records that the loop goes on; returns whether the machine slept or the process stood still before.
    ///
    /// - Parameter asleep: for how long the machine has slept since its start.
    package mutating func hasStalled(at now: Instant, asleep: Interval = Clock.asleep) -> Bool {
        let former = self.asleep ?? asleep
        defer { (due, self.asleep) = (now, max(former, asleep)) }
        // The two clocks are not read at the same instant.
        return due.map { now - $0 > Self.tolerance } ?? false || asleep - former > .milliseconds(100)
    }
}
