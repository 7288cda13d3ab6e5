import Beacons
import Glibc

/// How strongly each gateway hears one item now: an exponential mean per gateway, in time rather than in reports, with its trend.
///
/// Ten reports a second and one give the same mean, only with more or less noise.
struct Levels: Sendable {
    private struct Level: Sendable {
        var fast = 0.0
        var slow = 0.0
        var at = Instant(nanoseconds: .min / 4)
        var expires = Instant(nanoseconds: .min / 4)
        /// Seconds between two reports on average; `nil`: there was one at most.
        var interval: Double?
        /// Whether a gateway published the last report, and has not withdrawn it since.
        var isPublished = false
    }

    /// Seconds: a longer pause is no measure of the item's interval.
    private static let pause = 60.0
    /// The share of a new pause in the mean interval.
    private static let renewal = 0.1
    /// Seconds of silence, after a gateway's last word expired, before that counts: losses come in bursts.
    private static let patience = 5.0

    private var levels: [Level]

    init(gateways: Int) {
        levels = Array(repeating: Level(), count: gateways)
    }

    /// Takes a report of `rssi` dBm; what is older than what this gateway said before changes nothing.
    ///
    /// - Parameter holds: how long the report counts; `nil` for a single sighting, which holds by the item's own interval.
    mutating func add(_ rssi: Double, gateway: Int, at: Instant, holds: Interval?) {
        let level = levels[gateway]
        guard at > level.at else { return }
        let elapsed = (at - level.at).seconds
        if elapsed < Self.pause {
            levels[gateway].interval = level.interval.map { $0 + Self.renewal * (elapsed - $0) } ?? elapsed
        }
        let expires = at + (holds ?? .seconds(holdOfSighting(at: at)))
        if at > level.expires {
            levels[gateway] = Level(
                fast: rssi, slow: rssi, at: at, expires: expires, interval: levels[gateway].interval)
        } else {
            levels[gateway].fast += (1 - exp(-elapsed / Tuning.smoothing)) * (rssi - level.fast)
            levels[gateway].slow += (1 - exp(-elapsed / Tuning.trend)) * (rssi - level.slow)
            levels[gateway].at = at
            levels[gateway].expires = expires
        }
        levels[gateway].isPublished = holds != nil
    }

    /// Seconds for which a sighting holds: the gateway that receives the item most often knows best how often it sends.
    private func holdOfSighting(at now: Instant) -> Double {
        var shortest = Double.infinity
        for level in levels where (now - level.at).seconds < Self.pause {
            if let interval = level.interval { shortest = min(shortest, interval) }
        }
        let usual = Locator.sightingHolds.seconds
        return shortest.isFinite ? max(usual, min(Tuning.holds * shortest, Tuning.longestHold)) : usual
    }

    /// Whether a gateway received the item lately, or what it received still holds.
    func hasReceived(_ gateway: Int, at now: Instant) -> Bool {
        let level = levels[gateway]
        let patience = level.isPublished ? Tuning.unpublished : Tuning.unreceived
        return now <= level.expires || now <= level.at + .seconds(patience)
    }

    /// Whether a gateway received the item at a moment or later.
    func hasReceived(_ gateway: Int, since: Instant) -> Bool { levels[gateway].at >= since }

    /// Whether there is such a gateway.
    func holds(_ gateway: Int) -> Bool { levels.indices.contains(gateway) }

    /// Forgets what a gateway said: it is dead or blind, or does not hear the item any more.
    mutating func forget(_ gateway: Int) {
        levels[gateway].expires = Instant(nanoseconds: .min / 4)
        levels[gateway].isPublished = false
    }

    /// Whether a gateway that listens `since` then has heard nothing for so long that its silence says something.
    func isSilent(_ gateway: Int, at now: Instant, since: Instant) -> Bool {
        let quiet = max(since, levels[gateway].expires)
        return now > quiet && (now - quiet).seconds > Self.patience
    }

    /// The level in dBm of a gateway at a moment, led by its trend; `nil` if it said nothing that still holds.
    func level(_ gateway: Int, at now: Instant, lead: Double = Tuning.lead) -> Double? {
        let level = levels[gateway]
        return now <= level.expires ? level.fast + lead * (level.fast - level.slow) : nil
    }

    /// The same levels in the order of other gateways, each given by its former place; those that are not among them are dropped.
    func carried(from former: [Int?]) -> Levels {
        var carried = Levels(gateways: former.count)
        for (index, before) in former.enumerated() {
            if let before { carried.levels[index] = levels[before] }
        }
        return carried
    }
}
