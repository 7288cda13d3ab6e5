import Beacons

/// What a service says to its supervisor while it runs: that all goes on, if it does, and how it fares, if that has changed.
public struct Supervision: Sendable {
    /// How often the sentence may change: it is for people.
    private static let statusPeriod = Interval.seconds(5)

    /// Who is told.
    public let supervisor = Supervisor()
    private var watchdog: Watchdog?
    private var said = ""
    private var saysAt = Instant.zero

    /// By the supervisor that the environment names.
    public init() {
        watchdog = Watchdog(every: supervisor.watchdogPeriod)
    }

    /// When it wants to be called next at the latest; `nil`: whenever.
    public var nextDeadline: Instant? { watchdog?.nextDeadline }

    /// Says that all goes on, unless one of the duties does not: see `Watchdog`. Whether `status` may be said again.
    public mutating func feed(at now: Instant, duties: [Instant?]) -> Bool {
        if watchdog?.feeds(at: now, duties: duties) == true { supervisor.alive() }
        guard now >= saysAt else { return false }
        saysAt = now + Self.statusPeriod
        return true
    }

    /// Says how the service fares, if that is another sentence than the last.
    public mutating func say(_ status: String) {
        guard status != said else { return }
        said = status
        supervisor.status(status)
    }
}
