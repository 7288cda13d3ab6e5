/// A length of time in nanoseconds: what `Duration` is, in one machine word.
///
/// Swift's `Duration` counts attoseconds in 128 bits; there is one subtraction per sighting and one table entry per beacon here.
/// Arithmetic on `Interval`, `Instant` and `WallTime` saturates at the range's end (292 years): operands may come from other machines.
public struct Interval: Hashable, Sendable, Comparable {
    /// Nanoseconds; negative is backwards.
    public var nanoseconds: Int64

    /// `nanoseconds` long.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// `count` milliseconds, at most the range's end.
    @inlinable
    public static func milliseconds(_ count: Int64) -> Interval {
        Interval(nanoseconds: count.saturatingMultiplied(by: 1_000_000))
    }

    /// `count` seconds, rounded to the nanosecond. Beyond the range (292 years) it is the range's end.
    @inlinable
    public static func seconds(_ count: Double) -> Interval {
        Interval(nanoseconds: Int64(max(-9.2e18, min(9.2e18, (count * 1e9).rounded()))))
    }

    /// No time at all.
    public static let zero = Interval(nanoseconds: 0)

    /// Seconds, with their fraction.
    @inlinable
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Whole milliseconds, towards zero.
    @inlinable
    public var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// The shorter is the smaller.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// One after the other.
    @inlinable
    public static func + (left: Self, right: Self) -> Self {
        Interval(nanoseconds: left.nanoseconds.saturatingAdding(right.nanoseconds))
    }

    /// What is left of `left` after `right`.
    @inlinable
    public static func - (left: Self, right: Self) -> Self {
        Interval(nanoseconds: left.nanoseconds.saturatingSubtracting(right.nanoseconds))
    }

    /// `count` of them.
    @inlinable
    public static func * (interval: Self, count: Double) -> Self { .seconds(interval.seconds * count) }
}
