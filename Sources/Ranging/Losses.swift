/// How many advertisements of one beacon were missed before each sighting, and how many are implausible: what a ``SilenceModel`` learns.
///
/// A tail continues each histogram beyond the longest loss. It is fitted again only when it may have changed, because that takes time.
struct Losses: Sendable {
    /// The part of the tolerated rate that is used for a slow beacon, whose tail is split in two.
    private static let safetyOfSlow = 0.15
    /// Seconds: a beacon with a longer mean gap is slow. During a few gaps of such a beacon a body may come and go, or reception may drift: the
    /// two look alike. So the relative histogram decides only a quarter of its silence, and gaps after minutes in which little arrived are also
    /// counted in a histogram of their own. A beacon that sends in bursts is never slow.
    private static let longestDrifting = 15.0
    /// The number of classes for one unit of relative misses.
    private static let resolution = 4.0

    /// The misses as they were.
    private(set) var absolute = MissHistogram()
    /// The misses times the hardness of a miss in these minutes, so that losses that were usual in their time count the same.
    private(set) var relative = MissHistogram()
    /// The misses of a slow beacon in gaps that followed minutes in which little arrived. `absolute` counts these gaps as well.
    ///
    /// One histogram, or none before the first such gap: most beacons need none, and it would be a fifth of the model's memory.
    private var dimmed: [MissHistogram] = []
    /// The numbers of misses that are implausible by each histogram.
    private var absoluteTail = 0.0
    private var relativeTail = 0.0
    /// The same for a slow beacon: after minutes in which little arrived, and after all others.
    private var dimTail = 0.0
    private var clearTail = 0.0
    private var nextFit = 0.0
    /// Whether the tails may have changed.
    private(set) var isFitDue = false
    /// Whether the mean gap is longer than ``longestDrifting``, as of the last fit.
    private(set) var isSlow = false

    init() {}

    /// Continues with histograms that were stored.
    init(absolute: MissHistogram, relative: MissHistogram) { (self.absolute, self.relative) = (absolute, relative) }

    /// The number of gaps.
    var count: Double { absolute.count }

    /// The number of misses that is implausible.
    ///
    /// - Parameter isDim: whether little of what usually arrives has arrived in the last minutes.
    func implausible(isDim: Bool) -> Double { isSlow ? isDim ? dimTail : clearTail : absoluteTail }

    /// The number of misses that is implausible while a miss has this hardness; `nil`: not known yet.
    func implausible(hardness: Double) -> Double? {
        relativeTail > 0 ? relativeTail / (hardness * Self.resolution) : nil
    }

    // MARK: Learning

    /// Adds a gap.
    ///
    /// - Parameter hardness: the hardness of each miss; `nil`: not known yet.
    mutating func add(_ missed: Double, hardness: Double?, isDim: Bool) {
        if isSlow, isDim {
            if dimmed.isEmpty { dimmed.append(MissHistogram()) }
            dimmed[0].add(missed)
        }
        absolute.add(missed)
        relative.add(hardness.map { missed * $0 * Self.resolution } ?? 0)
        isFitDue = isFitDue || count >= nextFit || missed > absoluteTail / 2
    }

    /// Converts the misses to those of another interval; the relative ones only if they were counted too high as well.
    ///
    /// - Parameter factor: how many times as many advertisements a gap has.
    mutating func rescale(by factor: Double, withRelative: Bool) {
        absolute.rescale(by: factor)
        for place in dimmed.indices { dimmed[place].rescale(by: factor) }
        guard withRelative else { return }
        relative.rescale(by: factor)
        isFitDue = true
    }

    /// Halves all counts, so that what is learned from now on counts more.
    mutating func halve() {
        absolute.halve()
        for place in dimmed.indices { dimmed[place].halve() }
        relative.halve()
        isFitDue = true
    }

    /// Fits all tails again. This is due once there are five percent more gaps than at the last time, or after a long gap.
    ///
    /// - Parameters:
    ///   - rate: the tolerated number of false exits per day.
    ///   - isBurst: whether the beacon sends in bursts, so that each burst counts as one advertisement.
    mutating func fit(rate: Double, interval: Double, isBurst: Bool, among others: SilencePool?) {
        isFitDue = false
        nextFit = count * 1.05
        let meanGap = interval * (1 + absolute.mean)
        let probability = SilenceModel.safety * rate * meanGap / 86_400
        absoluteTail = absolute.misses(reachedWith: probability)
        relativeTail = relative.misses(reachedWith: probability)
        isSlow = !isBurst && meanGap > Self.longestDrifting
        guard isSlow else { return }
        // Either kind of minutes gets its share of the rate by the time that it takes, as if it were a beacon of its own.
        func tail(of gaps: MissHistogram) -> Double {
            let probability = Self.safetyOfSlow * rate * interval * (1 + gaps.mean) / 86_400
            return gaps.misses(reachedWith: probability, among: others, every: interval)
        }
        clearTail = dimmed.first.map { tail(of: absolute.removing($0)) } ?? tail(of: absolute)
        dimTail = max(absoluteTail, dimmed.first.map(tail) ?? 0)
    }
}
