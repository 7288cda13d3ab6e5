import Beacons
import Glibc

/// Whether an item lies still: no gateway hears it otherwise than it has for a while.
///
/// What lies still says the same again and again, which is little more than saying it once. So the longer nothing changes, the slower the belief's
/// time runs: it averages over the whole rest, and does not wander from room to room with the noise of single sightings.
struct Stillness: Sendable {
    private struct Level: Sendable {
        /// dBm, and how many sightings it is the mean of: since the item lies still.
        var mean = 0.0
        var weight = 0.0
        /// The same of the last seconds.
        var recent = 0.0
        var recentWeight = 0.0
        /// The last report, dBm, and of how many sightings it was the mean.
        var last = (rssi: 0.0, sightings: 0.0)
        var at = Instant(nanoseconds: .min / 4)
        /// dBm of the rest before the last disturbance.
        var before = 0.0
    }

    /// A mean of more sightings than these is no better: what a hand or a door does lasts longer than a window.
    private static let mostSightings = 8
    /// Sightings that a gateway's silence before its first is worth.
    private static let silenceWeight = 3.0
    /// Reports that the memory of their noise holds.
    private static let noiseMemory = 100.0

    private var levels: [Level]
    /// Since when no RSSI has changed; `nil`: the item was not received yet.
    private(set) var since: Instant?
    /// When the RSSI last changed as it does when the item moves; `nil`: not since the item was first received.
    private(set) var changedAt: Instant?
    /// When something changed last, and how reluctant the item was until then.
    private var disturbance: (at: Instant, reluctance: Double)?
    /// dB²: how sightings differ from one to the next, which is hardly from moving.
    private var fading = Tuning.fading.lowerBound

    init(gateways: Int) {
        levels = Array(repeating: Level(), count: gateways)
    }

    /// Takes what a gateway heard, the mean of some sightings in dBm; what is older than its last word changes nothing.
    mutating func hear(_ rssi: Double, of sightings: Int, gateway: Int, at now: Instant) {
        guard now > levels[gateway].at else { return }
        let sightings = Double(min(max(1, sightings), Self.mostSightings))
        levels[gateway] = adding(rssi, sightings, to: levels[gateway], at: now)
        if since == nil || isMoving(at: now) {
            if since != nil { changedAt = now }
            disturb(at: now)
            since = now
            for index in levels.indices {
                levels[index].mean = levels[index].recent
                levels[index].weight = min(levels[index].weight, levels[index].recentWeight)
            }
        }
    }

    private mutating func adding(_ rssi: Double, _ sightings: Double, to former: Level, at now: Instant) -> Level {
        var level = former
        let elapsed = (now - level.at).seconds
        if elapsed < Tuning.settling {
            let step = rssi - level.last.rssi
            let square = step * step / (1 / sightings + 1 / level.last.sightings)
            fading += (min(square, Tuning.fading.upperBound * 4) - fading) / Self.noiseMemory
        }
        level.last = (rssi, sightings)
        level.at = now
        level.recentWeight = level.recentWeight * exp(-elapsed / Tuning.moment) + sightings
        level.recent += sightings * (rssi - level.recent) / level.recentWeight
        level.weight *= exp(-elapsed / Tuning.rest)
        if level.weight == 0, let since, (now - since).seconds > Tuning.settling {
            // Where this gateway listened and did not hear it.
            (level.mean, level.weight) = (Evidence.faintest, Self.silenceWeight)
        }
        level.weight += sightings
        level.mean += sightings * (rssi - level.mean) / level.weight
        return level
    }

    /// Whether the levels of the last seconds are together further from those of the whole rest than chance explains.
    private func isMoving(at now: Instant) -> Bool {
        let fading = min(max(fading, Tuning.fading.lowerBound), Tuning.fading.upperBound)
        var squares = 0.0
        var count = 0.0
        for level in levels where (now - level.at).seconds < Tuning.settling {
            let variance = fading * (1 / level.recentWeight + 1 / level.weight) + Tuning.flutter
            let difference = level.recent - level.mean
            squares += min(difference * difference / variance, Tuning.clip * Tuning.clip)
            count += 1
        }
        // A sum of squares has a long tail, most so of few: this is one in sixty if the noise is normal, whatever their number.
        return squares > count + Tuning.alarm * (2 * count).squareRoot() + Tuning.tail
    }

    /// How fast the belief's time runs: 1 while the item moves and for a while after that, then less and less.
    func pace(at now: Instant) -> Double {
        guard let since, now > since else { return 1 }
        return max(Tuning.slowest, min(1, Tuning.settling / (now - since).seconds))
    }

    /// Additional nats by which another room must be likelier before it is reported: the longer the item has been still, the more.
    ///
    /// A disturbance of one gateway does not end that at once: somebody stands before it. What moves changes the levels of several.
    func reluctance(at now: Instant) -> Double {
        let resting = Tuning.reluctance * max(0, -log(pace(at: now)) - Tuning.indifference)
        guard let disturbance, disturbance.reluctance > 0, (now - disturbance.at).seconds < 5 * Tuning.memory else {
            return resting
        }
        let changed = levels.count {
            $0.at >= disturbance.at && $0.weight > 0 && abs($0.recent - $0.before) > Tuning.swing
        }
        return changed > 1
            ? resting : max(resting, disturbance.reluctance * exp(-(now - disturbance.at).seconds / Tuning.memory))
    }

    /// Remembers how the rest sounded that ends now, unless that was itself a moment ago.
    private mutating func disturb(at now: Instant) {
        let reluctance = reluctance(at: now)
        if let disturbance, (now - disturbance.at).seconds < Tuning.settling { return }
        disturbance = (now, reluctance)
        for index in levels.indices { levels[index].before = levels[index].mean }
    }

    /// The same in the order of other gateways, each given by its former place; those that are not among them are dropped.
    func carried(from former: [Int?]) -> Stillness {
        var carried = Stillness(gateways: former.count)
        carried.since = since
        carried.changedAt = changedAt
        carried.disturbance = disturbance
        for (index, before) in former.enumerated() {
            if let before { carried.levels[index] = levels[before] }
        }
        return carried
    }
}
