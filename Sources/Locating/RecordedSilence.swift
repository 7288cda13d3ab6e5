import Beacons

/// The silence after which an item of a recording counts as away: ten times its usual interval, 30 s to 5 min.
///
/// Exits of the gateways are more exact, as a gateway knows its share of losses. A recording does not contain exits.
struct RecordedSilence: Sendable {
    private static let shortest = 30.0
    private static let longest = 300.0

    private var last: Instant?
    private var usual = 0.0

    /// Adds a sighting by any gateway.
    mutating func receive(at: Instant) {
        if let last, at > last {
            let interval = min((at - last).seconds, Self.longest)
            usual += 0.1 * (interval - usual)
        }
        last = max(last ?? at, at)
    }

    /// The silence after which the item is away.
    var limit: Interval { .seconds(min(max(10 * usual, Self.shortest), Self.longest)) }
}
