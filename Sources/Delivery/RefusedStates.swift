import Beacons
import Messages

/// The states of a service that the broker refuses: each reason is reported once, and after a while all states are published anew, ever
/// more slowly.
///
/// Events are another matter: they are numbered, and tried again one by one (`EventPublisher`).
package struct RefusedStates: Sendable {
    static let patience = (first: Interval.seconds(60), longest: Interval.seconds(900))
    /// So many reasons are remembered as reported.
    private static let mostReasons = 16

    private var reasons: Set<Int?> = []
    private var publishAt: Instant?
    private var patience = patience.first

    package init() {}

    /// When everything is to be published anew, if anything was refused.
    package var nextDeadline: Instant? { publishAt }

    /// Something was refused; whether the reason is to be logged, as it is a new one.
    package mutating func note(_ refusal: BrokerRejection, at now: Instant) -> Bool {
        if publishAt == nil {
            publishAt = now + patience
            patience = min(patience * 2, Self.patience.longest)
        }
        return reasons.count < Self.mostReasons && reasons.insert(refusal.reasonCode).inserted
    }

    /// Whether everything is to be published anew now.
    package mutating func isDue(at now: Instant) -> Bool {
        guard let publishAt, now >= publishAt else { return false }
        self.publishAt = nil
        return true
    }

    /// A new connection: what was refused may be taken now, or is to be reported again.
    package mutating func connected() { self = RefusedStates() }
}
