import Beacons

/// How long an item may be silent in a recording before it counts as away: ten times its usual interval, 30 s to 5 min.
///
/// The gateways' own exits are better (they know each gateway's share of losses); a recording does not have them.
struct Silence: Sendable {
    private static let shortest = 30.0
    private static let longest = 300.0

    private var last: Instant?
    private var usual = 0.0

    /// The item was heard, by any gateway.
    mutating func hear(at: Instant) {
        if let last, at > last {
            let interval = min((at - last).seconds, Self.longest)
            usual += 0.1 * (interval - usual)
        }
        last = max(last ?? at, at)
    }

    /// The silence after which it is away.
    var limit: Interval { .seconds(min(max(10 * usual, Self.shortest), Self.longest)) }
}
