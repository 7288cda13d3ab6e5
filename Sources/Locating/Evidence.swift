import Glibc

/// What the levels of one moment say about each of some places.
///
/// For place p and gateway g: z = (level - mean) / spread. A common offset c, the tag's power or a body in the way, is unknown with
/// variance `offset`: it is taken out at its likeliest, so that mostly differences between gateways count. What remains is
/// clipped, so that one absurd level cannot decide. A gateway that listens and hears nothing speaks against places from which it
/// should hear.
struct Evidence: Sendable {
    /// dBm: below it nothing is received; the sensitivity of common adapters.
    static let faintest = -95.0
    /// dB: how far off the expectation that a gateway should hear may be. More than a level's: silence has more causes.
    private static let silenceSpread = 12.0

    let gateways: Int
    /// dBm, place by place.
    private let mean: [Double]
    /// dB, of each place; its inverse, and its logarithm.
    private let spread: [Double]
    private let inverse: [Double]
    private let logSpread: [Double]
    private let offset: Double

    /// How many places are weighed.
    let places: Int

    init(_ signatures: Signatures, offset: Double) {
        gateways = signatures.gateways
        places = signatures.count
        mean = signatures.mean
        spread = signatures.spread
        inverse = signatures.spread.map { 1 / $0 }
        logSpread = signatures.spread.map { log($0) }
        self.offset = offset
    }

    /// dBm that a gateway is expected to receive from a place.
    func level(_ place: Int, _ gateway: Int) -> Double { mean[place * gateways + gateway] }

    /// dB: the common offset of a moment's levels at its likeliest, if the item is at a place.
    func common(_ place: Int, _ hearing: Hearing) -> Double {
        var sum = 0.0
        for (gateway, level) in hearing.heard { sum += level - mean[place * gateways + gateway] }
        return sum * offset / (1 + offset * Double(hearing.heard.count))
    }

    /// The log-likelihood of one place.
    @inline(__always)
    func weigh(_ place: Int, _ hearing: Hearing) -> Double {
        let row = place * gateways
        let inverse = inverse[place]
        return mean.withUnsafeBufferPointer { mean in
            var sum = 0.0
            for (gateway, level) in hearing.heard { sum += level - mean[row + gateway] }
            let count = Double(hearing.heard.count)
            let common = sum * inverse * offset / (1 + offset * count)
            var squares = common * common / offset
            for (gateway, level) in hearing.heard {
                let z = (level - mean[row + gateway]) * inverse - common
                let clipped = max(-Tuning.clip, min(Tuning.clip, z))
                squares += clipped * clipped
            }
            if !hearing.silent.isEmpty {
                let shift = hearing.heard.isEmpty ? 0 : common * spread[place]
                for gateway in hearing.silent {
                    let z = (mean[row + gateway] + shift - Self.faintest) / Self.silenceSpread
                    let clipped = max(0, min(Tuning.clip, z))
                    squares += clipped * clipped
                }
            }
            return -0.5 * squares - count * logSpread[place]
        }
    }
}
