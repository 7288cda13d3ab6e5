/// A moment on one process's monotonic clock, in nanoseconds since that clock began.
///
/// Logic knows no other time: wall clocks jump (RulesOfTruth in the reference, rule 5). Instants of two processes cannot be compared.
public struct Instant: Hashable, Sendable, Comparable {
    /// Nanoseconds since the clock's beginning.
    public var nanoseconds: Int64

    /// The moment `nanoseconds` after the clock's beginning.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The moment `milliseconds` after the clock's beginning, at most the range's end.
    @inlinable
    public init(milliseconds: Int64) {
        self.init(nanoseconds: milliseconds.saturatingMultiplied(by: 1_000_000))
    }

    /// Whole milliseconds since the clock's beginning: the `uptime_ms` of payloads when the clock is a boot's.
    @inlinable
    public var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// The clock's beginning.
    public static let zero = Instant(nanoseconds: 0)

    /// The earlier is the smaller.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The moment `span` later.
    @inlinable
    public static func + (instant: Self, span: Interval) -> Self {
        Instant(nanoseconds: instant.nanoseconds.saturatingAdding(span.nanoseconds))
    }

    /// The moment `span` earlier.
    @inlinable
    public static func - (instant: Self, span: Interval) -> Self {
        Instant(nanoseconds: instant.nanoseconds.saturatingSubtracting(span.nanoseconds))
    }

    /// The span from `right` to `left`.
    @inlinable
    public static func - (left: Self, right: Self) -> Interval {
        Interval(nanoseconds: left.nanoseconds.saturatingSubtracting(right.nanoseconds))
    }
}
