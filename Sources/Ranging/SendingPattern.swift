import Glibc

/// Whether a beacon sends in bursts, and where one burst ends: some advertisements close together, then a pause many times as long.
///
/// The gaps between sightings are counted by octave. Of a beacon that sends at an interval they fall off from the shortest on, whatever
/// is lost. Of one that sends in bursts they have two heaps with a valley between: within a burst, and between two.
struct SendingPattern: Sendable {
    /// The first octave begins at 2^-6 s, the last ends at 2^10 s.
    private static let octaves = 16
    private static let firstExponent = -6
    /// The number of gaps after which the valley is searched again.
    private static let period = 64.0
    /// The number of gaps after which a pattern of a former process is given up if they do not show one. A burst of sixty has six by then.
    private static let patience = 384.0
    /// The number of gaps beyond which all counts are halved.
    private static let memory = 1024.0
    /// The least number of gaps between bursts, and the least shares of all gaps within bursts and between them. Fewer are losses.
    private static let fewest = 6.0
    private static let leastWithin = 0.1
    private static let leastBetween = 0.01
    /// The number of octaves that a gap within a burst may be in: such gaps are shorter than 2 s. A beacon with longer gaps comes and goes.
    private static let octavesWithin = 7
    /// A valley is at least two octaves wide, and has at most this share of the gaps between bursts.
    private static let valley = 0.02

    private var counts = InlineArray<16, Float>(repeating: 0)
    private var total = 0.0
    private var untilSearch = period
    /// Sightings less than so many seconds apart belong to one burst; 0: the beacon does not send in bursts.
    private(set) var split = 0.0
    /// Seconds since the first sighting of this burst.
    private var elapsed = 0.0
    /// The recent maximum of a burst's length, and of the difference between its period and the known one, both in seconds. They are known after
    /// ``fewestBursts``.
    private var length = 0.0
    private var spread = 0.0
    private var bursts = 0

    /// The number of bursts of this process after which their times are known.
    private static let fewestBursts = 32

    init() {}

    /// Restores a stored pattern; `nil` if the number cannot be one.
    init?(split: Double) {
        guard split == 0 || (0.015...600).contains(split) else { return nil }
        self.split = split
    }

    /// Records a gap; returns whether it showed that the beacon began or ceased to send in bursts.
    mutating func note(_ gap: Double) -> Bool {
        let octave = Int(gap.exponent) - Self.firstExponent
        guard octave < Self.octaves else { return false }
        counts[max(0, octave)] += 1
        total += 1
        untilSearch -= 1
        guard untilSearch <= 0 else { return false }
        untilSearch = Self.period
        let before = split
        search()
        if total > Self.memory { halve() }
        guard (split > 0) != (before > 0) else { return false }
        (elapsed, length, spread, bursts) = (0, 0, 0, 0)
        return true
    }

    /// Returns whether a gap is within a burst; if so, the burst is that much longer.
    mutating func continuesBurst(_ gap: Double) -> Bool {
        guard gap < split else { return false }
        elapsed += gap
        return true
    }

    /// Ends the burst before a gap; returns the seconds from its first sighting to the first of the next.
    mutating func endBurst(before gap: Double, period: Double) -> Double {
        guard split > 0 else { return gap }
        length = max(elapsed, length * 255 / 256)
        defer { elapsed = 0 }
        return gap + (period > 0 ? min(elapsed, period) : elapsed)
    }

    /// Records the seconds from one burst to the next. `known` is the period as it was known before, in seconds; 0: unknown.
    mutating func note(period: Double, known: Double) {
        guard split > 0, known > 0, abs(period - known) < 0.3 * known else { return }
        spread = max(abs(period - known), spread * 255 / 256)
        bursts = min(Self.fewestBursts, bursts + 1)
    }

    /// How late an advertisement may come after it is due, as a share of the interval.
    ///
    /// If a beacon sends in bursts, the last sighting and the next may be anywhere in their bursts. If nothing is known, the result is half an
    /// interval.
    func lateness(in period: Double) -> Double {
        guard split > 0, bursts >= Self.fewestBursts else { return 0.5 }
        return min(0.5, max(0.1, (length + 2 * spread) / period))
    }

    private mutating func search() {
        if split > 0, total < Self.patience { return }
        // The widest valley's upper end: what is lost within a burst lengthens the gaps there.
        for first in (1..<Self.octaves - 2).reversed() {
            let (within, valley, between) = shares(below: first..<first + 2)
            guard between * total >= Self.fewest, between >= Self.leastBetween, within >= Self.leastWithin,
                valley <= Self.valley * between
            else { continue }
            split = exp2(Double(first + 1 + Self.firstExponent))
            return
        }
        split = 0
    }

    private func shares(below valley: Range<Int>) -> (within: Double, valley: Double, between: Double) {
        var sums = (0.0, 0.0, 0.0)
        for octave in 0..<Self.octaves {
            let count = Double(counts[octave]) / total
            if octave < valley.lowerBound {
                if octave < Self.octavesWithin { sums.0 += count }
            } else if octave < valley.upperBound {
                sums.1 += count
            } else {
                sums.2 += count
            }
        }
        return sums
    }

    private mutating func halve() {
        for octave in counts.indices { counts[octave] /= 2 }
        total /= 2
    }
}
