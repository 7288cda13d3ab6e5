/// A length of time in nanoseconds, stored in one machine word.
///
/// Swift's `Duration` counts attoseconds in 128 bits. `Interval` is smaller and faster: there is one subtraction per
/// sighting and one table entry per beacon. Arithmetic on `Interval`, `Instant` and `WallTime` saturates at 292 years,
/// because operands may come from other machines.
public struct Interval: Hashable, Sendable, Comparable {
    /// The length in nanoseconds; negative values go backwards in time.
    public var nanoseconds: Int64

    /// An interval of `nanoseconds`.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// An interval of `count` milliseconds, clamped to the range.
    @inlinable
    public static func milliseconds(_ count: Int64) -> Interval {
        Interval(nanoseconds: count.saturatingMultiplied(by: 1_000_000))
    }

    /// An interval of `count` seconds, rounded to the nanosecond and clamped to the range (292 years).
    @inlinable
    public static func seconds(_ count: Double) -> Interval {
        Interval(nanoseconds: Int64(max(-9.2e18, min(9.2e18, (count * 1e9).rounded()))))
    }

    /// An interval of length zero.
    public static let zero = Interval(nanoseconds: 0)

    /// The length in seconds, with the fraction.
    @inlinable
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// The length in whole milliseconds, rounded towards zero.
    @inlinable
    public var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// Orders intervals from shorter to longer.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The sum, clamped to the range.
    @inlinable
    public static func + (left: Self, right: Self) -> Self {
        Interval(nanoseconds: left.nanoseconds.saturatingAdding(right.nanoseconds))
    }

    /// The difference, clamped to the range.
    @inlinable
    public static func - (left: Self, right: Self) -> Self {
        Interval(nanoseconds: left.nanoseconds.saturatingSubtracting(right.nanoseconds))
    }

    /// The product, clamped to the range.
    @inlinable
    public static func * (interval: Self, count: Double) -> Self { .seconds(interval.seconds * count) }

    /// The interval for people, in its largest unit: `12 s`, `5 min`, `3 h`, `4 d`.
    package var age: String {
        let seconds = max(0, Int(self.seconds))
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}

extension Int64 {
    /// The sum, clamped to the range of `Int64`.
    @inlinable
    package func saturatingAdding(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other > 0 ? .max : .min) : sum
    }

    /// The difference, clamped to the range of `Int64`.
    @inlinable
    package func saturatingSubtracting(_ other: Int64) -> Int64 {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (other < 0 ? .max : .min) : difference
    }

    /// The product, clamped to the range of `Int64`.
    @inlinable
    package func saturatingMultiplied(by other: Int64) -> Int64 {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
