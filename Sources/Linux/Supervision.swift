import Beacons

/// Reports a running service to its supervisor: that it is alive, and its status sentence whenever the sentence
/// changes.
package struct Supervision: Sendable {
    /// The shortest interval between two status sentences, which are for people.
    private static let statusPeriod = Interval.seconds(5)

    package let supervisor = Supervisor()
    private var watchdog: Watchdog?
    private var lastStatus = ""
    private var nextStatusAt = Instant.zero

    /// Creates the supervision for the supervisor that the environment names.
    package init() {
        watchdog = Watchdog(every: supervisor.watchdogPeriod)
    }

    /// The latest time for the next call of `feed`; `nil`: no limit.
    package var nextDeadline: Instant? { watchdog?.nextDeadline }

    /// Reports that the service is alive, unless a duty is late: see `Watchdog`. Returns whether a new status may be
    /// sent.
    package mutating func feed(at now: Instant, duties: [Instant?]) -> Bool {
        if watchdog?.feeds(at: now, duties: duties) == true { supervisor.alive() }
        guard now >= nextStatusAt else { return false }
        nextStatusAt = now + Self.statusPeriod
        return true
    }

    /// Sends the status sentence if it differs from the previous one.
    package mutating func report(_ status: String) {
        guard status != lastStatus else { return }
        lastStatus = status
        supervisor.status(status)
    }
}
