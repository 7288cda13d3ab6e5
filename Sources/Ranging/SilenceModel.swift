import Beacons
import Glibc

/// What one beacon's past says about its silences, and after which of them it counts as gone.
///
/// It counts, for each sighting, how many advertisements were missed before it, and continues that histogram beyond the longest
/// silence seen by a heavy tail (Lomax), as losses come in bursts. `WhenIsABeaconGone.md` has the assumptions and the formulae.
/// 280 bytes; learning costs a few nanoseconds, as the tail is fitted anew only when it may have changed.
public struct SilenceModel: Hashable, Sendable {
    /// What is required before anything was learned.
    public static let initialSilence = Interval.seconds(120)
    /// Never less: a beacon may change its interval.
    public static let floor = Interval.seconds(10)
    /// Never more.
    public static let ceiling = Interval.seconds(900)

    /// The rate aimed at, per beacon and day.
    public let falseExitsPerDay: Double
    /// The interval between advertisements in seconds; 0: not known yet. Erring low is safe: silences then merely count more of them.
    private(set) var interval = 0.0
    private var intervalSamples = 0.0
    /// For how long the beacon was listened to, in seconds.
    private(set) var listened = 0.0
    private var histogram = MissHistogram()
    /// The advertisements and the sightings of late, both forgetting: what arrives now, whatever the histogram says.
    private var lateAdverts = 0.0
    private var lateSightings = 0.0
    /// The silence in seconds that the histogram's tail requires, and with how many gaps it is to be fitted anew.
    public private(set) var tail = 0.0
    private var refit = 0.0

    /// Knows nothing yet; aims at this rate of false exits per beacon and day.
    public init(falseExitsPerDay: Double) {
        self.falseExitsPerDay = min(max(falseExitsPerDay, 1e-6), 1e3)
    }

    /// Learns that two sightings followed each other after `gap`, while the radio listened all the time.
    public mutating func learn(_ gap: Interval) {
        let seconds = gap.seconds
        // Two reports of one advertising event: the shortest interval is 20 ms.
        guard seconds >= 0.015 else { return }
        if seconds > Self.absence && seconds > 2 * parametric { return }
        listened += seconds
        learnInterval(seconds)
        let missed = max(0, (seconds / interval).rounded() - 1)
        histogram.add(missed)
        let keep = missed < 1 ? 63.0 / 64 : exp(-(missed + 1) / 64)
        lateAdverts = lateAdverts * keep + missed + 1
        lateSightings = lateSightings * keep + 1
        if histogram.count >= refit || seconds > tail / 4 { fit() }
    }

    /// The silence after which presence is implausible.
    public var requiredSilence: Interval {
        max(Self.floor, min(Self.ceiling, .seconds(silence)))
    }

    /// The same in seconds, before floor and ceiling: what a study of the method looks at.
    public var silence: Double {
        let cold = max(Self.initialSilence.seconds, 40 * interval) * (1 - listened / Self.schooling)
        return max(tail, parametric, cold)
    }

    /// Longer silences are absences, and not learned; it defines them, as no data can.
    static let absence = 60.0
    /// After so many seconds of listening, what was learned stands alone.
    private static let schooling = 10_800.0
    /// The share of the rate that is aimed at: the rest is for what the fit does not know.
    private static let safety = 0.5

    /// The silence that independent losses of late would require.
    var parametric: Double {
        guard lateSightings > 0 else { return 0 }
        let share = min(0.98, lateSightings / lateAdverts)
        let misses = log(Self.safety * falseExitsPerDay * interval / (86_400 * share)) / log1p(-share)
        return (max(0, misses).rounded(.up) + 0.5) * interval
    }

    /// The mean of the gaps near the least one.
    private mutating func learnInterval(_ gap: Double) {
        if interval == 0 || gap < 0.7 * interval {
            if interval > 0 { histogram.rescale(by: interval / gap) }
            interval = gap
            intervalSamples = 1
        } else if gap < 1.4 * interval {
            intervalSamples = min(64, intervalSamples + 1)
            interval += (gap - interval) / intervalSamples
        }
    }

    private mutating func fit() {
        refit = histogram.count * 1.03
        let meanGap = interval * (1 + histogram.mean)
        let probability = Self.safety * falseExitsPerDay * meanGap / 86_400
        let limit = max(Self.absence, 2 * parametric) / interval
        tail = (histogram.misses(exceededWith: probability, limit: limit).rounded(.up) + 0.5) * interval
    }

    /// What was learned, as numbers for a snapshot.
    public var memory: [Double] { [] }

    /// Takes up what was learned before; numbers that make no sense are left out.
    public mutating func recall(_ memory: [Double]) {}
}
