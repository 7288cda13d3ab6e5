import Beacons
import Glibc

/// Whether an item is still: the RSSI at all gateways is the same as it was for a while.
///
/// Each report of a still item repeats the last one, and is hardly new evidence. So the longer nothing changes, the slower the filter's
/// time runs. The filter then averages over the whole rest, and the location does not follow the noise of single sightings.
struct Stillness: Sendable {
    private struct GatewayStatistics: Sendable {
        /// dBm: the mean since the item is still, and its weight in sightings.
        var mean = 0.0
        var weight = 0.0
        /// The same over the last seconds.
        var recent = 0.0
        var recentWeight = 0.0
        /// The last report in dBm, and the number of its sightings.
        var last: (rssi: Double, sightings: Double) = (0, 0)
        var at = Instant(nanoseconds: .min / 4)
        /// dBm: the mean of the rest before the last disturbance.
        var before = 0.0
        /// The gateway's index.
        var gateway: UInt32
    }

    /// The weight of a report at most: what a hand or a door changes lasts longer than a window.
    private static let mostSightings = 8
    /// The weight, in sightings, of a gateway's silence before its first sighting.
    private static let silenceWeight = 3.0
    /// Reports over which the noise is averaged.
    private static let noiseMemory = 100.0

    /// The gateways that have received the item, in the order of their indices.
    private var perGateway: [GatewayStatistics] = []
    /// Since when no RSSI has changed; `nil`: the item was not received yet.
    private(set) var since: Instant?
    /// The sum of the pauses in which nobody received the item. They have made `since` that much later.
    private(set) var pauses = Interval.zero
    /// When the RSSI last changed as it does when the item moves; `nil`: not since the item was first received.
    private(set) var changedAt: Instant?
    /// When the RSSI last changed, and the reluctance until then.
    private var disturbance: (at: Instant, reluctance: Double)?
    /// dB²: the variance between consecutive sightings, which moving hardly changes.
    private(set) var fading = Tuning.fading.lowerBound

    init() {}

    /// An item that was still before a restart: the variance between its sightings in dB², and its mean RSSI in dBm by gateway, in order. Nobody
    /// watched it meanwhile, so it has just become still, and a first disturbance finds no reluctance.
    init(fading: Double, means: [(gateway: Int, rssi: Double)], at now: Instant) {
        since = now - .seconds(Tuning.settling / Tuning.stillPace)
        disturbance = (now, 0)
        self.fading = fading
        perGateway = means.map { gateway, rssi in
            GatewayStatistics(
                mean: rssi, weight: Tuning.rest, recent: rssi, last: (rssi, 1), at: now - .seconds(Tuning.settling),
                before: rssi, gateway: UInt32(gateway))
        }
    }

    /// The mean RSSI in dBm at each gateway since the item is still.
    var means: [(gateway: Int, rssi: Double)] { perGateway.map { (Int($0.gateway), $0.mean) } }

    /// Adds a gateway's report: the mean of some sightings in dBm. A report older than the gateway's last one is ignored.
    mutating func add(_ rssi: Double, of sightings: Int, gateway: Int, at now: Instant) {
        leaveOutPause(before: now)
        let place = perGateway.firstIndex { $0.gateway >= gateway } ?? perGateway.count
        if place == perGateway.count || perGateway[place].gateway != gateway {
            // As many as there are: an array that grows by itself has room for twice as many.
            perGateway.reserveCapacity(perGateway.count + 1)
            perGateway.insert(GatewayStatistics(gateway: UInt32(gateway)), at: place)
        }
        guard now > perGateway[place].at else { return }
        let sightings = Double(min(max(1, sightings), Self.mostSightings))
        perGateway[place] = adding(rssi, sightings, to: perGateway[place], at: now)
        if since == nil || isMoving(at: now) {
            if since != nil { changedAt = now }
            disturb(at: now)
            (since, pauses) = (now, .zero)
            for index in perGateway.indices {
                perGateway[index].mean = perGateway[index].recent
                perGateway[index].weight = min(perGateway[index].weight, perGateway[index].recentWeight)
            }
        }
    }

    /// Leaves out a time in which no gateway received the item, if it lasted for longer than the memory of the RSSI: nobody knows whether the item
    /// was still. The RSSI from before that time is compared with the next one.
    private mutating func leaveOutPause(before now: Instant) {
        guard let last = perGateway.lazy.map(\.at).max(), now - last > .seconds(Tuning.rest) else { return }
        let pause = now - last
        since = since.map { $0 + pause }
        pauses = pauses + pause
        for index in perGateway.indices {
            perGateway[index].at = perGateway[index].at + (pause - .seconds(Tuning.settling))
        }
    }

    private mutating func adding(_ rssi: Double, _ sightings: Double, to former: GatewayStatistics, at now: Instant)
        -> GatewayStatistics
    {
        var statistics = former
        let elapsed = (now - statistics.at).seconds
        if elapsed < Tuning.settling {
            let step = rssi - statistics.last.rssi
            let square = step * step / (1 / sightings + 1 / statistics.last.sightings)
            fading += (min(square, Tuning.fading.upperBound * 4) - fading) / Self.noiseMemory
        }
        statistics.last = (rssi, sightings)
        statistics.at = now
        statistics.recentWeight = statistics.recentWeight * exp(-elapsed / Tuning.moment) + sightings
        statistics.recent += sightings * (rssi - statistics.recent) / statistics.recentWeight
        statistics.weight *= exp(-elapsed / Tuning.rest)
        if statistics.weight == 0, let since, (now - since).seconds > Tuning.settling {
            // The gateway scanned and did not receive the item until now.
            (statistics.mean, statistics.weight) = (Evidence.faintest, Self.silenceWeight)
        }
        statistics.weight += sightings
        statistics.mean += sightings * (rssi - statistics.mean) / statistics.weight
        return statistics
    }

    /// Whether the RSSI values of the last seconds differ more from those of the whole rest than chance explains.
    private func isMoving(at now: Instant) -> Bool {
        let fading = min(max(fading, Tuning.fading.lowerBound), Tuning.fading.upperBound)
        var squares = 0.0
        var count = 0.0
        for statistics in perGateway where (now - statistics.at).seconds < Tuning.settling {
            let variance = fading * (1 / statistics.recentWeight + 1 / statistics.weight) + Tuning.flutter
            let difference = statistics.recent - statistics.mean
            squares += min(difference * difference / variance, Tuning.clip * Tuning.clip)
            count += 1
        }
        // A sum of few squares has a long tail. With normal noise one in sixty sums is above this limit, whatever the number of gateways.
        return squares > count + Tuning.alarm * (2 * count).squareRoot() + Tuning.tail
    }

    /// The pace of the filter's time: 1 while the item moves and for a while after that, then less and less.
    func pace(at now: Instant) -> Double {
        guard let since, now > since else { return 1 }
        return max(Tuning.slowest, min(1, Tuning.settling / (now - since).seconds))
    }

    /// The seconds of the filter's time between two moments: the integral of `pace`.
    func seconds(from start: Instant, to end: Instant) -> Double {
        guard end > start else { return 0 }
        guard let since, end > since else { return (end - start).seconds }
        return Self.restingSeconds(until: (end - since).seconds) - Self.restingSeconds(until: (start - since).seconds)
    }

    /// The seconds of the filter's time in the first seconds of a rest; a negative number before the rest.
    private static func restingSeconds(until seconds: Double) -> Double {
        guard seconds > Tuning.settling else { return seconds }
        let slowest = Tuning.settling / Tuning.slowest
        return Tuning.settling * (1 + log(min(seconds, slowest) / Tuning.settling)) + Tuning.slowest
            * max(0, seconds - slowest)
    }

    /// Additional nats by which another room must be likelier before it is reported: the longer the item is still, the more.
    ///
    /// A change at one gateway does not end the reluctance at once: a person may stand in front of the gateway. An item that moves changes
    /// the RSSI at several gateways.
    func reluctance(at now: Instant) -> Double {
        let resting = Tuning.reluctance * max(0, -log(pace(at: now)) - Tuning.indifference)
        guard let disturbance, disturbance.reluctance > 0, (now - disturbance.at).seconds < 5 * Tuning.memory else {
            return resting
        }
        let changed = perGateway.count {
            $0.at >= disturbance.at && $0.weight > 0 && abs($0.recent - $0.before) > Tuning.swing
        }
        return changed > 1
            ? resting : max(resting, disturbance.reluctance * exp(-(now - disturbance.at).seconds / Tuning.memory))
    }

    /// Stores the RSSI of the rest that ends now, unless the last disturbance is recent.
    private mutating func disturb(at now: Instant) {
        let reluctance = reluctance(at: now)
        if let disturbance, (now - disturbance.at).seconds < Tuning.settling { return }
        disturbance = (now, reluctance)
        for index in perGateway.indices { perGateway[index].before = perGateway[index].mean }
    }

    /// A copy for other gateways, each given by its former index or `nil`. Gateways that are not listed are dropped.
    ///
    /// - Parameter shifts: dB by which the receiver offset of each gateway has changed: that is no movement.
    func carried(from former: [Int?], adding shifts: [Double]) -> Stillness {
        var carried = self
        carried.perGateway = former.enumerated().compactMap { index, before in
            guard var statistics = perGateway.first(where: { Int($0.gateway) == before }) else { return nil }
            statistics.gateway = UInt32(index)
            statistics.mean += shifts[index]
            statistics.recent += shifts[index]
            statistics.before += shifts[index]
            statistics.last.rssi += shifts[index]
            return statistics
        }
        return carried
    }
}
