import Glibc

/// One kind of knowledge about how rooms sound, with a say in what is believed.
///
/// A room has several signatures (beside its gateway, in its far corner); it is as likely as they are on average.
struct Voice: Sendable {
    private let evidence: Evidence
    /// The places of each room; a room without any is as likely as the average of the others.
    private let places: [Range<Int>]
    /// Looks per second.
    let looks: Double
    /// dB below the loudest gateway beyond which it does not matter how much fainter another one is; `nil`: it always matters.
    private let depth: Double?

    /// `signatures` of each room, in the order of the site's rooms.
    init(_ signatures: [Signatures], gateways: Int, tuning: Tuning.Voice, share: Double, depth: Double? = nil) {
        var all = Signatures(gateways: gateways)
        var places: [Range<Int>] = []
        for room in signatures {
            let first = all.count
            all.append(contentsOf: room)
            places.append(first..<all.count)
        }
        evidence = Evidence(all, offset: tuning.offset)
        self.places = places
        looks = tuning.looks * share
        self.depth = depth
    }

    /// Adds what it says of each room, per second of listening, to `result`.
    func say(_ heard: Hearing, into result: UnsafeMutableBufferPointer<Double>) {
        let hearing = depth.map { heard.within($0) } ?? heard
        var known = 0.0
        var sum = 0.0
        withUnsafeTemporaryAllocation(of: Double.self, capacity: places.count) { said in
            for (room, range) in places.enumerated() {
                said[room] = likelihood(range, hearing)
                guard !range.isEmpty else { continue }
                known += 1
                sum += said[room]
            }
            for room in places.indices {
                result[room] += looks * (places[room].isEmpty && known > 0 ? sum / known : said[room])
            }
        }
    }

    /// The logarithm of the mean likelihood over some places.
    private func likelihood(_ range: Range<Int>, _ hearing: Hearing) -> Double {
        if range.isEmpty { return 0 }
        var most = -Double.infinity
        var sum = 0.0
        for place in range {
            let value = evidence.weigh(place, hearing)
            if value > most {
                sum = sum * exp(most - value) + 1
                most = value
            } else {
                sum += exp(value - most)
            }
        }
        return most + log(sum / Double(range.count))
    }
}
