import Glibc

/// One kind of knowledge about how rooms sound, with a say in what is believed.
///
/// A room has several signatures (beside its gateway, in its far corner); it is as likely as they are on average.
struct Voice: Sendable {
    private let evidence: Evidence
    /// The places of each room.
    private let places: [Range<Int>]
    /// By room, whether it is known how it sounds to the gateways of other rooms.
    private let known: [Bool]
    /// Looks per second.
    let looks: Double
    /// dB below the loudest gateway beyond which it does not matter how much fainter another one is; `nil`: it always matters.
    private let depth: Double?

    /// `signatures` of each room, in the order of the site's rooms; `known`, whether they were measured there; `base`, the level of most gateways
    /// in them.
    init(
        _ signatures: [Signatures], known: [Bool], gateways: Int, tuning: Tuning.Voice, share: Double,
        depth: Double? = nil, base: Double = 0
    ) {
        var all = Signatures(gateways: gateways)
        var places: [Range<Int>] = []
        for room in signatures {
            let first = all.count
            all.append(contentsOf: room)
            places.append(first..<all.count)
        }
        evidence = Evidence(all, offset: tuning.offset, base: base)
        self.places = places
        self.known = known
        looks = tuning.looks * share
        self.depth = depth
    }

    /// Adds what it says of each room, per second of listening, to `result`.
    ///
    /// A room of which nothing is known, and where no gateway listens, sounds like any other does, only fainter: by `faintness`, in nats, it is
    /// likelier than the others are on average. So it is never preferred for what nobody could have heard.
    func say(_ hearing: Hearing, faintness: Double, into result: UnsafeMutableBufferPointer<Double>) {
        guard let depth, let loudest = hearing.heard.lazy.map(\.level).max() else {
            return say(hearing, faintness: faintness, into: result) { _, range in likelihood(range, hearing) }
        }
        withUnsafeTemporaryAllocation(of: Bool.self, capacity: evidence.gateways) { isSilent in
            isSilent.initialize(repeating: false)
            for gateway in hearing.silent { isSilent[gateway] = true }
            let moment = Evidence.Shallow(
                heard: hearing.heard, floor: loudest - depth, silent: hearing.silent.count, isSilent: isSilent)
            // Most rooms of a large site: none of their gateways receives the item. With as many gateways they are all alike.
            withUnsafeTemporaryAllocation(of: Double.self, capacity: Self.mostAlike) { alike in
                alike.initialize(repeating: .nan)
                say(hearing, faintness: faintness, into: result) { room, range in
                    guard let silent = evidence.silentOutstanding(range.upperBound - 1, moment), silent < alike.count,
                        range.count == max(1, 2 * silent)
                    else { return likelihood(range, moment) }
                    if alike[silent].isNaN { alike[silent] = likelihood(range, moment) }
                    return alike[silent]
                }
            }
        }
    }

    /// Gateways of a room, for which the likelihood of a room without reception is computed once.
    private static let mostAlike = 8

    @inline(__always)
    private func say(
        _ hearing: Hearing, faintness: Double, into result: UnsafeMutableBufferPointer<Double>,
        _ likelihood: (Int, Range<Int>) -> Double
    ) {
        withUnsafeTemporaryAllocation(of: Double.self, capacity: places.count) { said in
            var mean = LogarithmicMean()
            for (room, range) in places.enumerated() {
                let isMute = !known[room] && !hearing.isAttended(room)
                said[room] = isMute ? .nan : likelihood(room, range)
                if !isMute { mean.add(said[room]) }
            }
            for room in places.indices {
                result[room] += looks * (said[room].isNaN ? (mean.value ?? 0) + faintness : said[room])
            }
        }
    }

    /// The logarithm of the mean likelihood over some places.
    private func likelihood(_ range: Range<Int>, _ hearing: Hearing) -> Double {
        var mean = LogarithmicMean()
        for place in range { mean.add(evidence.weigh(place, hearing)) }
        return mean.value ?? 0
    }

    private func likelihood(_ range: Range<Int>, _ moment: Evidence.Shallow) -> Double {
        var mean = LogarithmicMean()
        for place in range { mean.add(evidence.weigh(place, moment)) }
        return mean.value ?? 0
    }
}

/// The logarithm of the mean of numbers that are given by their logarithms.
private struct LogarithmicMean {
    private var most = -Double.infinity
    private var sum = 0.0
    private var count = 0.0

    mutating func add(_ logarithm: Double) {
        if logarithm > most {
            sum = sum * exp(most - logarithm) + 1
            most = logarithm
        } else {
            sum += exp(logarithm - most)
        }
        count += 1
    }

    /// `nil` of nothing.
    var value: Double? { count > 0 ? most + log(sum / count) : nil }
}
