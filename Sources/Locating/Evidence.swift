import Glibc

/// What the levels of one moment say about each place.
///
/// For place p and gateway g: z = (level - mean) / spread. A common offset c, the tag's power or a body in the way, is unknown with
/// variance `offset`: it is taken out at its likeliest, so that only differences between gateways count. What remains is
/// clipped, so that one absurd level cannot decide.
struct Evidence: Sendable {
    private let gateways: Int
    private let places: Int
    private let mean: [Double]
    private let inverse: [Double]
    private let logSpread: [Double]
    private let offset: Double
    private let clip: Double

    init(_ signatures: Signatures, offset: Double, clip: Double) {
        gateways = signatures.gateways
        places = signatures.count
        mean = signatures.mean
        inverse = signatures.spread.map { 1 / $0 }
        logSpread = signatures.spread.map { log($0) }
        self.offset = offset
        self.clip = clip
    }

    /// Writes the log-likelihood of each place into `result`. `heard` are the gateways that hear the item, with their levels.
    func weigh(_ heard: [(gateway: Int, level: Double)], into result: inout [Double]) {
        let shrink = offset / (1 + offset * Double(heard.count))
        for place in 0..<places {
            let row = place * gateways
            var sum = 0.0
            var penalty = 0.0
            for (gateway, level) in heard {
                sum += (level - mean[row + gateway]) * inverse[row + gateway]
                penalty += logSpread[row + gateway]
            }
            let common = sum * shrink
            var squares = common * common / offset
            for (gateway, level) in heard {
                let z = (level - mean[row + gateway]) * inverse[row + gateway] - common
                let clipped = max(-clip, min(clip, z))
                squares += clipped * clipped
            }
            result[place] = -0.5 * squares - penalty
        }
    }
}
