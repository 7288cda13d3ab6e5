import Beacons
import Delivery
import Messages

/// The registry that another aggregator writes: the one without a name for those with a name, or the active one for those on standby.
struct FollowedRegistry: Sendable {
    private(set) var replica = RegistryReplica()
    /// That entries do not arrive, as a sentence.
    private(set) var problem: String?
    /// What the replica changed and the own registry has not taken over; `nil`: anything.
    private var pending: RegistryReplica.Changes?

    /// Continues with the registry that this aggregator followed before a restart.
    mutating func restore(_ stored: StoredSite) {
        replica.restore(
            revision: stored.revision, origin: stored.origin, items: stored.items, regions: stored.regions)
    }

    /// Receives a message on one of the registry's topics; returns whether another registry is in force now.
    mutating func receive(_ topic: Topic, _ payload: [UInt8], at now: Instant) throws(PayloadRefusal) -> Bool {
        guard try replica.receive(topic, payload, at: now) else { return false }
        pending?.formUnion(replica.changes)
        return true
    }

    /// What the replica changed since this was asked last; `nil`: anything.
    mutating func drainChanges() -> RegistryReplica.Changes? {
        defer { pending = RegistryReplica.Changes() }
        return pending
    }

    /// The own registry is changed by others than the replica: all entries are to be compared with the next changes.
    mutating func diverge() { pending = nil }

    mutating func connectionLost() { replica.connectionLost() }

    /// What to do about entries that the broker did not deliver.
    mutating func fetchMissing(at now: Instant) -> [RegistryFetch.Step] { replica.fetchMissing(at: now) }

    /// Updates `problem`; returns whether it is another one.
    ///
    /// - Parameter reader: the name of this aggregator.
    mutating func updateProblem(of reader: String) -> Bool {
        let former = problem
        problem = replica.problem(of: reader)
        return problem != former
    }
}
