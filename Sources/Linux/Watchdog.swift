import Beacons

/// Decides when a supervisor may be told that all goes on: it is fed only while everything that has to go on does.
///
/// Each duty is named by when it is to be done next. One that stays due is stuck, however lively the rest is; and a loop that stands
/// still feeds nobody.
public struct Watchdog: Sendable {
    /// How long a duty may be late: a disk that answers late is no reason to die.
    private let patience: Interval
    private let period: Interval
    private var fedAt: Instant?

    /// One for a supervisor that wants to hear every `period`; `nil` where that is none.
    public init?(every period: Interval?) {
        guard let period else { return nil }
        // Three chances in each period.
        self.period = Interval(nanoseconds: period.nanoseconds / 3)
        patience = period
    }

    /// When it wants to be asked next at the latest.
    public var nextDeadline: Instant { fedAt.map { $0 + period } ?? .zero }

    /// Whether the supervisor is to be told now that all goes on.
    ///
    /// - Parameter duties: when each is to be done next; `nil`: nothing is to be done.
    public mutating func feeds(at now: Instant, duties: [Instant?]) -> Bool {
        guard nextDeadline <= now, !duties.contains(where: { $0.map { now - $0 > patience } ?? false }) else {
            return false
        }
        fedAt = now
        return true
    }
}
