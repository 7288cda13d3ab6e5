import Beacons

/// A moment in a house: nanoseconds since 1970-01-01T00:00:00Z on the clock by which the house lives.
///
/// The house is a function of its seed and of this, so that processes that agree on the time agree on everything. A live process takes its
/// wall clock once and goes on by its monotonic one; a test may count from `zero`.
public struct HouseTime: Hashable, Sendable, Comparable {
    /// Nanoseconds since the beginning of 1970.
    public var nanoseconds: Int64

    /// The moment `nanoseconds` after the beginning of 1970.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The moment that a wall clock shows; before 1700 or after 2200, where nanoseconds run out, it is that end.
    public init(_ wall: WallTime) {
        self.init(nanoseconds: max(-8_520_336_000_000, min(7_258_118_400_000, wall.milliseconds)) * 1_000_000)
    }

    /// The beginning of 1970.
    public static let zero = HouseTime(nanoseconds: 0)

    /// What a wall clock shows at that moment.
    public var wall: WallTime { WallTime(milliseconds: nanoseconds.divided(by: 1_000_000)) }

    /// The earlier is the smaller.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The moment `span` later.
    @inlinable
    public static func + (time: Self, span: Interval) -> Self {
        HouseTime(nanoseconds: time.nanoseconds + span.nanoseconds)
    }

    /// The moment `span` earlier.
    @inlinable
    public static func - (time: Self, span: Interval) -> Self {
        HouseTime(nanoseconds: time.nanoseconds - span.nanoseconds)
    }

    /// The span from `right` to `left`.
    @inlinable
    public static func - (left: Self, right: Self) -> Interval {
        Interval(nanoseconds: left.nanoseconds - right.nanoseconds)
    }
}

extension Int64 {
    /// Division that rounds down, so that time before 1970 is cut into the same slots as time after.
    package func divided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
