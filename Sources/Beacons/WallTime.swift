/// A time on the wall clock, in milliseconds since 1970-01-01T00:00:00Z. Wall time is displayed and published;
/// decisions use `Instant`.
public struct WallTime: Hashable, Sendable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z without leap seconds, as in POSIX.
    public var milliseconds: Int64

    /// The time `milliseconds` after the beginning of 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Orders times from earlier to later.
    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// The time `interval` later, clamped to the range.
    public static func + (time: Self, interval: Interval) -> Self {
        WallTime(milliseconds: time.milliseconds.saturatingAdding(interval.milliseconds))
    }

    /// The time `interval` earlier, clamped to the range.
    public static func - (time: Self, interval: Interval) -> Self {
        WallTime(milliseconds: time.milliseconds.saturatingSubtracting(interval.milliseconds))
    }

    /// The interval from `right` to `left`, clamped to the range (292 years): the difference between two unset clocks
    /// can exceed it.
    public static func - (left: Self, right: Self) -> Interval {
        .milliseconds(left.milliseconds.saturatingSubtracting(right.milliseconds))
    }
}
