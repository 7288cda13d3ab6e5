import Beacons

/// How often a device is announced or cleared because somebody else wrote on its topic: six times, and then once in five minutes.
///
/// To clear what is foreign and to announce the device again are two. Without a limit the aggregator and a gateway that insists would exchange
/// messages for ever.
struct Corrections: Sendable {
    static let most = 6
    static let period = Interval.seconds(300)

    private var left = most
    private var since: Instant

    /// All of them are left.
    init(at now: Instant) { since = now }

    /// When the next correction is allowed.
    func nextAllowed(at now: Instant) -> Instant { left > 0 ? now : max(now, since + Self.period) }

    /// Takes one correction, if one is allowed.
    mutating func take(at now: Instant) -> Bool {
        let periods = max(0, (now - since).nanoseconds) / Self.period.nanoseconds
        if periods > 0 {
            left = Int(min(Int64(Self.most), Int64(left) + periods))
            since = now
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }

    /// Whether nothing of it is used up: there is nothing to remember.
    func isFresh(at now: Instant) -> Bool { now - since >= Self.period * Double(Self.most) }
}
