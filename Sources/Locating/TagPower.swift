/// The power of an item's tag, learned while the item is received, relative to the power that a floor plan assumes.
///
/// With a plan, the RSSI of all gateways shows how far away the item is only if the power of its tag is known. The power is unknown at first. Each
/// observation then shows it with an error of its own: the body of who carries the item.
struct TagPower: Sendable {
    /// dB: the mean and the standard deviation before the item was received, by the measured power of a usual tag. A tag may claim another
    /// power than it has, and may be covered.
    private static let prior = (mean: Double(Tuning.usualPower - Plan.atOneMetre), spread: 9.0)
    /// dB: the standard deviation of one observation.
    private static let body = 5.0
    /// Seconds of the filter's time for one independent observation: a person turns.
    private static let look = 10.0
    /// Independent observations at most: a battery gets weaker.
    private static let most: Float = 60

    /// dB: the mean of the observations.
    private var observed: Float = 0
    /// The number of independent observations.
    private var looks: Float = 0

    init() {}

    /// Adds an observation.
    ///
    /// - Parameters:
    ///   - excess: the mean of the received RSSI values less those that the plan predicts at the likeliest place, in dB.
    ///   - seconds: Seconds of the filter's time since the last observation.
    mutating func add(_ excess: Double, seconds: Double) {
        let share = Float(seconds / Self.look)
        looks = min(looks + share, Self.most)
        if looks > 0 { observed += share / looks * (Float(excess) - observed) }
    }

    /// What is expected of the next observation: the offset in dB of all RSSI values from the plan, and the variance in dB².
    ///
    /// - Parameter claimed: the beacon's measured power less that of a usual tag, in dB.
    func expectation(claimed: Double) -> (offset: Double, variance: Double) {
        let (prior, body) = (1 / (Self.prior.spread * Self.prior.spread), Self.body * Self.body)
        let evidence = Double(looks) / body
        let offset = (prior * (Self.prior.mean + claimed) + evidence * Double(observed)) / (prior + evidence)
        return (offset, 1 / (prior + evidence) + body)
    }
}
