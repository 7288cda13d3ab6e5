import Beacons

/// States that were restored when nobody knew how old they are, as the wall clock was not right yet.
struct UndatedStates: Sendable {
    /// Without the snapshot.
    private var states: StoredStates
    /// How much later than they the last event was that followed them.
    private let later: Interval
    private let restoredAt: Instant

    init(_ states: StoredStates, later: Interval, restoredAt: Instant) {
        self.states = states
        self.states.snapshot = .init(beacons: [], regions: [])
        self.later = later
        self.restoredAt = restoredAt
    }

    /// How old they were, by a wall clock that is right; `nil` where it is the one of then that was not.
    func downtime(by now: Moment) -> Interval? {
        let then = Moment(instant: restoredAt, wall: now.wall(at: restoredAt), isSynchronised: now.isSynchronised)
        // The machine's own clock gave no age then, and gives none now.
        return states.age(at: then, machine: "").map { max(.zero, $0 - later) }
    }
}
