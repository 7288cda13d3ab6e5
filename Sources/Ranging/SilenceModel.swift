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
    /// Never less: a beacon may change its interval. Ten seconds are a multiple of the usual intervals, and so no good moment to give up.
    public static let floor = Interval.seconds(11)
    /// Never more.
    public static let ceiling = Interval.seconds(900)

    /// A gap of so many seconds was no absence yet,
    private static let shortestAbsence = 60.0
    /// nor was one in which no exit was said, up to this. Both define what an absence is, as no data can.
    private static let longestLoss = 180.0
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
    private static let safety = 0.2
    /// Losses of late are those of about so many advertisements.
    private static let memoryOfLate = 64.0
    /// Drift is what lasts longer than so many seconds; a body that stands between does not.
    private static let memoryOfDrift = 300.0
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
    /// What arrives now, whatever the histograms say,
    private var late = ArrivingShare()
    /// and what has arrived for some minutes: less where reception drifts, not where a body stands between.
    private var drifting = ArrivingShare()
    /// Misses as they were,
    private var absolute = MissHistogram()
    /// and times the hardness of a miss in these minutes: losses that are usual for them count the same at any time.
    private var relative = MissHistogram()
    /// How many misses of either kind are implausible.
    private var absoluteTail = 0.0
    private var relativeTail = 0.0
    private var nextFit = 0.0

    /// Knows nothing yet; aims at this rate of false exits per beacon and day, 10^-6 to 1000.
    public init(falseExitsPerDay: Double) {
        self.falseExitsPerDay = min(max(falseExitsPerDay, 1e-6), 1e3)
    }

    /// The silence after which presence is implausible: from ``floor`` to ``ceiling``, and never right before an advertisement is due.
    public var requiredSilence: Interval {
        let (least, most) = (max(Self.floor.seconds, estimate), Self.ceiling.seconds)
        guard interval > 0 else { return .seconds(min(most, least)) }
        // Half an interval later than an advertisement, whatever decided: a floor or a ceiling is a multiple of many intervals. The small
        // term is for the rounding of what is half an interval later already.
        let wanted = ((least / interval - 0.5 - 1e-6).rounded(.up) + 0.5) * interval
        let latest = ((most / interval - 0.5).rounded(.down) + 0.5) * interval
        return .seconds(min(wanted, latest))
    }

    /// The same in seconds, before floor and ceiling.
    public var estimate: Double {
        let schooled = listened / Self.schooling
        let cold = max(Self.initialSilence.seconds, 60 * interval) * (1 - schooled * schooled * schooled)
        return max(learned, independent, cold)
    }

    /// What the histograms require: the lesser of both, once they are mature.
    private var learned: Double {
        let absolute = silence(of: absoluteTail)
        guard drifting.sightings > Self.fewest, relativeTail > 0 else { return absolute }
        let relative = silence(of: relativeTail / (drifting.hardness * Self.resolution))
        guard relative < absolute else { return absolute }
        return relative + (absolute - relative) * max(0, 1 - listened / Self.maturity)
    }

    /// What the losses of late would require if they were independent.
    private var independent: Double {
        guard late.sightings > 0 else { return 0 }
        let rate = 86_400 * late.share / interval
        return silence(of: log(rate / (Self.safety * falseExitsPerDay)) / late.hardness)
    }

    /// A gap longer than so many seconds was an absence. The first may be as long as the silence that was required: there are tags
    /// that send once a minute.
    private var longestLoss: Double {
        guard interval > 0 else { return Self.initialSilence.seconds }
        return max(Self.shortestAbsence, 2 * independent, min(Self.longestLoss, estimate))
    }

    /// After so many misses, and half an interval more, as the next may be late.
    private func silence(of misses: Double) -> Double { (max(0, misses).rounded(.up) + 0.5) * interval }

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
        let isUsual = missed == 0 || drifting.sightings <= Self.fewest
        absolute.add(missed)
        relative.add(isUsual ? 0 : missed * drifting.hardness * Self.resolution)
        late.note(missed, memory: Self.memoryOfLate)
        drifting.note(missed, memory: max(Self.memoryOfLate, Self.memoryOfDrift / interval))
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
        let probability = Self.safety * falseExitsPerDay * meanGap / 86_400
        absoluteTail = absolute.misses(reachedWith: probability)
        relativeTail = relative.misses(reachedWith: probability)
    }
}

extension SilenceModel {
    private static let version = 2.0
    private static let header = 10

    /// What was learned, as numbers for a snapshot.
    public var memory: [Double] {
        let (misses, relative) = (absolute.memory, relative.memory)
        let header = [
            Self.version, interval, intervalSamples, listened, sinceHalved, late.adverts, late.sightings,
            drifting.adverts, drifting.sightings, Double(misses.count),
        ]
        return header + misses + relative
    }

    /// Takes up what was learned before; numbers that `memory` cannot have given are left out as a whole.
    public mutating func recall(_ memory: [Double]) {
        guard memory.count >= Self.header, memory[0] == Self.version, memory.allSatisfy({ (0...1e12).contains($0) }),
            (Self.double...86_400).contains(memory[1]),
            let late = ArrivingShare(adverts: memory[5], sightings: memory[6]),
            let drifting = ArrivingShare(adverts: memory[7], sightings: memory[8]),
            memory[9] <= Double(memory.count - Self.header)
        else { return }
        let split = Self.header + Int(memory[9])
        guard let absolute = MissHistogram(memory: memory[Self.header..<split]),
            let relative = MissHistogram(memory: memory[split...])
        else { return }
        (interval, intervalSamples) = (memory[1], min(64, memory[2]))
        (listened, sinceHalved) = (memory[3], memory[4])
        (self.late, self.drifting) = (late, drifting)
        (self.absolute, self.relative) = (absolute, relative)
        if absolute.count > 0 { fit() }
    }
}
