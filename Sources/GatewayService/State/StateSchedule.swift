import Beacons

/// When a gateway's states are written: soon after something changed, else now and then, and never more than the card is to bear.
struct StateSchedule: Sendable {
    /// As old as the states may grow: what was last heard is known so far back after a power cut.
    static let period = Interval.seconds(300)
    /// They are written so soon after a change, and again where they could not be.
    static let delay = Interval.seconds(5)
    /// What the states may take of a day's 5 MB, and how much of it may be taken at once.
    static let bytesPerSecond = 4e6 / 86_400
    static let burst = 256e3
    /// What a file costs besides its own blocks when it is replaced: folder, inode and journal.
    static let overhead = 20_000
    /// What was learned is written so often.
    static let silencesPeriod = Interval.seconds(6 * 3600)

    private var allowance = burst
    private var filledAt: Instant
    private(set) var statesAt: Instant
    private(set) var silencesAt: Instant

    init(at start: Instant) {
        filledAt = start
        statesAt = start
        silencesAt = start + Self.silencesPeriod
    }

    /// Something changed.
    mutating func change(at now: Instant) {
        statesAt = min(statesAt, now + Self.delay)
    }

    /// Whether the states are to be written now; where the card has had enough, not yet.
    mutating func statesAreDue(at now: Instant) -> Bool {
        guard now >= statesAt else { return false }
        allowance = min(Self.burst, allowance + (now - filledAt).seconds * Self.bytesPerSecond)
        filledAt = now
        guard allowance < 0 else { return true }
        statesAt = now + .seconds(-allowance / Self.bytesPerSecond)
        return false
    }

    /// They were written, or could not be: the next time is later.
    mutating func wroteStates(_ bytes: Int, at now: Instant) {
        spend(bytes)
        statesAt = now + Self.period
    }

    /// They could not be written: soon again.
    mutating func couldNotWrite(at now: Instant) {
        statesAt = now + Self.delay
    }

    /// The same of what was learned.
    mutating func wroteSilences(_ bytes: Int, at now: Instant) {
        spend(bytes)
        silencesAt = now + Self.silencesPeriod
    }

    private mutating func spend(_ bytes: Int) {
        allowance -= Double((bytes + 4095) / 4096 * 4096 + Self.overhead)
    }
}
