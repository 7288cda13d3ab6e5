import Beacons

/// A time in a recording, in microseconds on the recorder's wall clock. That clock may be wrong, stand still or go
/// back.
public struct CaptureTime: Hashable, Sendable, Comparable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public var microseconds: Int64

    /// The time `microseconds` after the beginning of 1970.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The beginning of a millisecond.
    public init(_ time: WallTime) {
        let (microseconds, overflow) = time.milliseconds.multipliedReportingOverflow(by: 1000)
        self.init(microseconds: overflow ? (time.milliseconds < 0 ? .min : .max) : microseconds)
    }

    /// The time as wall time, in milliseconds.
    public var wall: WallTime { WallTime(milliseconds: microseconds / 1000) }

    /// Orders times from earlier to later.
    public static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }

    /// The interval from `right` to `left`, clamped to a century, because a file may contain any time.
    public static func - (left: Self, right: Self) -> Interval {
        let (difference, overflow) = left.microseconds.subtractingReportingOverflow(right.microseconds)
        let microseconds = overflow ? (left < right ? .min : .max) : difference
        return Interval(nanoseconds: max(-century, min(century, microseconds)) * 1000)
    }

    /// A century in microseconds: 36,525 days.
    private static let century: Int64 = 36_525 * 86_400 * 1_000_000

    // btsnoop counts microseconds from the beginning of the year 0.
    private static let yearZeroTo1970: Int64 = 0x00DC_DDB3_0F2F_8000

    /// Creates a time from a record's timestamp, which may be any 64 bits.
    init(btsnoop: UInt64) {
        self.init(microseconds: Int64(bitPattern: btsnoop) &- Self.yearZeroTo1970)
    }

    /// The time as a record's timestamp.
    var btsnoop: UInt64 { UInt64(bitPattern: microseconds &+ Self.yearZeroTo1970) }
}
