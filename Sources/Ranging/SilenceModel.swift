import Beacons
import Glibc

/// Computes the silence after which one beacon counts as gone, from the silences of its past.
///
/// The model counts, for each sighting, how many advertisements were missed before it, and fits a mixture of losses to them, as losses come in
/// bursts. Of a beacon that sends in bursts, each burst counts as one advertisement.
/// `WhenIsABeaconGone.md` has the assumptions, the formulae and the promise. The model takes 800 bytes; learning costs a few
/// nanoseconds, as the mixture is fitted anew only when it may have changed.
package struct SilenceModel: Sendable {
    /// The required silence before anything was learned.
    package static let initialSilence = Interval.seconds(120)
    /// The least required silence, because a beacon may change its interval. It is not 10 s: that is a multiple of the usual intervals, at which the
    /// next advertisement is just due.
    package static let floor = Interval.seconds(11)
    /// The greatest required silence.
    package static let ceiling = Interval.seconds(900)

    /// Two sightings within so many seconds are reports of one advertising event: the shortest interval is 20 ms.
    private static let double = 0.015
    /// After so many seconds of scanning, all counts are halved, because places change.
    private static let halfLife = 14 * 86_400.0
    /// The counts are halved beyond so many gaps; they are exact up to twice as many.
    private static let mostGaps = 8e6
    /// The share that arrives is that of about so many advertisements, and so many seconds, whichever is longer.
    private static let fewestRemembered = 64.0
    private static let remembered = 300.0
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

    /// The tolerated rate of false exits per beacon and day, 10^-6 to 1000.
    package let falseExitsPerDay: Double
    /// The interval between advertisements in seconds; 0: not known yet. An estimate that is too low is safe: it only counts more misses.
    package private(set) var interval = 0.0

    private var intervalSamples = 0.0
    private var sinceHalved = 0.0
    private var kinds = LossKinds()
    /// The share that arrives in the last minutes.
    private var arriving = ArrivingShare()
    private var pattern = SendingPattern()
    private var change: IntervalChange?
    /// What the other beacons of the gateway show, as of a revision of the pool.
    private var others = SilencePool.Opinion()
    private var revision: UInt32 = 0
    /// The longer interval in seconds that another beacon of the gateway changed to, and this one may change to; 0: none.
    private var pooledChange = 0.0

    /// Creates a model that has learned nothing.
    ///
    /// - Parameter falseExitsPerDay: the tolerated rate of false exits per beacon and day; clamped to 10^-6 to 1000.
    package init(falseExitsPerDay: Double) {
        self.falseExitsPerDay = min(max(falseExitsPerDay, 1e-6), 1e3)
    }

    /// For how many seconds the beacon was present while the gateway scanned.
    package var scannedSeconds: Double { kinds.present }

    /// The silence after which presence is implausible: from ``floor`` to ``ceiling``, and never right before an advertisement is due.
    package var requiredSilence: Interval {
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
    package var estimate: Double {
        interval > 0 ? max(silence(of: kinds.implausible), changed, changing) : Self.initialSilence.seconds
    }

    /// How many silences a day last longer than this one while the beacon is present; at ``requiredSilence``, that is ``falseExitsPerDay``.
    /// `nil` while nothing was learned.
    func silencesPerDay(after silence: Interval) -> Double? {
        guard interval > 0 else { return nil }
        // Where more is required than the losses explain, such as for a change of the interval, a silence becomes rare as much later.
        let share = min(1, self.silence(of: kinds.implausible) / requiredSilence.seconds)
        let missed = max(0, silence.seconds * share / interval - lateness)
        return 86_400 * kinds.rate(above: missed, every: interval) / LossKinds.safety
    }

    /// The mean time from one sighting to the next, in seconds, as of late; 0: not known yet. A burst counts as one sighting.
    var meanGap: Double { arriving.sightings > 0 ? interval / arriving.share : 0 }

    /// The silence in seconds that a beacon requires that may send less often than before.
    private var changed: Double {
        guard let change else { return 0 }
        return (change.lost(most: misses(change.arriving, every: change.interval)) + 0.5) * change.interval
    }

    /// The silence in seconds that a beacon requires that may change its interval next, as others of the gateway did.
    ///
    /// The silence has room for some advertisements at the new interval. All of them are lost with a probability of at most ``lossOfChange``.
    private var changing: Double {
        guard change == nil, interval > 0, pooledChange > 1.5 * interval, arriving.sightings > 0 else { return 0 }
        let lost = min(Self.mostLostOfChange, -log(Self.lossOfChange) / arriving.hardness).rounded(.up)
        return (lost + 0.5) * pooledChange
    }

    /// The number of misses that is implausible if losses are independent.
    private func misses(_ arriving: ArrivingShare, every interval: Double) -> Double {
        let rate = 86_400 * arriving.share / interval
        return max(0, log(rate / (LossKinds.safety * falseExitsPerDay)) / arriving.hardness)
    }

    /// The silence in seconds with this number of misses, plus the lateness of the next advertisement.
    private func silence(of misses: Double) -> Double { (max(0, misses).rounded(.up) + lateness) * interval }

    /// How late the next advertisement may be, as a share of the interval.
    private var lateness: Double { pattern.lateness(in: interval) }

    /// Learns that two sightings followed each other after `gap`, while the radio scanned all the time.
    ///
    /// - Parameter isFaded: whether the RSSI before or after the gap was lower than the beacon's usual one, as at the edge of the range.
    package mutating func learn(_ gap: Interval, isFaded: Bool = false) {
        learn(gap.seconds, isFaded: isFaded)
        if kinds.isFitDue { fit() }
    }

    /// Learns a gap for this beacon and for the others of its gateway.
    mutating func learn(_ gap: Interval, isFaded: Bool, slot: Int, pool: inout SilencePool, at now: Instant) {
        learn(gap.seconds, isFaded: isFaded)
        if change?.isShown == true { pool.note(changeTo: change!.interval, at: now) }
        if kinds.isFitDue { fit() }
        if pool.revision != revision { consult(pool, slot: slot) }
    }

    private mutating func learn(_ seconds: Double, isFaded: Bool) {
        guard seconds >= Self.double else { return }
        if pattern.note(seconds) { restart() }
        guard !pattern.continuesBurst(seconds) else {
            kinds.add(seconds: seconds)
            return age(by: seconds)
        }
        let period = pattern.endBurst(before: seconds, period: interval)
        guard interval > 0 else {
            // The first gap shows an interval, and no loss. It may be as long as the initial silence, because there are tags that send once a minute.
            if seconds <= (pattern.split > 0 ? Self.ceiling : Self.initialSilence).seconds { learnInterval(period) }
            return
        }
        let share = kinds.lossShare(of: seconds, misses: misses(in: period), every: interval, isFaded: isFaded)
        if share >= 0.5 {
            pattern.note(period: period, known: interval)
            learnInterval(period)
            weighChange(period)
        }
        let missed = misses(in: period)
        kinds.add(seconds, misses: missed, share: share)
        if share >= 0.5 {
            arriving.note(missed, memory: max(Self.fewestRemembered, Self.remembered / interval))
        }
        age(by: seconds)
    }

    private func misses(in gap: Double) -> Double { max(0, (gap / interval).rounded() - 1) }

    /// The beacon began or ceased to send in bursts: what was counted was counted in another unit.
    private mutating func restart() {
        (interval, intervalSamples) = (0, 0)
        (arriving, kinds, change) = (ArrivingShare(), LossKinds(), nil)
    }

    /// Looks out for a change of the interval to a longer one; a shorter one shows at once.
    private mutating func weighChange(_ gap: Double) {
        let missed = misses(in: gap)
        guard change != nil || missed >= Self.unusualMisses else { return }
        let hardness = (change?.arriving ?? arriving).hardness
        let isUsual = missed < Self.unusualMisses || missed * hardness < Self.unusualHardness
        guard change != nil else {
            if !isUsual, gap <= Self.longestChange, kinds.gaps.count >= 1 / Self.unusualShare,
                kinds.gaps.share(reaching: missed) <= Self.unusualShare
            {
                change = IntervalChange(gap, arriving: arriving)
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
        kinds.rescale(by: interval / found.interval, arriving: found.arriving.share)
        arriving = found.arriving
        (interval, intervalSamples) = (found.interval, 1)
    }

    /// The mean of the gaps near the shortest.
    private mutating func learnInterval(_ gap: Double) {
        if interval == 0 || gap < 0.7 * interval {
            if interval > 0 { kinds.rescale(by: interval / gap) }
            interval = gap
            intervalSamples = 1
        } else if gap < 1.4 * interval {
            intervalSamples = min(64, intervalSamples + 1)
            interval += (gap - interval) / intervalSamples
        }
    }

    private mutating func age(by seconds: Double) {
        sinceHalved += seconds
        guard sinceHalved > Self.halfLife || kinds.gaps.count > Self.mostGaps else { return }
        sinceHalved = 0
        kinds.halve()
    }

    private mutating func fit() {
        kinds.fit(every: interval, among: others)
        appraise()
    }

    private mutating func appraise(isAnew: Bool = true) {
        guard interval > 0 else { return }
        kinds.wait(
            every: interval, most: 2 * Self.ceiling.seconds, rate: LossKinds.safety * falseExitsPerDay / 86_400,
            among: others, isAnew: isAnew)
    }

    private static let version = 4.0
    /// Four places of the header are zero: earlier versions have the size and the mean of bursts and a second share of what arrives there.
    private static let header = 15

    /// Everything that was learned, as numbers for a snapshot; ``recall(_:)`` reads them.
    package var memory: [Double] {
        let misses = kinds.gaps.memory
        let (absences, fitted) = kinds.memory
        let header = [
            Self.version, interval, intervalSamples, scannedSeconds, sinceHalved, 0, 0, arriving.adverts,
            arriving.sightings, Double(misses.count), pattern.split, 0, 0,
            Double(absences.count), kinds.appraised,
        ]
        return header + misses + absences + fitted
    }

    /// Restores what `memory` of a former model contained. Numbers that no `memory` can contain are ignored as a whole.
    package mutating func recall(_ memory: [Double]) {
        guard memory.count >= Self.header, memory[0] == Self.version,
            memory.allSatisfy({ (0...1e12).contains($0) }), (Self.double...86_400).contains(memory[1]),
            let arriving = ArrivingShare(adverts: memory[7], sightings: memory[8]),
            memory[9] + memory[13] <= Double(memory.count - Self.header)
        else { return }
        let split = Self.header + Int(memory[9])
        let end = split + Int(memory[13])
        guard let gaps = MissHistogram(memory: memory[Self.header..<split]),
            let kinds = LossKinds(
                gaps: gaps, present: memory[3], absences: memory[split..<end], fitted: memory[end...],
                appraised: memory[14]),
            let pattern = SendingPattern(split: memory[10])
        else { return }
        (interval, intervalSamples, sinceHalved) = (memory[1], min(64, memory[2]), memory[4])
        (self.arriving, self.pattern, self.kinds) = (arriving, pattern, kinds)
        appraise(isAnew: false)
    }

    /// What this beacon showed of long losses.
    func template(slot: Int) -> SilencePool.Template {
        let numbers = kinds.farKinds(every: interval)
        var shown = 0.0
        for place in numbers.indices { shown += Double(numbers[place]) }
        return SilencePool.Template(
            slot: slot, numbers: numbers, present: kinds.present, meanGap: kinds.meanGap(interval), shown: shown)
    }

    /// Asks the pool what the other beacons require.
    mutating func consult(_ pool: borrowing SilencePool, slot: Int) {
        revision = pool.revision
        pooledChange = pool.changedInterval
        others = pool.opinion(of: template(slot: slot))
        appraise()
    }
}
