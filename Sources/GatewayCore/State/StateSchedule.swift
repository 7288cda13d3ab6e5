import Delivery
import Beacons

/// Schedules the writes of a gateway's states: soon after a change, else periodically, and within the write budget of the card.
struct StateSchedule: Sendable {
    /// The greatest age of the states on disk. After a power cut, the last sightings are known as of then.
    static let period = Interval.seconds(300)
    /// The delay from a change to its write, and from a failed write to the next one.
    static let delay = Interval.seconds(5)
    /// How often the learned silences are written.
    static let silencesPeriod = Interval.seconds(6 * 3600)

    private var budget: WriteBudget
    private(set) var statesAt: Instant
    private(set) var silencesAt: Instant

    init(at start: Instant) {
        budget = WriteBudget(at: start)
        statesAt = start
        silencesAt = start + Self.silencesPeriod
    }

    /// Records a change of the states.
    mutating func change(at now: Instant) {
        statesAt = min(statesAt, now + Self.delay)
    }

    /// Whether the states are to be written now. If the card's write budget is spent, they wait.
    mutating func statesAreDue(at now: Instant) -> Bool {
        guard now >= statesAt else { return false }
        statesAt = budget.affordable(at: now)
        return statesAt <= now
    }

    /// Records that the states were written with this number of bytes, and schedules the next write.
    mutating func wroteStates(_ bytes: Int, at now: Instant) {
        budget.spend(overwriting: bytes, at: now)
        statesAt = now + Self.period
    }

    /// Records that the states could not be written, and schedules another attempt.
    mutating func couldNotWrite(at now: Instant) {
        statesAt = now + Self.delay
    }

    /// Records that the learned silences could not be written, and schedules another attempt.
    mutating func couldNotWriteSilences(at now: Instant) {
        silencesAt = now + Self.period
    }

    /// Records that the learned silences were written with this number of bytes, and schedules the next write.
    mutating func wroteSilences(_ bytes: Int, at now: Instant) {
        budget.spend(replacing: bytes, at: now)
        silencesAt = now + Self.silencesPeriod
    }
}
