import Beacons
import Mosquitto

/// What of a service's states the broker refuses: it is said once, and after a while all of them are said anew, ever more slowly.
///
/// Events are another matter: they are numbered, and tried again one by one (`EventDelivery`).
public struct RefusedStates {
    static let patience = (first: Interval.seconds(60), longest: Interval.seconds(900))
    /// As many reasons are known to have been said.
    private static let mostReasons = 16

    private var reasons: Set<Int?> = []
    private var sayAt: Instant?
    private var patience = patience.first

    /// Nothing was refused.
    public init() {}

    /// When everything is to be said anew, if anything was refused.
    public var nextDeadline: Instant? { sayAt }

    /// Something was refused; whether the reason is to be told to people, as it is a new one.
    public mutating func take(_ refusal: BrokerRefusal, at now: Instant) -> Bool {
        if sayAt == nil {
            sayAt = now + patience
            patience = min(patience * 2, Self.patience.longest)
        }
        return reasons.count < Self.mostReasons && reasons.insert(refusal.reasonCode).inserted
    }

    /// Whether everything is to be said anew now.
    public mutating func isDue(at now: Instant) -> Bool {
        guard let sayAt, now >= sayAt else { return false }
        self.sayAt = nil
        return true
    }

    /// A new connection: what was refused may be taken now, or is to be told again.
    public mutating func connected() { self = RefusedStates() }
}
