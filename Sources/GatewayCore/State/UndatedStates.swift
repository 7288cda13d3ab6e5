import Beacons

/// Restored states of unknown age, because the wall clock was not right yet.
struct UndatedStates: Sendable {
    /// The stored states, without their snapshot.
    private var states: StoredStates
    /// The time from the stored states to the last event that followed them.
    private let later: Interval
    private let restoredAt: Instant

    init(_ states: StoredStates, later: Interval, restoredAt: Instant) {
        self.states = states
        self.states.snapshot = .init(beacons: [], regions: [])
        self.later = later
        self.restoredAt = restoredAt
    }

    /// Returns the age that the states had when they were restored, by a wall clock that is right; `nil` if the wall clock was wrong when
    /// they were written.
    func downtime(by now: Moment) -> Interval? {
        let then = Moment(instant: restoredAt, wall: now.wall(at: restoredAt), isSynchronised: now.isSynchronised)
        // The machine's own clock gave no age at the restore, and gives none now.
        return states.age(at: then, machine: "").map { max(.zero, $0 - later) }
    }
}
