import Beacons

/// The limit of corrections of a device after foreign writes to its topic: six, then one per five minutes.
///
/// Clearing a foreign payload and announcing the device again count as two. Without a limit, the aggregator and a
/// competing gateway would exchange messages forever.
struct Corrections: Sendable {
    static let most = 6
    static let period = Interval.seconds(300)

    private var left = most
    private var since: Instant

    /// Creates a limit with all corrections available.
    init(at now: Instant) { since = now }

    func nextAllowed(at now: Instant) -> Instant { left > 0 ? now : max(now, since + Self.period) }

    /// Uses one correction; returns whether one was allowed.
    mutating func use(at now: Instant) -> Bool {
        let periods = max(0, (now - since).nanoseconds) / Self.period.nanoseconds
        if periods > 0 {
            left = Int(min(Int64(Self.most), Int64(left) + periods))
            since = now
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }

    /// Whether no correction is used up, so that the limit need not be stored.
    func isFresh(at now: Instant) -> Bool { now - since >= Self.period * Double(Self.most) }
}
