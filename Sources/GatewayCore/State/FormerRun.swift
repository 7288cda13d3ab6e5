import Beacons

/// What remains to be done about the run before this one, whose states were restored.
struct FormerRun: Sendable {
    /// The restored states whose age is unknown, because the wall clock was not right yet.
    var undated: UndatedStates?
    /// When the states of a run that was killed were restored; `nil` if that run stopped. It may have received a beacon after the last sighting that
    /// its states have.
    var uncertainUntil: Instant?
    /// The beacons whose proximity the broker may still have from that run.
    var posted: Set<BeaconIdentity> = []

    /// Whether there may have been a later sighting than the last known one; `nil` is one before the restart.
    func isUncertain(_ lastSeen: Instant?) -> Bool {
        uncertainUntil.map { (lastSeen ?? $0) <= $0 } ?? false
    }
}
