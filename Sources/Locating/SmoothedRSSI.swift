import Beacons
import Glibc

/// The smoothed RSSI of one item at each gateway: an exponential mean with its trend.
///
/// The mean is over time, not over reports. Ten reports a second and one report a second give the same mean with different noise. On a large site
/// most gateways never receive an item: only those that did take memory.
struct SmoothedRSSI: Sendable {
    private struct GatewayMean: Sendable {
        var fast = 0.0
        var slow = 0.0
        var at = Instant(nanoseconds: .min / 4)
        var expires = Instant(nanoseconds: .min / 4)
        /// Seconds between two reports on average; NaN before the second report.
        var interval = Double.nan
        /// The gateway's index.
        var gateway: UInt32
        /// Whether a gateway published the last report, and has not withdrawn the report since.
        var isPublished = false
    }

    /// Seconds: a longer pause does not count for the mean interval.
    private static let pause = 60.0
    /// The weight of a new interval in the mean interval.
    private static let renewal = 0.1
    /// Seconds between the end of a gateway's last report and the moment at which the gateway counts as silent: losses come in bursts.
    private static let patience = 5.0

    private let gateways: Int
    /// The gateways that have received the item, in the order of their indices.
    private var means: [GatewayMean] = []

    init(gateways: Int) {
        self.gateways = gateways
    }

    /// The place of a gateway's mean; `nil` if the gateway never received the item.
    private func place(of gateway: Int) -> Int? { means.firstIndex { $0.gateway == gateway } }

    /// The place of a gateway's mean, which is made if there is none.
    private mutating func makePlace(of gateway: Int) -> Int {
        let place = means.firstIndex { $0.gateway >= gateway } ?? means.count
        if place == means.count || means[place].gateway != gateway {
            // As many as there are: an array that grows by itself has room for twice as many.
            means.reserveCapacity(means.count + 1)
            means.insert(GatewayMean(gateway: UInt32(truncatingIfNeeded: gateway)), at: place)
        }
        return place
    }

    /// Adds a report of `rssi` dBm, and returns until when the gateway's last report counts. A report older than that is ignored.
    ///
    /// - Parameter holds: How long the report counts; `nil` for a single sighting, which counts according to the item's own interval.
    mutating func add(_ rssi: Double, gateway: Int, at: Instant, holds: Interval?) -> Instant {
        let place = makePlace(of: gateway)
        let mean = means[place]
        guard at > mean.at else { return mean.expires }
        let elapsed = (at - mean.at).seconds
        if elapsed < Self.pause {
            let interval = mean.interval
            means[place].interval = interval.isNaN ? elapsed : interval + Self.renewal * (elapsed - interval)
        }
        let expires = at + (holds ?? .seconds(holdOfSighting(at: at)))
        if at > mean.expires {
            (means[place].fast, means[place].slow) = (rssi, rssi)
        } else {
            means[place].fast += (1 - exp(-elapsed / Tuning.smoothing)) * (rssi - mean.fast)
            means[place].slow += (1 - exp(-elapsed / Tuning.trend)) * (rssi - mean.slow)
        }
        means[place].at = at
        means[place].expires = expires
        means[place].isPublished = holds != nil
        return expires
    }

    /// Seconds for which a sighting counts. The gateway that receives the item most often has the best estimate of the item's interval.
    private func holdOfSighting(at now: Instant) -> Double {
        var shortest = Double.infinity
        for mean in means where (now - mean.at).seconds < Self.pause {
            if !mean.interval.isNaN { shortest = min(shortest, mean.interval) }
        }
        let usual = Locator.sightingHolds.seconds
        return shortest.isFinite ? max(usual, min(Tuning.holds * shortest, Tuning.longestHold)) : usual
    }

    /// Whether a gateway received the item recently, or the gateway's last report still counts.
    ///
    /// - Parameter next: 0 for the first gateway. If gateways are asked about in the order of their indices, they are found without a search.
    @inline(__always)
    func hasReceived(_ gateway: Int, at now: Instant, _ next: inout Int) -> Bool {
        while next < means.count, means[next].gateway < gateway { next += 1 }
        guard next < means.count, means[next].gateway == gateway else { return false }
        let mean = means[next]
        let patience = mean.isPublished ? Tuning.unpublished : Tuning.unreceived
        return now <= mean.expires || now <= mean.at + .seconds(patience)
    }

    /// When a gateway last received the item.
    func lastReport(of gateway: Int) -> Instant? { place(of: gateway).map { means[$0].at } }

    func holds(_ gateway: Int) -> Bool { gateway >= 0 && gateway < gateways }

    /// Ends a gateway's report at a moment: the gateway does not receive the item any more.
    mutating func end(_ gateway: Int, at moment: Instant) {
        guard let place = place(of: gateway) else { return }
        means[place].expires = min(means[place].expires, moment)
        means[place].isPublished = false
    }

    /// Drops the RSSI of a gateway that is down or does not scan.
    mutating func forget(_ gateway: Int) {
        guard let place = place(of: gateway) else { return }
        means[place].expires = Instant(nanoseconds: .min / 4)
        means[place].isPublished = false
    }

    enum Report {
        /// The smoothed RSSI in dBm, led by its trend.
        case rssi(Double)
        /// No report counts any more; the last one ended at this moment.
        case quiet(since: Instant)
    }

    /// Calls `body` with each gateway and its report at a moment, in the order of their indices.
    @inline(__always)
    func forEach(at now: Instant, _ body: (Int, Report) -> Void) {
        means.withUnsafeBufferPointer { means in
            var next = 0
            for gateway in 0..<gateways {
                guard next < means.count, means[next].gateway == gateway else {
                    body(gateway, .quiet(since: Instant(nanoseconds: .min / 4)))
                    continue
                }
                let mean = means[next]
                next += 1
                body(
                    gateway,
                    now <= mean.expires
                        ? .rssi(mean.fast + Tuning.lead * (mean.fast - mean.slow)) : .quiet(since: mean.expires))
            }
        }
    }

    /// Whether a gateway that is quiet since a moment has received nothing for so long that its silence is evidence.
    static func isSilent(since quiet: Instant, at now: Instant) -> Bool {
        now > quiet && (now - quiet).seconds > patience
    }

    /// The gateway with the highest smoothed RSSI at a moment; `nil` if none receives the item.
    func strongest(at now: Instant) -> Int? {
        var best: GatewayMean?
        for mean in means where now <= mean.expires && best.map({ $0.fast < mean.fast }) ?? true { best = mean }
        return best.map { Int($0.gateway) }
    }

    /// A copy for other gateways, each given by its former index or `nil`. Gateways that are not listed are dropped.
    ///
    /// - Parameter shifts: dB by which the receiver offset of each gateway has changed.
    func carried(from former: [Int?], adding shifts: [Double]) -> SmoothedRSSI {
        var carried = SmoothedRSSI(gateways: former.count)
        for (index, before) in former.enumerated() {
            guard var mean = before.flatMap(place).map({ means[$0] }) else { continue }
            mean.gateway = UInt32(index)
            (mean.fast, mean.slow) = (mean.fast + shifts[index], mean.slow + shifts[index])
            carried.means.append(mean)
        }
        return carried
    }
}
