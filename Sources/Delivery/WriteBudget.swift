import Beacons

/// What a service may write of files that it replaces: so much a day, and some of it at once. An SD card is the budget.
///
/// What is written at once because somebody waits for it is spent as well: what can wait then waits for longer.
package struct WriteBudget: Hashable, Sendable {
    /// Of the 5 MB that a day may take: the rest is for the log of events.
    static let bytesPerSecond = 4e6 / 86_400
    static let burst = 1e6
    /// The bytes that replacing a file costs in addition to its own blocks, and those that overwriting costs: folder, inode and the file
    /// system's log. Measured at a device with ext4 in blocks of 4096 bytes.
    static let replacing = 72_000
    static let overwriting = 13_000

    private var allowance = burst
    private var filledAt: Instant

    package init(at start: Instant) {
        filledAt = start
    }

    /// From when on there is something to be spent: `now`, unless more was spent than there was.
    package func affordable(at now: Instant) -> Instant {
        let missing = -filled(at: now)
        return missing > 0 ? now + .seconds(missing / Self.bytesPerSecond) : now
    }

    /// A file of `bytes` was replaced (`StateFolder.replace`), or was tried to be.
    package mutating func spend(replacing bytes: Int, at now: Instant) { spend(bytes, Self.replacing, at: now) }

    /// A file of `bytes` was written over (`TwinFile`), or was tried to be.
    package mutating func spend(overwriting bytes: Int, at now: Instant) { spend(bytes, Self.overwriting, at: now) }

    private mutating func spend(_ bytes: Int, _ overhead: Int, at now: Instant) {
        allowance = filled(at: now) - Double((bytes + 4095) / 4096 * 4096 + overhead)
        filledAt = now
    }

    private func filled(at now: Instant) -> Double {
        min(Self.burst, allowance + max(0, (now - filledAt).seconds) * Self.bytesPerSecond)
    }
}
