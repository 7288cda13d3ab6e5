import Beacons
import Glibc

/// The beacons of one gateway that showed long losses, as templates of each other: a beacon is perhaps such a one, until it was received for
/// long without one.
struct SilencePool: Sendable {
    /// What the templates show of one beacon.
    struct Opinion {
        /// With which probability the beacon is like the templates.
        var weight = 0.0
        /// How often losses of the far kinds begin in a second, where the beacon is like them.
        var rates = InlineArray<8, Float>(repeating: 0)
    }

    /// What one beacon showed.
    struct Template: Sendable {
        var slot: Int
        var numbers: InlineArray<8, Float>
        var present: Double
        var meanGap: Double
        /// How many long losses the beacon had.
        var shown: Double

        /// A beacon shows long losses from this number on.
        static let fewest = 2.0
    }

    /// The templates are collected again after this time.
    static let period = Interval.seconds(300)
    /// At most so many templates are stored: the work grows with their number.
    static let most = 64
    /// A beacon that shows none of the losses of a template is like it with the power of this, by the losses that were due.
    private static let refutation = -3.0
    private static let priorTime = 600.0
    /// The least weight against being like the templates.
    private static let doubt = 0.02
    /// For so long the beacons expect a change of the interval that one of them showed.
    private static let memoryOfChange = Interval.seconds(86_400)

    private var templates: [Template] = []
    /// How many beacons show long losses; how many refute them, nearly; and how often a template has them.
    private var shows = 0.0
    private var rejects = 0.0
    private var meanRate = 0.0
    /// The longest interval in seconds that a beacon of this gateway changed to of late; 0: none did.
    private(set) var changedInterval = 0.0
    private var changedAt = Instant.zero
    /// Another number whenever the templates or a change are others: then the beacons ask again.
    private(set) var revision: UInt32 = 0
    private(set) var nextCollection = Instant.zero

    mutating func collect(_ beacons: [Template], at now: Instant) {
        nextCollection = now + Self.period
        if changedInterval > 0, now - changedAt >= Self.memoryOfChange {
            (changedInterval, revision) = (0, revision &+ 1)
        }
        let showing = beacons.filter { $0.shown >= Template.fewest }
        guard !showing.isEmpty || !templates.isEmpty else { return }
        revision &+= 1
        shows = Double(showing.count)
        templates = Array(showing.prefix(Self.most))
        meanRate = showing.reduce(0) { $0 + $1.shown / ($1.present + Self.priorTime) } / max(1, shows)
        rejects = beacons.reduce(0) { $0 + ($1.shown < Template.fewest ? rejection(by: $1.present) : 0) }
    }

    private func rejection(by present: Double) -> Double { 1 - pow(1 + meanRate * present / 3, Self.refutation) }

    /// Returns what the templates show of a beacon, whose own template is `beacon`.
    func opinion(of beacon: Template) -> Opinion {
        var opinion = Opinion()
        guard !templates.isEmpty else { return opinion }
        let isShowing = beacon.shown >= Template.fewest
        let prior = 1 / (shows + max(0, rejects - (isShowing ? 0 : rejection(by: beacon.present))) + 1)
        var sum = 0.0
        for template in templates where template.slot != beacon.slot {
            if isShowing, template.meanGap > 2 * beacon.meanGap { continue }
            let rate = template.shown / (template.present + Self.priorTime)
            let likelihood = isShowing ? 1 : prior * pow(1 + rate * beacon.present / 3, Self.refutation)
            sum += likelihood
            for place in template.numbers.indices where template.numbers[place] >= 1 {
                opinion.rates[place] +=
                    Float(likelihood / (template.present + Self.priorTime)) * template.numbers[place]
            }
        }
        guard sum > 0 else { return opinion }
        for place in opinion.rates.indices { opinion.rates[place] /= Float(sum) }
        opinion.weight = isShowing ? 1 : sum / (sum + max(Self.doubt, 1 - prior * shows))
        return opinion
    }

    /// Records that a beacon changed to a longer interval, which may happen to others as well.
    mutating func note(changeTo interval: Double, at now: Instant) {
        changedAt = now
        guard interval > changedInterval else { return }
        changedInterval = interval
        revision &+= 1
    }
}
