import Glibc

/// The log-likelihood of each room for an observation, by one source of fingerprints. Sources are the gateways' names and what was learned.
///
/// A room has several fingerprints, such as beside its gateway and in its far corner. The likelihood of the room is their mean.
struct RoomLikelihood: Sendable {
    private let evidence: Evidence
    /// The fingerprints of each room, as a range of indices.
    private let places: [Range<Int>]
    /// By room, whether the fingerprints contain the RSSI at gateways of other rooms.
    private let known: [Bool]
    /// Independent observations per second.
    let observationRate: Double
    /// dB below the strongest gateway at which RSSI values are cut off; `nil`: nowhere.
    private let depth: Double?

    /// - Parameters:
    ///   - fingerprints: By room, in the order of the site's rooms.
    ///   - known: By room, whether the fingerprints were measured there.
    ///   - base: dBm of most gateways in most fingerprints.
    init(
        _ fingerprints: [Fingerprints], known: [Bool], gateways: Int, tuning: Tuning.Likelihood, share: Double,
        depth: Double? = nil, base: Double = 0
    ) {
        var all = Fingerprints(gateways: gateways)
        var places: [Range<Int>] = []
        for room in fingerprints {
            let first = all.count
            all.append(contentsOf: room)
            places.append(first..<all.count)
        }
        evidence = Evidence(all, offset: tuning.offset, base: base)
        self.places = places
        self.known = known
        observationRate = tuning.observationRate * share
        self.depth = depth
    }

    /// Adds the log-likelihood of each room, per second, to `result`.
    ///
    /// A room without fingerprints and without a scanning gateway gets the mean likelihood of the other rooms, plus `faintness` in nats. So
    /// an item is never located there only because no gateway could have received the item.
    func add(_ observation: Observation, faintness: Double, into result: UnsafeMutableBufferPointer<Double>) {
        guard let depth, let strongest = observation.received.lazy.map(\.rssi).max() else {
            return add(observation, faintness: faintness, into: result) { _, range in likelihood(range, observation) }
        }
        withUnsafeTemporaryAllocation(of: Bool.self, capacity: evidence.gateways) { isSilent in
            isSilent.initialize(repeating: false)
            for gateway in observation.silent { isSilent[Int(gateway)] = true }
            let moment = Evidence.ClippedObservation(
                received: observation.received, floor: strongest - depth, silent: observation.silent.count,
                isSilent: isSilent)
            // In a large site most rooms have no gateway that receives the item. Their likelihood depends on the number of gateways only.
            withUnsafeTemporaryAllocation(of: Double.self, capacity: Self.mostAlike) { alike in
                alike.initialize(repeating: .nan)
                add(observation, faintness: faintness, into: result) { room, range in
                    guard let silent = evidence.silentOutstanding(range.upperBound - 1, moment), silent < alike.count,
                        range.count == max(1, 2 * silent)
                    else { return likelihood(range, moment) }
                    if alike[silent].isNaN { alike[silent] = likelihood(range, moment) }
                    return alike[silent]
                }
            }
        }
    }

    /// For rooms with fewer gateways than this, the likelihood without reception is computed once.
    private static let mostAlike = 8

    @inline(__always)
    private func add(
        _ observation: Observation, faintness: Double, into result: UnsafeMutableBufferPointer<Double>,
        _ likelihood: (Int, Range<Int>) -> Double
    ) {
        withUnsafeTemporaryAllocation(of: Double.self, capacity: places.count) { logLikelihoods in
            var mean = LogarithmicMean()
            for (room, range) in places.enumerated() {
                let isMute = !known[room] && !observation.isScanned(room)
                logLikelihoods[room] = isMute ? .nan : likelihood(room, range)
                if !isMute { mean.add(logLikelihoods[room]) }
            }
            for room in places.indices {
                result[room] +=
                    observationRate
                    * (logLikelihoods[room].isNaN ? (mean.value ?? 0) + faintness : logLikelihoods[room])
            }
        }
    }

    /// The logarithm of the mean likelihood of some fingerprints.
    private func likelihood(_ range: Range<Int>, _ observation: Observation) -> Double {
        var mean = LogarithmicMean()
        for place in range { mean.add(evidence.weigh(place, observation)) }
        return mean.value ?? 0
    }

    private func likelihood(_ range: Range<Int>, _ moment: Evidence.ClippedObservation) -> Double {
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

    /// `nil` if no number was added.
    var value: Double? { count > 0 ? most + log(sum / count) : nil }
}
