import Beacons
import Glibc

/// The smoothed RSSI of one item at each gateway: an exponential mean with its trend.
///
/// The mean is over time, not over reports. Ten reports a second and one report a second give the same mean with different noise.
struct SmoothedRSSI: Sendable {
    private struct GatewayMean: Sendable {
        var fast = 0.0
        var slow = 0.0
        var at = Instant(nanoseconds: .min / 4)
        var expires = Instant(nanoseconds: .min / 4)
        /// Seconds between two reports on average; `nil` before the second report.
        var interval: Double?
        /// Whether a gateway published the last report, and has not withdrawn the report since.
        var isPublished = false
    }

    /// Seconds: a longer pause does not count for the mean interval.
    private static let pause = 60.0
    /// The weight of a new interval in the mean interval.
    private static let renewal = 0.1
    /// Seconds between the end of a gateway's last report and the moment at which the gateway counts as silent: losses come in bursts.
    private static let patience = 5.0

    private var means: [GatewayMean]

    init(gateways: Int) {
        means = Array(repeating: GatewayMean(), count: gateways)
    }

    /// Adds a report of `rssi` dBm. A report older than the gateway's last report is ignored.
    ///
    /// - Parameter holds: How long the report counts; `nil` for a single sighting, which counts according to the item's own interval.
    mutating func add(_ rssi: Double, gateway: Int, at: Instant, holds: Interval?) {
        let mean = means[gateway]
        guard at > mean.at else { return }
        let elapsed = (at - mean.at).seconds
        if elapsed < Self.pause {
            means[gateway].interval = mean.interval.map { $0 + Self.renewal * (elapsed - $0) } ?? elapsed
        }
        let expires = at + (holds ?? .seconds(holdOfSighting(at: at)))
        if at > mean.expires {
            means[gateway] = GatewayMean(
                fast: rssi, slow: rssi, at: at, expires: expires, interval: means[gateway].interval)
        } else {
            means[gateway].fast += (1 - exp(-elapsed / Tuning.smoothing)) * (rssi - mean.fast)
            means[gateway].slow += (1 - exp(-elapsed / Tuning.trend)) * (rssi - mean.slow)
            means[gateway].at = at
            means[gateway].expires = expires
        }
        means[gateway].isPublished = holds != nil
    }

    /// Seconds for which a sighting counts. The gateway that receives the item most often has the best estimate of the item's interval.
    private func holdOfSighting(at now: Instant) -> Double {
        var shortest = Double.infinity
        for mean in means where (now - mean.at).seconds < Self.pause {
            if let interval = mean.interval { shortest = min(shortest, interval) }
        }
        let usual = Locator.sightingHolds.seconds
        return shortest.isFinite ? max(usual, min(Tuning.holds * shortest, Tuning.longestHold)) : usual
    }

    /// Whether a gateway received the item recently, or the gateway's last report still counts.
    func hasReceived(_ gateway: Int, at now: Instant) -> Bool {
        let mean = means[gateway]
        let patience = mean.isPublished ? Tuning.unpublished : Tuning.unreceived
        return now <= mean.expires || now <= mean.at + .seconds(patience)
    }

    /// Whether a gateway received the item at a moment or later.
    func hasReceived(_ gateway: Int, since: Instant) -> Bool { means[gateway].at >= since }

    /// Whether a gateway has this index.
    func holds(_ gateway: Int) -> Bool { means.indices.contains(gateway) }

    /// Ends a gateway's report at a moment: the gateway does not receive the item any more.
    mutating func end(_ gateway: Int, at moment: Instant) {
        means[gateway].expires = min(means[gateway].expires, moment)
        means[gateway].isPublished = false
    }

    /// Drops the RSSI of a gateway that is down or does not scan.
    mutating func forget(_ gateway: Int) {
        means[gateway].expires = Instant(nanoseconds: .min / 4)
        means[gateway].isPublished = false
    }

    /// Whether a gateway that scans since `since` has received nothing for so long that its silence is evidence.
    func isSilent(_ gateway: Int, at now: Instant, since: Instant) -> Bool {
        let quiet = max(since, means[gateway].expires)
        return now > quiet && (now - quiet).seconds > Self.patience
    }

    /// The smoothed RSSI at a gateway in dBm, plus `lead` times its trend; `nil` if no report counts any more.
    func rssi(_ gateway: Int, at now: Instant, lead: Double = Tuning.lead) -> Double? {
        let mean = means[gateway]
        return now <= mean.expires ? mean.fast + lead * (mean.fast - mean.slow) : nil
    }

    /// A copy for other gateways, each given by its former index or `nil`. Gateways that are not listed are dropped.
    func carried(from former: [Int?]) -> SmoothedRSSI {
        var carried = SmoothedRSSI(gateways: former.count)
        for (index, before) in former.enumerated() {
            if let before { carried.means[index] = means[before] }
        }
        return carried
    }
}
