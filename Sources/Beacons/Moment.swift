/// Now, on both clocks: the monotonic one that logic runs on, and the wall's, which is only said.
public struct Moment: Hashable, Sendable {
    /// Now, on the process's monotonic clock.
    public var instant: Instant
    /// Now, as the wall clock has it.
    public var wall: WallTime
    /// Whether the wall clock is believed to be right.
    public var isSynchronised: Bool

    /// The same moment on both clocks.
    public init(instant: Instant, wall: WallTime, isSynchronised: Bool) {
        self.instant = instant
        self.wall = wall
        self.isSynchronised = isSynchronised
    }

    /// What the wall clock of now says of another instant.
    public func wall(at other: Instant) -> WallTime { wall + (other - instant) }
}
