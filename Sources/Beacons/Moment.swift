/// The current time on two clocks: the monotonic clock, which decisions use, and the wall clock, which is only
/// displayed and published.
public struct Moment: Hashable, Sendable {
    /// The current time on the process's monotonic clock.
    public var instant: Instant
    /// The current time on the wall clock.
    public var wall: WallTime
    /// Whether the wall clock is considered correct.
    public var isSynchronised: Bool

    /// Creates a moment from the readings of both clocks.
    public init(instant: Instant, wall: WallTime, isSynchronised: Bool) {
        self.instant = instant
        self.wall = wall
        self.isSynchronised = isSynchronised
    }

    /// Converts another instant to wall clock time.
    public func wall(at other: Instant) -> WallTime { wall + (other - instant) }
}
