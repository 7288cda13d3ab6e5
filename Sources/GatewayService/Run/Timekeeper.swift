import Beacons
import Linux

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
