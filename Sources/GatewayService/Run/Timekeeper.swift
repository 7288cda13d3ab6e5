import Beacons
import Linux

/// Notices that the process stood still, as in a container that was paused: its radio was not read meanwhile, and nobody knows when what waits
/// in the kernel was received.
struct StallWatch {
    /// A longer delay is no load of the machine: a turn of the loop takes milliseconds.
    static let tolerance = Interval.seconds(5)

    /// When the loop goes on at the latest.
    private var due: Instant?

    /// Records that the loop sleeps until `deadline` at the latest.
    mutating func sleeps(until deadline: Instant, at now: Instant) { due = max(deadline, now) }

    /// Records that the loop goes on; returns whether the process stood still before.
    mutating func hasStalled(at now: Instant) -> Bool {
        defer { due = now }
        return due.map { now - $0 > Self.tolerance } ?? false
    }
}

/// The clock that a gateway runs by: the kernel's, or one that jumps from deadline to deadline, for a recording played as fast as it goes.
enum Timekeeper {
    case live
    case virtual(began: Moment, now: Instant)

    var moment: Moment {
        switch self {
        case .live: Clock.moment
        case .virtual(let began, let now):
            Moment(instant: now, wall: began.wall(at: now), isSynchronised: began.isSynchronised)
        }
    }

    /// Whether time passes by itself.
    var isLive: Bool {
        if case .live = self { true } else { false }
    }

    /// Jumps to `deadline`, if the clock is one that jumps, and forward only.
    mutating func jump(to deadline: Instant) {
        guard case .virtual(let began, let now) = self else { return }
        self = .virtual(began: began, now: max(now, deadline))
    }
}
