import Beacons

/// One machine's clocks: the monotonic one, which begins anywhere, and the wall's, which may be wrong and jump.
struct HostClock: Sendable {
    /// What the monotonic clock is ahead of the run's.
    private(set) var lead: Interval
    /// What the wall clock is ahead of the truth.
    private(set) var error = Interval.zero
    private(set) var isSynchronised = true

    init(lead: Interval) {
        self.lead = lead
    }

    /// Now, as the machine has it.
    func moment(at now: Instant) -> Moment {
        Moment(
            instant: now + lead, wall: Scenario.start + (now - .zero) + error, isSynchronised: isSynchronised)
    }

    /// The run's time of one of the machine's instants.
    func virtual(_ instant: Instant) -> Instant { instant - lead }

    /// The wall clock jumps; it may know or not that it was wrong.
    mutating func step(by jump: Interval, isSynchronised: Bool) {
        error = error + jump
        self.isSynchronised = isSynchronised
    }

    /// The machine was without power: its monotonic clock begins anew.
    mutating func reboot(lead: Interval) { self.lead = lead }
}
