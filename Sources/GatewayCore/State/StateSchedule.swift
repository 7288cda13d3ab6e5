import Delivery
import Beacons

/// When a gateway's states are written: soon after something changed, else now and then, and never more than the card is to bear.
struct StateSchedule: Sendable {
    /// The greatest age of the states on disk. After a power cut, the last sightings are known as of then.
    static let period = Interval.seconds(300)
    /// They are written so soon after a change, and again where they could not be.
    static let delay = Interval.seconds(5)
    /// What was learned is written so often.
    static let silencesPeriod = Interval.seconds(6 * 3600)

    private var budget: WriteBudget
    private(set) var statesAt: Instant
    private(set) var silencesAt: Instant

    init(at start: Instant) {
        budget = WriteBudget(at: start)
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
        statesAt = budget.affordable(at: now)
        return statesAt <= now
    }

    /// They were written, or could not be: the next time is later.
    mutating func wroteStates(_ bytes: Int, at now: Instant) {
        budget.spend(overwriting: bytes, at: now)
        statesAt = now + Self.period
    }

    /// They could not be written: soon again.
    mutating func couldNotWrite(at now: Instant) {
        statesAt = now + Self.delay
    }

    /// The same of what was learned.
    mutating func wroteSilences(_ bytes: Int, at now: Instant) {
        budget.spend(replacing: bytes, at: now)
        silencesAt = now + Self.silencesPeriod
    }
}
