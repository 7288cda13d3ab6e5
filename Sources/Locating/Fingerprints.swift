/// Fingerprints: the RSSI that each gateway is expected to receive from a place, and the standard deviation.
struct Fingerprints: Sendable {
    let gateways: Int
    /// dBm, fingerprint by fingerprint.
    private(set) var mean: [Double] = []
    /// dB, one standard deviation of each RSSI value, one per fingerprint.
    private(set) var spread: [Double] = []

    init(gateways: Int) {
        self.gateways = gateways
    }

    var count: Int { gateways == 0 ? 0 : mean.count / gateways }

    /// Adds a fingerprint: one RSSI value per gateway, all with the standard deviation `spread`.
    mutating func append(_ mean: [Double], spread: Double) {
        precondition(mean.count == gateways)
        self.mean += mean
        self.spread.append(spread)
    }

    /// Adds all fingerprints of `other`, which has the same gateways.
    mutating func append(contentsOf other: Fingerprints) {
        precondition(other.gateways == gateways)
        mean += other.mean
        spread += other.spread
    }
}
