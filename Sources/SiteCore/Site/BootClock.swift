import Beacons
import Messages

/// The offset between the clock of one run of a gateway and the aggregator's, learned from live messages: wall clocks need not agree.
///
/// A message can be late, but never early. So the least difference between a message's arrival and its `uptime_ms` is nearest to the true
/// offset. Crystals differ by some 50 parts in a million, so the least difference is forgotten at twice that rate. The clock of a virtual machine
/// that was paused has lost time: if no message of ten minutes is as early as those before, the least difference is theirs.
struct BootClock: Sendable {
    private static let period = Interval.seconds(600)
    /// The least loss of time that is noticed so; messages are late by less.
    private static let loss = Interval.seconds(2)

    let boot: Boot
    private var lead: Interval
    private var learnedAt: Instant
    /// The least difference of the present ten minutes, and their beginning.
    private var recent: (lead: Interval, since: Instant)

    init(boot: Boot, uptime: Interval, receivedAt now: Instant) {
        self.boot = boot
        lead = (now - uptime) - Instant.zero
        (learnedAt, recent) = (now, (lead, now))
    }

    /// Learns from a message that was sent at `uptime` of its run and has just arrived.
    mutating func learn(uptime: Interval, receivedAt now: Instant) {
        let forgiven = Interval(nanoseconds: max(0, (now - learnedAt).nanoseconds) / 10_000)
        let seen = (now - uptime) - Instant.zero
        lead = min(lead + forgiven, seen)
        (learnedAt, recent.lead) = (now, min(recent.lead, seen))
        guard now - recent.since >= Self.period else { return }
        if recent.lead - lead > Self.loss { lead = recent.lead }
        recent = (seen, now)
    }

    /// The instant on the aggregator's clock at which the run's clock was at `uptime`; never later than `now`.
    func instant(of uptime: Interval, now: Instant) -> Instant {
        min(now, Instant.zero + lead + uptime)
    }
}
