import Beacons
import Glibc

/// Computes the silence after which one beacon counts as gone, from the silences of its past.
///
/// The model counts, for each sighting, how many advertisements were missed before it, and continues that histogram beyond the longest
/// silence seen by a heavy tail, as losses come in bursts. Of a beacon that sends in bursts, each burst counts as one advertisement.
/// `WhenIsABeaconGone.md` has the assumptions, the formulae and the promise. The model takes 800 bytes; learning costs a few
/// nanoseconds, as the tails are fitted anew only when they may have changed.
public struct SilenceModel: Sendable {
    /// The required silence before anything was learned.
    public static let initialSilence = Interval.seconds(120)
    /// The least required silence, because a beacon may change its interval. It is not 10 s: that is a multiple of the usual intervals, at which the
    /// next advertisement is just due.
    public static let floor = Interval.seconds(11)
    /// The greatest required silence.
    public static let ceiling = Interval.seconds(900)

    /// A gap of at most so many seconds is never an absence.
    private static let shortestAbsence = 60.0
    /// A gap of at most so many seconds is no absence if no exit was reported in it, or if the RSSI was as usual before and after it. These two
    /// limits define what an absence is, because no data can decide it.
    private static let longestLoss = 180.0
    /// A longer gap than this many seconds, or than this many intervals if they take longer, is an absence, whatever independent losses would allow.
    private static let leastAbsence = 300.0
    private static let leastAbsenceIntervals = 20.0
    /// The same limit in seconds if hardly anything arrived just before: then somebody stands in between for long.
    private static let leastDimAbsence = 600.0
    /// Hardly anything arrives if the share that arrives is below this part of the usual share.
    private static let dim = 0.6
    /// The number of gaps after which the usual share is known.
    private static let fewestForDim = 100.0
    /// Two sightings within so many seconds are reports of one advertising event: the shortest interval is 20 ms.
    private static let double = 0.015
    /// After so many seconds of scanning, the initial silence has no more weight.
    private static let schooling = 10_800.0
    /// After so many seconds of scanning, the relative histogram has full weight if it requires less than the absolute one.
    private static let maturity = 21_600.0
    /// The part of a slow beacon's required silence that stays with the absolute histogram.
    private static let doubtOfSlow = 0.75
    /// After so many seconds of scanning, all counts are halved, because places change.
    private static let halfLife = 14 * 86_400.0
    /// The counts are halved beyond so many gaps; they are exact up to twice as many.
    private static let mostGaps = 8e6
    /// The share of the tolerated rate that the fit uses: the rest is a reserve for the errors of the fit.
    static let safety = 0.2
    /// Recent losses are those of about so many advertisements.
    private static let memoryOfLate = 64.0
    /// A change of reception that lasts longer than so many seconds is drift; a body that stands between lasts less.
    private static let memoryOfDrift = 300.0
    /// The number of sightings up to which the share that arrives is unknown.
    private static let fewest = 8.0
    /// From this hardness on, nearly every advertisement arrives.
    private static let fullHardness = 3.9
    /// A gap may be a change of the interval if at most this share of all gaps was as long, if the losses of late make it this implausible,
    /// and if it has at least so many misses.
    private static let unusualShare = 0.0004
    private static let unusualHardness = 6.0
    private static let unusualMisses = 3.0
    /// The longest interval in seconds that such a change may lead to.
    private static let longestChange = 30.0
    /// A beacon whose interval changes exits with this probability at most, once others of the gateway showed such a change.
    private static let lossOfChange = 0.05
    /// The most advertisements at the new interval for which an exit waits: a beacon that hardly arrives requires longer silences anyway.
    private static let mostLostOfChange = 4.0
    /// The time in seconds after which the gateway's pool is asked again.
    private static let pooling = 300.0

    /// The tolerated rate of false exits per beacon and day, 10^-6 to 1000.
    public let falseExitsPerDay: Double
    /// The interval between advertisements in seconds; 0: not known yet. An estimate that is too low is safe: it only counts more misses.
    public private(set) var interval = 0.0
    /// For how many seconds the gateway scanned for the beacon.
    public private(set) var scannedSeconds = 0.0

    private var intervalSamples = 0.0
    private var sinceHalved = 0.0
    /// The share that arrives at present, independent of the histograms.
    private var late = ArrivingShare()
    /// The share that arrived in the last minutes: it falls if reception drifts, but not if a body stands between for a moment.
    private var drifting = ArrivingShare()
    private var losses = Losses()
    private var pattern = SendingPattern()
    private var change: IntervalChange?
    /// How many gaps of a minute and more had a low RSSI before or after them, and how many had not.
    private var faded: Float = 0
    private var unfaded: Float = 0
    /// The class of the longest loss in ``SilencePool``, and after how many seconds of reception it came.
    private var longest = -1
    private var longestAfter = 0.0
    /// The seconds of reception that the pool does not know yet.
    private var unpooled = 0.0
    /// The silence in seconds that the other beacons of the gateway require, as of a revision of the pool.
    private var pooled = 0.0
    private var revision: UInt32 = 0
    /// The longer interval in seconds that another beacon of the gateway changed to, and this one may change to; 0: none.
    private var pooledChange = 0.0

    /// Creates a model that has learned nothing.
    ///
    /// - Parameter falseExitsPerDay: the tolerated rate of false exits per beacon and day; clamped to 10^-6 to 1000.
    public init(falseExitsPerDay: Double) {
        self.falseExitsPerDay = min(max(falseExitsPerDay, 1e-6), 1e3)
    }

    /// The silence after which presence is implausible: from ``floor`` to ``ceiling``, and never right before an advertisement is due.
    public var requiredSilence: Interval {
        let (least, most) = (max(Self.floor.seconds, estimate), Self.ceiling.seconds)
        guard interval > 0 else { return .seconds(min(most, least)) }
        let requested = later(than: least)
        let intervals = (most / interval - lateness).rounded(.down)
        // The ceiling leaves no room for an interval and the lateness: only the ceiling itself is not shorter than the interval.
        let latest = intervals < 1 ? most : (intervals + lateness) * interval
        return .seconds(min(requested, latest))
    }

    /// A fixed silence, and as much more as an advertisement that is due then may be late. If the beacon sends less often than that, the silence
    /// stays as it is. An interval may be longer by 10 ms each time than that of its beacon's settings.
    func requiredSilence(notBelow fixed: Interval) -> Interval {
        let isShorter = interval > 0 && interval <= 1.1 * fixed.seconds
        return isShorter ? max(fixed, .seconds(later(than: fixed.seconds))) : fixed
    }

    /// The seconds after which no advertisement is due soon: a fixed time, a floor or a ceiling is a multiple of many intervals.
    private func later(than least: Double) -> Double {
        // The small term is for the rounding of what is that late already.
        ((least / interval - lateness - 1e-6).rounded(.up) + lateness) * interval
    }

    /// The required silence in seconds, before ``floor`` and ``ceiling`` are applied.
    public var estimate: Double {
        let schooled = scannedSeconds / Self.schooling
        let cold =
            max(Self.initialSilence.seconds, 60 * interval / max(1, pattern.mean))
            * (1 - schooled * schooled * schooled)
        return max(cold, own, pooled, max(changed, changing))
    }

    /// The mean time from one sighting to the next, in seconds, as of late; 0: not known yet. A burst counts as one sighting.
    var meanGap: Double { late.sightings > 0 ? interval / late.share : 0 }

    /// The silence in seconds that the beacon's own losses require.
    private var own: Double { max(learned, independent) }

    /// The silence in seconds that the histograms require: the lesser of the two once they are mature, or a mean of the two for a slow beacon.
    private var learned: Double {
        let absolute = silence(of: losses.implausible(isDim: isDim))
        guard drifting.sightings > Self.fewest, let misses = losses.implausible(hardness: drifting.hardness) else {
            return absolute
        }
        let relative = silence(of: misses)
        guard relative < absolute else { return absolute }
        let doubt = losses.isSlow ? Self.doubtOfSlow : 0
        return relative + (absolute - relative) * max(doubt, 1 - scannedSeconds / Self.maturity)
    }

    /// The silence in seconds that the recent losses would require if they were independent.
    private var independent: Double {
        guard late.sightings > 0 else { return 0 }
        return silence(of: misses(late, every: interval))
    }

    /// The silence in seconds that a beacon requires that may send less often than before.
    private var changed: Double {
        guard let change else { return 0 }
        return (change.lost(most: misses(change.arriving, every: change.interval)) + 0.5) * change.interval
    }

    /// The silence in seconds that a beacon requires that may change its interval next, as others of the gateway did.
    ///
    /// The silence has room for some advertisements at the new interval. All of them are lost with a probability of at most ``lossOfChange``.
    private var changing: Double {
        guard change == nil, interval > 0, pooledChange > 1.5 * interval, drifting.sightings > 0 else { return 0 }
        let lost = min(Self.mostLostOfChange, -log(Self.lossOfChange) / drifting.hardness).rounded(.up)
        return (lost + 0.5) * pooledChange
    }

    /// The number of misses that is implausible if losses are independent.
    private func misses(_ arriving: ArrivingShare, every interval: Double) -> Double {
        let rate = 86_400 * arriving.share / interval
        let isFull = arriving.hardness > Self.fullHardness
        let hardness = isFull ? max(arriving.hardness, pattern.hardness) : arriving.hardness
        return max(0, log(rate / (Self.safety * falseExitsPerDay)) / hardness)
    }

    /// The length in seconds from which on a gap is an absence. The first gap may be as long as the initial silence, because there are tags that
    /// send once a minute.
    private func longestLoss(isFaded: Bool) -> Double {
        guard interval > 0 else { return (pattern.split > 0 ? Self.ceiling : Self.initialSilence).seconds }
        let unreported = min(Self.longestLoss, isFaded ? estimate : .infinity)
        let least = max(isDim ? Self.leastDimAbsence : Self.leastAbsence, Self.leastAbsenceIntervals * interval)
        return max(Self.shortestAbsence, min(2 * independent, least), unreported)
    }

    /// Whether hardly anything of what usually arrives has arrived recently.
    private var isDim: Bool { losses.count >= Self.fewestForDim && late.share * (1 + losses.absolute.mean) < Self.dim }

    /// The silence in seconds with this number of misses, plus the lateness of the next advertisement.
    private func silence(of misses: Double) -> Double { (max(0, misses).rounded(.up) + lateness) * interval }

    /// How late the next advertisement may be, as a share of the interval.
    private var lateness: Double { pattern.lateness(in: interval) }

    /// Learns that two sightings followed each other after `gap`, while the radio scanned all the time.
    ///
    /// - Parameter isFaded: whether the RSSI before or after the gap was lower than the beacon's usual one, as at the edge of the range.
    public mutating func learn(_ gap: Interval, isFaded: Bool = false) {
        _ = learn(gap.seconds, isFaded: fades(gap.seconds, isFaded))
        if losses.isFitDue { fit() }
    }

    /// Learns a gap for this beacon and for the others of its gateway, `beacons` in number.
    mutating func learn(_ gap: Interval, isFaded: Bool, pool: inout SilencePool, beacons: Int) {
        let seconds = gap.seconds
        let isFaded = fades(seconds, isFaded)
        // What independent losses explain is no loss of a kind that others may have.
        var place = SilencePool.place(of: seconds)
        if place > longest, isFaded || interval == 0 || seconds <= 2 * independent { place = -1 }
        let isCounted = losses.isSlow && seconds >= SilencePool.shortestCounted && isCountable
        guard learn(seconds, isFaded: isFaded) else { return }
        if isCounted { pool.note(slowLoss: seconds) }
        if losses.isFitDue { fit(among: pool) }
        unpooled += seconds
        if change?.isShown == true { pool.note(changeTo: change!.interval, beacons: beacons) }
        guard place > longest || unpooled >= Self.pooling || pool.revision != revision else { return }
        pool.note(unpooled, longest: longest, scannedSeconds: scannedSeconds, beacons: beacons)
        unpooled = 0
        if place > longest {
            pool.note(lossOf: place, after: longest, scannedSeconds: scannedSeconds)
            (longest, longestAfter) = (place, scannedSeconds)
        }
        consult(pool)
    }

    /// Whether a slow beacon learns all losses that the pool counts, and its next one follows usual minutes.
    private var isCountable: Bool { !isDim && longestLoss(isFaded: false) >= SilencePool.longestCounted }

    /// Whether a gap that may be a short absence is to be taken for one: its RSSI was low, or that of a third of those before.
    private mutating func fades(_ seconds: Double, _ isFaded: Bool) -> Bool {
        guard seconds > Self.shortestAbsence, seconds <= Self.longestLoss else { return isFaded }
        if isFaded { faded += 1 } else { unfaded += 1 }
        if faded + unfaded > 64 { (faded, unfaded) = (faded / 2, unfaded / 2) }
        return isFaded || unfaded <= 2 * faded
    }

    /// Whether the gap was a loss, and was learned.
    private mutating func learn(_ seconds: Double, isFaded: Bool) -> Bool {
        guard seconds >= Self.double else { return false }
        if pattern.note(seconds) { restart() }
        guard !pattern.continuesBurst(seconds) else {
            scannedSeconds += seconds
            age(by: seconds)
            return true
        }
        let period = pattern.endBurst(before: seconds, period: interval)
        guard seconds <= Self.shortestAbsence || seconds <= longestLoss(isFaded: isFaded) else { return false }
        scannedSeconds += seconds
        pattern.note(period: period, known: interval)
        learnInterval(period)
        weighChange(period)
        let missed = misses(in: period)
        count(missed)
        age(by: seconds)
        return true
    }

    private func misses(in gap: Double) -> Double { max(0, (gap / interval).rounded() - 1) }

    /// The beacon began or ceased to send in bursts: what was counted was counted in another unit.
    private mutating func restart() {
        (interval, intervalSamples, scannedSeconds) = (0, 0, 0)
        (late, drifting) = (ArrivingShare(), ArrivingShare())
        (losses, change) = (Losses(), nil)
    }

    /// Looks out for a change of the interval to a longer one; a shorter one shows at once.
    private mutating func weighChange(_ gap: Double) {
        let missed = misses(in: gap)
        guard change != nil || missed >= Self.unusualMisses else { return }
        let hardness = (change?.arriving ?? drifting).hardness
        let isUsual = missed < Self.unusualMisses || missed * hardness < Self.unusualHardness
        guard change != nil else {
            if !isUsual, gap <= Self.longestChange, losses.count >= 1 / Self.unusualShare,
                losses.absolute.share(reaching: missed) <= Self.unusualShare
            {
                change = IntervalChange(gap, arriving: drifting)
            }
            return
        }
        switch change!.weigh(gap, isUsual: isUsual) {
        case .open: break
        case .refuted: change = nil
        case .confirmed: adopt(change!)
        }
    }

    private mutating func adopt(_ found: IntervalChange) {
        change = nil
        losses.rescale(by: interval / found.interval, withRelative: true)
        (late, drifting) = (found.arriving, found.arriving)
        (interval, intervalSamples) = (found.interval, 1)
    }

    private mutating func count(_ missed: Double) {
        let hardness = missed == 0 || drifting.sightings <= Self.fewest ? nil : drifting.hardness
        losses.add(missed, hardness: hardness, isDim: isDim)
        late.note(missed, memory: Self.memoryOfLate)
        drifting.note(missed, memory: max(Self.memoryOfLate, Self.memoryOfDrift / interval))
    }

    /// The mean of the gaps near the shortest.
    private mutating func learnInterval(_ gap: Double) {
        if interval == 0 || gap < 0.7 * interval {
            if interval > 0 { losses.rescale(by: interval / gap, withRelative: false) }
            interval = gap
            intervalSamples = 1
        } else if gap < 1.4 * interval {
            intervalSamples = min(64, intervalSamples + 1)
            interval += (gap - interval) / intervalSamples
        }
    }

    private mutating func age(by seconds: Double) {
        sinceHalved += seconds
        guard sinceHalved > Self.halfLife || losses.count > Self.mostGaps else { return }
        sinceHalved = 0
        losses.halve()
    }

    private mutating func fit(among others: SilencePool? = nil) {
        losses.fit(rate: falseExitsPerDay, interval: interval, isBurst: pattern.split > 0, among: others)
    }
}

extension SilenceModel {
    private static let version = 3.0
    private static let header = 15
    /// Version 2 has what follows, up to the size of the first histogram, and no more.
    private static let formerVersion = 2.0
    private static let formerHeader = 10

    /// Everything that was learned, as numbers for a snapshot; ``recall(_:)`` reads them.
    public var memory: [Double] {
        let (misses, relative) = (losses.absolute.memory, losses.relative.memory)
        let header = [
            Self.version, interval, intervalSamples, scannedSeconds, sinceHalved, late.adverts, late.sightings,
            drifting.adverts, drifting.sightings, Double(misses.count), pattern.split, pattern.mean, pattern.most,
            Double(longest + 1), longestAfter,
        ]
        return header + misses + relative
    }

    /// Restores what `memory` of a former model contained. Numbers that no `memory` can contain are ignored as a whole.
    public mutating func recall(_ memory: [Double]) {
        guard memory.count >= Self.formerHeader else { return }
        let isFormer = memory[0] == Self.formerVersion
        let header = isFormer ? Self.formerHeader : Self.header
        guard isFormer || memory[0] == Self.version, memory.count >= header,
            memory.allSatisfy({ (0...1e12).contains($0) }), (Self.double...86_400).contains(memory[1]),
            let late = ArrivingShare(adverts: memory[5], sightings: memory[6]),
            let drifting = ArrivingShare(adverts: memory[7], sightings: memory[8]),
            memory[9] <= Double(memory.count - header)
        else { return }
        let split = header + Int(memory[9])
        guard let absolute = MissHistogram(memory: memory[header..<split]),
            let relative = MissHistogram(memory: memory[split...])
        else { return }
        if !isFormer {
            guard let pattern = SendingPattern(split: memory[10], mean: memory[11], most: memory[12]),
                memory[13] <= Double(SilencePool.classes), memory[14] <= memory[3]
            else { return }
            self.pattern = pattern
            (longest, longestAfter) = (Int(memory[13]) - 1, memory[14])
        }
        (interval, intervalSamples) = (memory[1], min(64, memory[2]))
        (scannedSeconds, sinceHalved) = (memory[3], memory[4])
        (self.late, self.drifting) = (late, drifting)
        losses = Losses(absolute: absolute, relative: relative)
        if losses.count > 0 { fit() }
    }

    /// Adds to a pool what was recalled.
    mutating func contribute(to pool: inout SilencePool) {
        pool.take(longest: longest, after: longestAfter, scannedSeconds: scannedSeconds)
    }

    /// Asks the pool what the other beacons require.
    mutating func consult(_ pool: borrowing SilencePool) {
        revision = pool.revision
        pooledChange = pool.changedInterval
        pooled = pool.silence(scannedSeconds: scannedSeconds, rate: Self.safety * falseExitsPerDay / 86_400)
    }
}
