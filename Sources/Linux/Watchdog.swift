import Beacons

/// Decides when the supervisor gets a sign of life: only while every duty is on time.
///
/// A duty is represented by the time when it is next due. A duty that stays due is stuck, even if others progress. A
/// blocked loop sends no sign of life at all.
package struct Watchdog: Sendable {
    /// How long a duty may be late; a slow disk must not cause a restart.
    private let patience: Interval
    private let period: Interval
    private var fedAt: Instant?

    /// Creates a watchdog for a supervisor that expects a sign of life every `period`; `nil` without a period.
    package init?(every period: Interval?) {
        guard let period else { return nil }
        // The watchdog sends three signs of life in each period.
        self.period = Interval(nanoseconds: period.nanoseconds / 3)
        patience = period
    }

    /// The latest time for the next call of `feeds`.
    package var nextDeadline: Instant { fedAt.map { $0 + period } ?? .zero }

    /// Whether the supervisor gets a sign of life now.
    ///
    /// - Parameter duties: when each duty is next due; `nil`: not at all.
    package mutating func feeds(at now: Instant, duties: [Instant?]) -> Bool {
        guard nextDeadline <= now, !duties.contains(where: { $0.map { now - $0 > patience } ?? false }) else {
            return false
        }
        fedAt = now
        return true
    }
}
