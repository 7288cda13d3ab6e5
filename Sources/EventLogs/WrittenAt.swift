import Beacons

/// The time of writing a frame, on two clocks. It yields the wall clock time of the run's start, from which the times
/// of its events are corrected.
package struct WrittenAt: Hashable, Sendable {
    /// The time on the process's monotonic clock since the start of the process.
    package var uptime: Instant
    package var wall: WallTime
    package var isSynchronised: Bool

    package init(uptime: Instant, wall: WallTime, isSynchronised: Bool) {
        self.uptime = uptime
        self.wall = wall
        self.isSynchronised = isSynchronised
    }

    /// The wall clock time at the start of the run; `nil` if the clock was not synchronised.
    var origin: WallTime? { isSynchronised ? wall - (uptime - .zero) : nil }
}
