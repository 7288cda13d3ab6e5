import Beacons

/// The rates of many transmitters over the last ten seconds, computed from their total counts.
struct RateMeter<Key: Hashable> {
    private static var window: Interval { .seconds(10) }

    /// Past counts, at most one set per second; sets older than the window are dropped.
    private var past: [(at: Instant, counts: [Key: UInt64])] = []

    mutating func note(_ counts: [Key: UInt64], at now: Instant) {
        past.removeAll { now - $0.at > Self.window }
        past.append((now, counts))
    }

    /// The rate per second, with `count` until `now`; `nil` if the transmitter is in range for less than a second.
    func rate(of key: Key, _ count: UInt64, since first: Instant, at now: Instant) -> Double? {
        // Without a past count, the rate is counted from the first sighting, which begins the first interval.
        guard let earliest = past.first, let before = earliest.counts[key] else {
            return count > 1 && now - first >= .seconds(1) ? Double(count - 1) / (now - first).seconds : nil
        }
        let span = (now - earliest.at).seconds
        return span >= 1 ? Double(count - min(before, count)) / span : nil
    }
}
