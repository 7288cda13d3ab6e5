import Beacons

/// When an adapter scans: for the window's length at the beginning of each interval.
public struct ScanDuty: Hashable, Sendable {
    /// How long it scans each time.
    public var window: Interval
    /// From one time to the next.
    public var interval: Interval

    /// A duty of `window` in each `interval`.
    public init(window: Interval, interval: Interval) {
        precondition(interval > .zero, "an interval of some length")
        self.window = window
        self.interval = interval
    }

    /// Whether it scans `nanoseconds` after some interval's beginning.
    @inlinable
    public func scans(at nanoseconds: Int64) -> Bool {
        let rest = nanoseconds % interval.nanoseconds
        return (rest < 0 ? rest + interval.nanoseconds : rest) < window.nanoseconds
    }
}
