import Beacons

/// The cached state of the wall clock's synchronisation. A service checks it some twenty times a second, and a sandbox
/// logs each refused call.
struct Synchronisation: Sendable {
    /// The longest age of the cached state.
    private static let period = Interval.seconds(5)
    /// The difference between the progress of both clocks that proves that the wall clock was set. The cached state is
    /// then outdated.
    private static let step = Interval.milliseconds(200)

    private var result: Bool?
    private var askedAt = Instant.zero
    /// The wall clock when the state was read; `askedAt` is the monotonic clock.
    private var wall = WallTime(milliseconds: 0)
    /// Whether the kernel refused the call. A kernel that has refused is not asked again.
    private var isKernelSilent = false

    /// Whether the clock is synchronised.
    ///
    /// - Parameters:
    ///   - askKernel: the kernel's state; `nil` if the kernel refuses the call.
    ///   - askDaemon: whether the daemon that sets the clock has left its mark.
    mutating func isSynchronised(
        at now: Instant, _ wall: WallTime, askKernel: () -> Bool?, askDaemon: () -> Bool
    ) -> Bool {
        if let result, now >= askedAt, now - askedAt < Self.period, !isSet(at: now, wall) { return result }
        let reported = isKernelSilent ? nil : askKernel()
        isKernelSilent = reported == nil
        (askedAt, self.wall) = (now, wall)
        let result = reported ?? askDaemon()
        self.result = result
        return result
    }

    private func isSet(at now: Instant, _ wall: WallTime) -> Bool {
        // The comparison is in floating point, because clocks that were never set may be centuries apart.
        abs((wall - self.wall).seconds - (now - askedAt).seconds) > Self.step.seconds
    }
}
