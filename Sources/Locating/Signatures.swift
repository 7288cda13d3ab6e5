/// How places sound: the level that each gateway is expected to hear from there, and how far off that may be.
struct Signatures: Sendable {
    /// How many gateways each signature has.
    let gateways: Int
    /// dBm, place by place.
    private(set) var mean: [Double] = []
    /// dB, one standard deviation of each level of a place, place by place.
    private(set) var spread: [Double] = []

    init(gateways: Int) {
        self.gateways = gateways
    }

    /// How many places there are.
    var count: Int { gateways == 0 ? 0 : mean.count / gateways }

    /// Adds a place: one level per gateway, each as far off as `spread`.
    mutating func append(_ mean: [Double], spread: Double) {
        precondition(mean.count == gateways)
        self.mean += mean
        self.spread.append(spread)
    }

    /// Adds all places of `other`, which has the same gateways.
    mutating func append(contentsOf other: Signatures) {
        precondition(other.gateways == gateways)
        mean += other.mean
        spread += other.spread
    }
}
