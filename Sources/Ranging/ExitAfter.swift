import Beacons

/// After how long a silence a beacon counts as gone.
public enum ExitAfter: Hashable, Sendable {
    /// The silence that is implausible for this beacon, as its past has shown it, at this rate of false exits per beacon and day.
    case auto(falseExitsPerDay: Double)
    /// The same silence for every beacon.
    case fixed(Interval)
}
