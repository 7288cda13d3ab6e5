import Glibc

/// How often one beacon's silences of each kind begin: a mixture of losses that end at random, fitted to its gaps, and its absences.
///
/// A loss of a kind ends at random after ``lengths`` seconds on average. Independent losses, bursts and bodies are all mixtures of such
/// kinds, as are the gaps of any hidden Markov process. `WhenIsABeaconGone.md` has the formulae, and the reason for each constant.
struct LossKinds: Sendable {
    /// The number of kinds, two to the octave from 0.06 s to 256 s.
    static let count = 25
    /// The kinds from 16 s to 200 s, which ``SilencePool`` compares between beacons.
    static let far = 16..<24
    /// The number of octaves of absences, from 20 s on.
    private static let octaves = 13
    private static let shortestAbsence = 20.0

    /// A gap of at most so many seconds is never an absence, nor is a longer one where the RSSI did not fall: nothing else distinguishes the two.
    private static let longestFadedLoss = 15.0
    private static let longestUnfadedLoss = 115.0
    /// How many losses of 10 s are expected in ``priorTime`` seconds before any was seen. Of other lengths there are more or fewer by this power.
    private static let priorGaps = 0.002
    private static let priorPower = 1.5
    private static let mostPriorGaps = 0.3
    private static let priorTime = 600.0
    /// The number of gaps of one kind that is expected of the next longer one, as few gaps do not show their length.
    private static let spill = 0.05
    private static let spilling = 10.0
    /// The seconds of a beacon's own reception that weigh as much as the kinds of other beacons.
    private static let templateTime = 20_000.0
    /// The rounds of a fit, each of which continues from the last.
    private static let rounds = 20
    /// A fit is due when the beacon was present for so many times as long as at the last one, and for so many seconds more.
    private static let growth = 1.1
    private static let pause = 30.0
    /// The share of the tolerated rate that the fit uses: the rest is a reserve for its errors.
    static let safety = 0.25
    /// The absences that are expected before any was seen, in half a day, spread over all lengths.
    private static let priorAbsences = 1.5
    private static let absenceTime = 43_200.0
    /// An absence is likely from so many seconds on where the RSSI fell, and all the more from ``long`` on.
    private static let fadedShort = 60.0
    private static let long = 250.0
    private static let power = 4.0
    /// How many times likelier an absence is where the RSSI fell, and where it did not.
    private static let fadedFactor = 10.0
    private static let unfadedFactor = 0.5
    /// The absences a day beyond which the RSSI does not count: the beacon is at the edge of the range.
    private static let mostAbsences = 12.0
    /// A gap that is a loss with a smaller probability is none: rare losses of minutes would otherwise follow from a few absences.
    private static let leastLoss = 0.1

    /// The fit is doubted beyond the longest gap if that took so many seconds and mean gaps, and if more longer ones are due than this.
    private static let leastDoubted = 40.0
    private static let leastDoubtedGaps = 8.0
    private static let mostDue = 3.0
    /// Losses that last equally long may last so many times as long as the longest one.
    private static let margin = 1.1

    /// The gaps that were losses, by the number of advertisements that were missed.
    private(set) var gaps = MissHistogram()
    /// For how many seconds the beacon was present.
    private(set) var present = 0.0
    private var absences = InlineArray<13, Float>(repeating: 0)
    /// How many gaps had a kind.
    private var fitted = InlineArray<25, Float>(repeating: 0)
    /// How many gaps of a kind begin in a second, as of so many seconds of presence.
    private var rates = InlineArray<25, Float>(repeating: 0)
    private(set) var appraised = 0.0
    /// How many times rarer a gap is that is longer than all before than the fit has it.
    private var doubt: Float = 1
    /// The number of misses that is implausible.
    private(set) var implausible = 0.0
    private var nextFit = 0.0
    private(set) var isFitDue = true

    init() {}

    /// Continues with what was stored.
    ///
    /// - Parameters:
    ///   - absences: by octave.
    ///   - fitted: by kind.
    ///   - appraised: of how many seconds of presence the wait was.
    init?(
        gaps: MissHistogram, present: Double, absences: some Collection<Double>, fitted: some Collection<Double>,
        appraised: Double
    ) {
        guard absences.count <= Self.octaves, fitted.count == Self.count else { return nil }
        (self.gaps, self.present, self.appraised) = (gaps, present, appraised)
        for (octave, count) in absences.enumerated() { self.absences[octave] = Float(count) }
        for (kind, number) in fitted.enumerated() { self.fitted[kind] = Float(number) }
        nextFit = appraised
        isFitDue = false
    }

    /// How long a loss of each kind lasts on average, in seconds.
    static let lengths = (0..<count).map { exp2(Double($0 - 8) / 2) }
    /// How many losses of each kind are expected in ``priorTime`` seconds before any was seen.
    private static let priors = lengths.map { min(mostPriorGaps, priorGaps * pow(10 / $0, priorPower)) }

    /// The absences by octave, and the fitted numbers by kind.
    var memory: (absences: [Double], fitted: [Double]) {
        (absences.indices.map { Double(absences[$0]) }, fitted.indices.map { Double(fitted[$0]) })
    }

    /// The mean time from one sighting to the next, in seconds.
    func meanGap(_ interval: Double) -> Double { interval * (1 + gaps.mean) }

    // MARK: Learning

    /// Returns with which probability a gap was a loss, and not an absence.
    func lossShare(of gap: Double, misses: Double, every interval: Double, isFaded: Bool) -> Double {
        guard gap > Self.longestFadedLoss else { return 1 }
        let isFaded = isFaded && !isAtEdge
        guard isFaded || gap > Self.longestUnfadedLoss else { return 1 }
        var loss = 0.0
        for kind in 0..<Self.count {
            let step = interval / Self.lengths[kind]
            loss += Double(rates[kind]) * -expm1(-step) * exp(-step * misses)
        }
        if misses > gaps.longest { loss /= Double(doubt) }
        let octave = Self.octave(of: gap)
        let (below, above) = (max(0, octave - 1), min(Self.octaves - 1, octave + 1))
        let seen = Double(absences[octave] / 2 + absences[below] / 4 + absences[above] / 4)
        let early = isFaded ? -expm1(-pow(gap / Self.fadedShort, Self.power)) : 1
        let absence =
            (seen + Self.priorAbsences / Double(Self.octaves)) / (present + Self.absenceTime) * interval / (gap * M_LN2)
            * early * (1 + pow(gap / Self.long, Self.power)) * (isFaded ? Self.fadedFactor : Self.unfadedFactor)
        let ratio = absence / max(loss, 1e-300)
        let share = 1 / (1 + ratio * ratio)
        return share < Self.leastLoss ? 0 : share
    }

    /// Whether the beacon had more absences a day than people make.
    private var isAtEdge: Bool {
        var sum = 0.0
        for octave in absences.indices { sum += Double(absences[octave]) }
        return sum > Self.mostAbsences * (present + Self.absenceTime) / 86_400
    }

    private static func octave(of gap: Double) -> Int {
        min(octaves - 1, max(0, Int(log2(gap / shortestAbsence))))
    }

    /// Adds a gap that was a loss with this probability.
    mutating func add(_ gap: Double, misses: Double, share: Double) {
        if share < 1 { absences[Self.octave(of: gap)] += Float(1 - share) }
        guard share > 0 else { return }
        gaps.add(misses, weight: share)
        present += share * gap
        isFitDue = isFitDue || present >= nextFit || misses > implausible / 2
    }

    /// Adds seconds in which the beacon was present and no gap was counted, as within a burst.
    mutating func add(seconds: Double) { present += seconds }

    /// Converts the misses to those of another interval.
    ///
    /// - Parameters:
    ///   - factor: how many times as many advertisements a gap has.
    ///   - arriving: which share arrives, where the new unit does not show it: as many losses are added as a hundred gaps have.
    mutating func rescale(by factor: Double, arriving: Double = 1) {
        gaps.rescale(by: factor)
        for misses in 1...8 { gaps.add(Double(misses), weight: 100 * arriving * pow(1 - arriving, Double(misses))) }
        isFitDue = true
    }

    /// Halves all that was counted, so that what is learned from now on counts more.
    mutating func halve() {
        gaps.halve()
        present /= 2
        for octave in absences.indices { absences[octave] /= 2 }
        for kind in fitted.indices { fitted[kind] /= 2 }
        isFitDue = true
    }

    // MARK: Fitting

    /// Fits the kinds to the gaps. This is due once the beacon was present for ten percent longer than at the last time, or after a long gap.
    mutating func fit(every interval: Double, among others: SilencePool.Opinion) {
        guard interval > 0 else { return }
        isFitDue = false
        nextFit = max(present + Self.pause, present * Self.growth)
        var chances = InlineArray<1200, Float>(repeating: 0)
        var values = InlineArray<48, Int>(repeating: 0)
        var used = 0
        for place in 0..<MissHistogram.classes where gaps[place] > 0 {
            let misses = MissHistogram.value(place)
            for kind in 0..<Self.count {
                let step = interval / Self.lengths[kind]
                chances[used * Self.count + kind] = Float(-expm1(-step) * exp(-step * misses))
            }
            values[used] = place
            used += 1
        }
        appraised = present
        appraise(among: others)
        for _ in 0..<Self.rounds where used > 0 {
            var next = InlineArray<25, Double>(repeating: 0)
            for row in 0..<used {
                var sum = 1e-300
                for kind in 0..<Self.count { sum += Double(rates[kind] * chances[row * Self.count + kind]) }
                let weight = Double(gaps[values[row]]) / sum
                for kind in 0..<Self.count {
                    next[kind] += weight * Double(rates[kind] * chances[row * Self.count + kind])
                }
            }
            // The square makes the fit about twice as fast: without it, tails stay too long.
            var sum = 1e-300
            for kind in 0..<Self.count {
                next[kind] *= min(4, next[kind] / (Double(rates[kind]) * (present + Self.priorTime) + 1e-300))
                sum += next[kind]
            }
            for kind in 0..<Self.count { fitted[kind] = Float(next[kind] * gaps.count / sum) }
            appraise(among: others)
        }
    }

    /// Computes the rates from the fitted numbers.
    private mutating func appraise(among others: SilencePool.Opinion) {
        var (before, spilled) = (0.0, 0.0)
        let time = appraised + Self.priorTime
        for kind in 0..<Self.count {
            let number = Double(fitted[kind])
            spilled = Self.spill * (before / (before + 1) * Self.spilling / (Self.spilling + before) + spilled)
            before = number
            // What was expected counts less the longer none was seen, beyond the share of the time: most beacons never have such a loss.
            var rate = (number + Self.priors[kind] * Self.priorTime / time + spilled) / time
            let pooled = Self.far.contains(kind) ? Double(others.rates[kind - Self.far.lowerBound]) : 0
            if others.weight > 0, pooled > 0 {
                let shared = (number + pooled * Self.templateTime) / (appraised + Self.templateTime)
                rate += others.weight * (shared - rate)
            }
            rates[kind] = Float(rate)
        }
    }

    /// Computes the number of misses that is reached at most at `rate` a second.
    ///
    /// - Parameter isAnew: whether the rates are those of now, and not of the last time.
    mutating func wait(
        every interval: Double, most: Double, rate: Double, among others: SilencePool.Opinion, isAnew: Bool = true
    ) {
        if isAnew { appraised = present }
        appraise(among: others)
        // Losses that last equally long are of no kind: the fit expects longer ones, and none comes.
        let longest = gaps.longest
        let isDoubted = longest * interval >= max(Self.leastDoubted, Self.leastDoubtedGaps * meanGap(interval))
        let due = isDoubted ? longer(longest, every: interval).rate * appraised : 0
        doubt = Float(exp(max(0, min(80, due - Self.mostDue))))
        implausible = reached(at: rate, every: interval, most: most / interval + 1)
        if doubt > 1, implausible > longest {
            implausible = max(
                Self.margin * longest, reached(at: rate * Double(doubt), every: interval, most: implausible))
        }
    }

    /// How many gaps a second have more than so many misses, and by how much that falls with one more.
    private func longer(_ misses: Double, every interval: Double) -> (rate: Double, slope: Double) {
        var (sum, slope) = (0.0, 0.0)
        for kind in 0..<Self.count {
            let step = interval / Self.lengths[kind]
            let rate = misses * step < 80 ? Double(rates[kind]) * exp(-misses * step) : 0
            sum += rate
            slope += rate * step
        }
        return (sum, slope)
    }

    /// How many gaps a second have more than so many misses, as far as the fit is not doubted.
    func rate(above misses: Double, every interval: Double) -> Double {
        longer(misses, every: interval).rate / (misses > gaps.longest ? Double(doubt) : 1)
    }

    /// The number of misses that gaps exceed so often a second. The logarithm is convex, so that Newton's steps do not exceed the number.
    private func reached(at rate: Double, every interval: Double, most: Double) -> Double {
        var misses = 0.0
        for _ in 0..<20 {
            let (now, slope) = longer(misses, every: interval)
            let step = now > rate ? log(now / rate) * now / slope : 0
            misses += step
            if step < 0.01 || misses > most { break }
        }
        return min(most, misses)
    }

    /// How many losses had each of the ``far`` kinds, for a beacon whose mean gap is short enough to show them.
    func farKinds(every interval: Double) -> InlineArray<8, Float> {
        var numbers = InlineArray<8, Float>(repeating: 0)
        for kind in Self.far where Self.lengths[kind] >= 8 * meanGap(interval) {
            numbers[kind - Self.far.lowerBound] = fitted[kind]
        }
        return numbers
    }
}
