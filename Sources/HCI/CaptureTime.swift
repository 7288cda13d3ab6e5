import Beacons

/// A moment in a recording, in microseconds, on the wall clock of whoever recorded it: it may be wrong, stand still and go back.
public struct CaptureTime: Hashable, Sendable, Comparable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public var microseconds: Int64

    /// The moment `microseconds` after the beginning of 1970.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The beginning of that millisecond.
    public init(_ time: WallTime) {
        let (microseconds, overflow) = time.milliseconds.multipliedReportingOverflow(by: 1000)
        self.init(microseconds: overflow ? (time.milliseconds < 0 ? .min : .max) : microseconds)
    }

    /// The moment to the millisecond.
    public var wall: WallTime { WallTime(milliseconds: microseconds / 1000) }

    /// The earlier is the smaller.
    public static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }

    /// The time from `right` to `left`; a century or its negative where it is more, as a file may claim any time.
    public static func - (left: Self, right: Self) -> Interval {
        let (difference, overflow) = left.microseconds.subtractingReportingOverflow(right.microseconds)
        let microseconds = overflow ? (left < right ? .min : .max) : difference
        return Interval(nanoseconds: max(-century, min(century, microseconds)) * 1000)
    }

    /// In microseconds: 36,525 days.
    private static let century: Int64 = 36_525 * 86_400 * 1_000_000
}

// btsnoop counts microseconds from the beginning of the year 0.
extension CaptureTime {
    private static let yearZeroTo1970: Int64 = 0x00DC_DDB3_0F2F_8000

    /// A record's timestamp, any 64 bits.
    init(btsnoop: UInt64) {
        self.init(microseconds: Int64(bitPattern: btsnoop) &- Self.yearZeroTo1970)
    }

    /// As a record's timestamp.
    var btsnoop: UInt64 { UInt64(bitPattern: microseconds &+ Self.yearZeroTo1970) }
}
