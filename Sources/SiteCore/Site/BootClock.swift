import Beacons
import Messages

/// How the clock of one boot of a gateway lies to ours, learned from its live messages, so that nobody's clocks need agree.
///
/// A message can only be late, never early: the least difference between its arrival here and its `uptime_ms` there is nearest
/// to the truth. Crystals differ by some 50 parts in a million, so the least difference is forgotten at twice that pace.
struct BootClock: Sendable {
    /// Which boot it is.
    let boot: Boot
    private var lead: Interval
    private var learnedAt: Instant

    init(boot: Boot, uptime: Interval, receivedAt now: Instant) {
        self.boot = boot
        lead = (now - uptime) - Instant.zero
        learnedAt = now
    }

    /// Learns from a message that was sent at `uptime` of its boot and has just arrived.
    mutating func learn(uptime: Interval, receivedAt now: Instant) {
        let forgiven = Interval(nanoseconds: max(0, (now - learnedAt).nanoseconds) / 10_000)
        let seen = (now - uptime) - Instant.zero
        lead = min(lead + forgiven, seen)
        learnedAt = now
    }

    /// When, on our clock, that boot's clock said `uptime`; never later than `now`.
    func instant(of uptime: Interval, now: Instant) -> Instant {
        min(now, Instant.zero + lead + uptime)
    }
}
