import Beacons
import Glibc

/// What one beacon's past says about its silences, and after which of them it counts as gone.
///
/// It counts, for each sighting, how many advertisements were missed before it, and continues that histogram beyond the longest
/// silence seen by a heavy tail, as losses come in bursts. `WhenIsABeaconGone.md` has the assumptions, the formulae and the promise.
/// It takes 500 bytes; learning costs a few nanoseconds, as the tails are fitted anew only when they may have changed.
public struct SilenceModel: Sendable {
    /// What is required before anything was learned.
    public static let initialSilence = Interval.seconds(120)
    /// Never less: a beacon may change its interval.
    public static let floor = Interval.seconds(10)
    /// Never more.
    public static let ceiling = Interval.seconds(900)

    /// Longer gaps are absences, and not learned. This defines what an absence is, as no data can.
    private static let absence = 60.0
    /// Shorter ones are two reports of one advertising event: the shortest interval is 20 ms.
    private static let double = 0.015
    /// After so many seconds of listening, what was learned stands alone,
    private static let schooling = 10_800.0
    /// and after so many, what was learned relative to the losses of late is believed where it says less.
    private static let maturity = 21_600.0
    /// After so many seconds of listening all that was learned counts half: places change.
    private static let halfLife = 14 * 86_400.0
    /// Counts are exact up to twice as many.
    private static let mostGaps = 8e6
    /// The share of the rate that is aimed at: the rest is for what the fit does not know.
    private static let safety = 0.3
    /// The same for the relative tail, which a change of reception can deceive.
    private static let relativeSafety = 0.1
    /// Losses of late are those of about so many advertisements.
    private static let memoryOfLate = 64.0
    /// Fewer sightings say nothing of the share that arrives.
    private static let fewest = 8.0
    /// Classes to one unit of relative misses.
    private static let resolution = 4.0

    /// The rate aimed at, per beacon and day.
    public let falseExitsPerDay: Double
    /// The interval between advertisements in seconds; 0: not known yet. Erring low is safe: silences then merely count more of them.
    public private(set) var interval = 0.0
    /// For how long the beacon was listened to, in seconds.
    public private(set) var listened = 0.0

    private var intervalSamples = 0.0
    private var sinceHalved = 0.0
    /// Advertisements and sightings of late, both forgetting: what arrives now, whatever the histograms say.
    private var lateAdverts = 0.0
    private var lateSightings = 0.0
    /// Misses as they were,
    private var absolute = MissHistogram()
    /// and times -ln(1 - share of late): losses that are usual for the moment count the same at any moment.
    private var relative = MissHistogram()
    /// How many misses of either kind are implausible.
    private var absoluteTail = 0.0
    private var relativeTail = 0.0
    private var nextFit = 0.0

    /// Knows nothing yet; aims at this rate of false exits per beacon and day, 10^-6 to 1000.
    public init(falseExitsPerDay: Double) {
        self.falseExitsPerDay = min(max(falseExitsPerDay, 1e-6), 1e3)
    }

    /// The silence after which presence is implausible.
    public var requiredSilence: Interval {
        max(Self.floor, min(Self.ceiling, .seconds(estimate)))
    }

    /// The same in seconds, before floor and ceiling.
    public var estimate: Double {
        let hardness = hardness
        let schooled = listened / Self.schooling
        let cold = max(Self.initialSilence.seconds, 60 * interval) * (1 - schooled * schooled * schooled)
        return max(learned(hardness), independent(hardness), cold)
    }

    /// What the histograms require: the lesser of both, once they are mature.
    private func learned(_ hardness: Double) -> Double {
        let absolute = silence(of: absoluteTail)
        guard lateSightings > Self.fewest, relativeTail > 0 else { return absolute }
        let relative = silence(of: relativeTail / (hardness * Self.resolution))
        guard relative < absolute else { return absolute }
        return relative + (absolute - relative) * max(0, 1 - listened / Self.maturity)
    }

    /// What the losses of late would require if they were independent.
    private func independent(_ hardness: Double) -> Double {
        guard lateSightings > 0 else { return 0 }
        let rate = 86_400 * lateSightings / lateAdverts / interval
        return silence(of: log(rate / (Self.safety * falseExitsPerDay)) / hardness)
    }

    /// A gap longer than so many seconds was an absence. The first may be as long as the silence that was required: there are tags
    /// that send once a minute.
    private var longestLoss: Double {
        interval > 0 ? max(Self.absence, 2 * independent(hardness)) : Self.initialSilence.seconds
    }

    /// After so many misses, and half an interval more, as the next may be late.
    private func silence(of misses: Double) -> Double { (max(0, misses).rounded(.up) + 0.5) * interval }

    /// How implausible one miss is at present: -ln(1 - share of what arrived of late).
    private var hardness: Double { lateSightings > 0 ? -log1p(-min(0.98, lateSightings / lateAdverts)) : 0 }

    /// Learns that two sightings followed each other after `gap`, while the radio listened all the time.
    public mutating func learn(_ gap: Interval) {
        let seconds = gap.seconds
        guard seconds >= Self.double else { return }
        guard seconds <= longestLoss else { return }
        listened += seconds
        learnInterval(seconds)
        let missed = max(0, (seconds / interval).rounded() - 1)
        count(missed)
        age(by: seconds)
        if absolute.count >= nextFit || missed > absoluteTail / 2 { fit() }
    }

    private mutating func count(_ missed: Double) {
        absolute.add(missed)
        guard missed > 0 else {
            relative.add(0)
            lateAdverts += 1 - lateAdverts / Self.memoryOfLate
            lateSightings += 1 - lateSightings / Self.memoryOfLate
            return
        }
        relative.add(lateSightings > Self.fewest ? missed * hardness * Self.resolution : 0)
        let kept = exp(-(missed + 1) / Self.memoryOfLate)
        lateAdverts = lateAdverts * kept + missed + 1
        lateSightings = lateSightings * kept + 1
    }

    /// The mean of the gaps near the shortest.
    private mutating func learnInterval(_ gap: Double) {
        if interval == 0 || gap < 0.7 * interval {
            if interval > 0 { absolute.rescale(by: interval / gap) }
            interval = gap
            intervalSamples = 1
        } else if gap < 1.4 * interval {
            intervalSamples = min(64, intervalSamples + 1)
            interval += (gap - interval) / intervalSamples
        }
    }

    private mutating func age(by seconds: Double) {
        sinceHalved += seconds
        guard sinceHalved > Self.halfLife || absolute.count > Self.mostGaps else { return }
        sinceHalved = 0
        absolute.halve()
        relative.halve()
        nextFit = 0
    }

    /// Fits both tails anew: after five gaps in a hundred more, or a long one.
    private mutating func fit() {
        nextFit = absolute.count * 1.05
        let meanGap = interval * (1 + absolute.mean)
        let probability = falseExitsPerDay * meanGap / 86_400
        let limit = longestLoss / interval
        absoluteTail = absolute.misses(reachedWith: Self.safety * probability, limit: limit)
        relativeTail = relative.misses(
            reachedWith: Self.relativeSafety * probability, limit: limit * max(0.02, hardness) * Self.resolution)
    }
}

extension SilenceModel {
    private static let version = 1.0
    private static let header = 8

    /// What was learned, as numbers for a snapshot.
    public var memory: [Double] {
        let (misses, relative) = (absolute.memory, relative.memory)
        let header = [
            Self.version, interval, intervalSamples, listened, sinceHalved, lateAdverts, lateSightings,
            Double(misses.count),
        ]
        return header + misses + relative
    }

    /// Takes up what was learned before; numbers that `memory` cannot have given are left out as a whole.
    public mutating func recall(_ memory: [Double]) {
        guard memory.count >= Self.header, memory[0] == Self.version, memory.allSatisfy({ (0...1e12).contains($0) }),
            (Self.double...86_400).contains(memory[1]), memory[6] <= memory[5],
            memory[7] <= Double(memory.count - Self.header)
        else { return }
        let split = Self.header + Int(memory[7])
        guard let absolute = MissHistogram(memory: memory[Self.header..<split]),
            let relative = MissHistogram(memory: memory[split...])
        else { return }
        (interval, intervalSamples) = (memory[1], min(64, memory[2]))
        (listened, sinceHalved) = (memory[3], memory[4])
        (lateAdverts, lateSightings) = (memory[5], memory[6])
        (self.absolute, self.relative) = (absolute, relative)
        if absolute.count > 0 { fit() }
    }
}
