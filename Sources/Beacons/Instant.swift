/// A point in time on one process's monotonic clock, in nanoseconds since the start of that clock.
///
/// All decisions use `Instant`, because wall clocks jump (RulesOfTruth in the reference, rule 5). Instants of two
/// processes cannot be compared.
public struct Instant: Hashable, Sendable, Comparable {
    /// Nanoseconds since the start of the clock.
    public var nanoseconds: Int64

    /// The instant `nanoseconds` after the start of the clock.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The instant `milliseconds` after the start of the clock, clamped to the range.
    @inlinable
    public init(milliseconds: Int64) {
        self.init(nanoseconds: milliseconds.saturatingMultiplied(by: 1_000_000))
    }

    /// Whole milliseconds since the start of the clock. On a process's clock this is the `uptime_ms` of payloads.
    @inlinable
    public var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// The start of the clock.
    public static let zero = Instant(nanoseconds: 0)

    /// Orders instants from earlier to later.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The earlier of two instants; `nil` if there is none.
    @inlinable
    public static func earliest(_ one: Self?, _ other: Self?) -> Self? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    /// The instant `span` later, clamped to the range.
    @inlinable
    public static func + (instant: Self, span: Interval) -> Self {
        Instant(nanoseconds: instant.nanoseconds.saturatingAdding(span.nanoseconds))
    }

    /// The instant `span` earlier, clamped to the range.
    @inlinable
    public static func - (instant: Self, span: Interval) -> Self {
        Instant(nanoseconds: instant.nanoseconds.saturatingSubtracting(span.nanoseconds))
    }

    /// The interval from `right` to `left`, clamped to the range.
    @inlinable
    public static func - (left: Self, right: Self) -> Interval {
        Interval(nanoseconds: left.nanoseconds.saturatingSubtracting(right.nanoseconds))
    }
}
