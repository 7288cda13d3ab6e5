import Beacons

/// When a frame was written, on both clocks: from it one tells later what the wall clock should have said of its boot's events.
public struct WrittenAt: Hashable, Sendable {
    /// On the boot's monotonic clock, counted from the beginning of the boot.
    public var uptime: Instant
    /// On the wall clock.
    public var wall: WallTime
    /// Whether the wall clock was synchronised.
    public var isSynchronised: Bool

    /// A moment of a boot.
    public init(uptime: Instant, wall: WallTime, isSynchronised: Bool) {
        self.uptime = uptime
        self.wall = wall
        self.isSynchronised = isSynchronised
    }

    /// What the wall clock said when the boot began; `nil` where that is not known.
    var origin: WallTime? { isSynchronised ? wall - (uptime - .zero) : nil }
}
