import Beacons

/// How often each of many is heard, over the last ten seconds, from how often it was heard in all.
struct RateMeter<Key: Hashable> {
    private static var window: Interval { .seconds(10) }

    /// The counts as they were, at most once a second; those older than the window are dropped.
    private var past: [(at: Instant, counts: [Key: UInt64])] = []

    /// Remembers how the counts are.
    mutating func note(_ counts: [Key: UInt64], at now: Instant) {
        past.removeAll { now - $0.at > Self.window }
        past.append((now, counts))
    }

    /// How often it is heard in a second, by `count` until `now`; `nil` where it was not heard for long enough to say.
    func rate(of key: Key, _ count: UInt64, since first: Instant, at now: Instant) -> Double? {
        // Before it was first heard there was nothing to hear, and the first is the beginning of no interval.
        guard let earliest = past.first, let before = earliest.counts[key] else {
            return count > 1 && now - first >= .seconds(1) ? Double(count - 1) / (now - first).seconds : nil
        }
        let span = (now - earliest.at).seconds
        return span >= 1 ? Double(count - min(before, count)) / span : nil
    }
}
