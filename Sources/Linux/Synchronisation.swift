import Beacons

/// What was last learned of whether the wall clock is synchronised: the loop of a service wants to know some twenty times a second, and a
/// sandbox logs each question that it refuses.
struct Synchronisation: Sendable {
    /// An answer is as old as this at most.
    private static let period = Interval.seconds(5)
    /// The wall clock was set where it went by so much more or less than the monotonic one: then the answer is no longer that of this clock.
    private static let step = Interval.milliseconds(200)

    private var answer: Bool?
    private var askedAt = Instant.zero
    /// The wall clock and the monotonic one when the answer was given.
    private var wall = WallTime(milliseconds: 0)
    /// The kernel does not answer this process, and will not: it is not asked again.
    private var isKernelSilent = false

    /// Whether the clock is synchronised.
    ///
    /// - Parameters:
    ///   - askKernel: the kernel's own answer; `nil` where it refuses to answer.
    ///   - askDaemon: what the daemon that sets the clock has left as a sign.
    mutating func isSynchronised(
        at now: Instant, _ wall: WallTime, askKernel: () -> Bool?, askDaemon: () -> Bool
    ) -> Bool {
        if let answer, now >= askedAt, now - askedAt < Self.period, !isSet(at: now, wall) { return answer }
        let told = isKernelSilent ? nil : askKernel()
        isKernelSilent = told == nil
        (askedAt, self.wall) = (now, wall)
        let answer = told ?? askDaemon()
        self.answer = answer
        return answer
    }

    private func isSet(at now: Instant, _ wall: WallTime) -> Bool {
        // In floating point: clocks that were never set may be centuries apart.
        abs((wall - self.wall).seconds - (now - askedAt).seconds) > Self.step.seconds
    }
}
