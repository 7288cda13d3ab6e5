/// A moment on a wall clock: milliseconds since 1970-01-01T00:00:00Z. Said to people, never reckoned with.
public struct WallTime: Hashable, Sendable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds left out, as POSIX does.
    public var milliseconds: Int64

    /// The moment `milliseconds` after the beginning of 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The earlier is the smaller.
    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// The moment `interval` later.
    public static func + (time: Self, interval: Interval) -> Self {
        WallTime(milliseconds: time.milliseconds.saturatingAdding(interval.milliseconds))
    }

    /// The moment `interval` earlier.
    public static func - (time: Self, interval: Interval) -> Self {
        WallTime(milliseconds: time.milliseconds.saturatingSubtracting(interval.milliseconds))
    }

    /// The time from `right` to `left`. Beyond the range (292 years), as between clocks that were never set, it is the range's end.
    public static func - (left: Self, right: Self) -> Interval {
        .milliseconds(left.milliseconds.saturatingSubtracting(right.milliseconds))
    }
}
