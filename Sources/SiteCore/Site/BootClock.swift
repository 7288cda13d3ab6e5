import Beacons
import Messages

/// The offset between the clock of one run of a gateway and the aggregator's, learned from live messages: wall clocks need not agree.
///
/// A message can be late, but never early. So the least difference between a message's arrival and its `uptime_ms` is nearest to the true
/// offset. Crystals differ by some 50 parts in a million, so the least difference is forgotten at twice that rate.
struct BootClock: Sendable {
    let boot: Boot
    private var lead: Interval
    private var learnedAt: Instant

    init(boot: Boot, uptime: Interval, receivedAt now: Instant) {
        self.boot = boot
        lead = (now - uptime) - Instant.zero
        learnedAt = now
    }

    /// Learns from a message that was sent at `uptime` of its run and has just arrived.
    mutating func learn(uptime: Interval, receivedAt now: Instant) {
        let forgiven = Interval(nanoseconds: max(0, (now - learnedAt).nanoseconds) / 10_000)
        let seen = (now - uptime) - Instant.zero
        lead = min(lead + forgiven, seen)
        learnedAt = now
    }

    /// The instant on the aggregator's clock at which the run's clock was at `uptime`; never later than `now`.
    func instant(of uptime: Interval, now: Instant) -> Instant {
        min(now, Instant.zero + lead + uptime)
    }
}
