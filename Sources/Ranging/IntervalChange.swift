import Glibc

/// A suspicion that a beacon sends less often than before: it was silent for longer than it ever is, and came back.
///
/// A loss of a new kind looks alike at first. After a loss the beacon is received as often as before. After a change all gaps are
/// multiples of the new interval.
struct IntervalChange: Sendable {
    /// The numbers of gaps in a row that confirm a change, and of gaps of the old kind that refute it. Until the change is confirmed, the old
    /// interval stays in use: an interval that is assumed to be longer than it is spoils what was learned.
    private static let confirmations = 100
    private static let refutations = 3
    /// A gap differs from a multiple of the interval by this share of the interval at most.
    private static let tolerance = 0.15

    /// The state of the suspicion after one more gap.
    enum Verdict {
        case open
        case confirmed
        case refuted
    }

    /// The number of gaps in a row after which the other beacons of the gateway expect such a change. That delays their exits, but spoils nothing
    /// that they learned.
    private static let shown = 2

    /// Each gap that fits the new interval makes the change this many times as likely.
    private static let likelierWithEach = 20.0
    /// The number of advertisements that may always be lost, whatever share arrived before.
    private static let fewestLost = 2.0

    /// The interval that the beacon may have now, in seconds.
    private(set) var interval: Double
    /// The share of advertisements that arrived before the change.
    let arriving: ArrivingShare
    private var confirmed = 1
    private var refuted = 0

    init(_ gap: Double, arriving: ArrivingShare) {
        interval = gap
        self.arriving = arriving
    }

    /// How many advertisements in a row may be lost at the new interval, as far as the gaps so far confirm it.
    ///
    /// After one gap a loss is more likely than a change. If the beacon leaves next, its exit is then reported soon. With each gap that confirms
    /// the change, a false exit becomes worse than a late one.
    ///
    /// - Parameter most: how many may be lost once the change is certain.
    func lost(most: Double) -> Double {
        let likely = Double(confirmed) * log(Self.likelierWithEach) / arriving.hardness
        return max(Self.fewestLost, min(most, likely).rounded(.up))
    }

    /// Whether the last gap was the one from which on the other beacons expect such a change.
    var isShown: Bool { confirmed == Self.shown && refuted == 0 }

    /// Considers one more gap.
    ///
    /// - Parameter isUsual: whether the gap is one of the former interval.
    mutating func weigh(_ gap: Double, isUsual: Bool) -> Verdict {
        if isUsual {
            refuted += 1
            return refuted >= Self.refutations ? .refuted : .open
        }
        let multiple = (gap / interval).rounded()
        if multiple >= 1, abs(gap - multiple * interval) <= Self.tolerance * interval {
            confirmed += 1
            if multiple == 1 { interval += (gap - interval) / Double(confirmed) }
        } else {
            // The first gap was several intervals, or it was no change.
            interval = min(interval, gap)
            confirmed = 1
        }
        return confirmed >= Self.confirmations && refuted == 0 ? .confirmed : .open
    }
}
