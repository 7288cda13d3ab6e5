import Glibc

/// The log-likelihood of an observation at each of some places.
///
/// For place p and gateway g: z = (RSSI - mean) / spread. A common offset c, such as the tag's power or a body in the way, is unknown with
/// variance `offset`. It is set to its posterior mode, so that mostly differences between gateways count. Each remaining z is clipped, so
/// that one gateway cannot decide alone. A gateway that scans and receives nothing counts against places from which the gateway should
/// receive the item.
struct Evidence: Sendable {
    /// dBm: the sensitivity of common adapters. Below it nothing is received.
    static let faintest = -95.0
    /// dB: the standard deviation of the RSSI that a silent gateway was expected to receive. Silence has more causes than a low RSSI.
    private static let silenceSpread = 8.0

    let gateways: Int
    /// dBm, place by place.
    private let mean: [Double]
    /// dB, one per place; its inverse, and its logarithm.
    private let spread: [Double]
    private let inverse: [Double]
    private let logSpread: [Double]
    private let offset: Double

    /// dBm at all gateways of a place, except those that stand out there.
    private let base: Double
    /// The gateways whose mean is not `base`, place by place: those of place p begin at `firstOutstanding[p]`.
    private let outstanding: [Int]
    private let firstOutstanding: [Int]

    let places: Int

    /// - Parameter base: dBm that most gateways are expected to receive from most places.
    init(_ fingerprints: Fingerprints, offset: Double, base: Double = 0) {
        var (outstanding, firstOutstanding) = ([Int](), [0])
        for place in 0..<fingerprints.count {
            let row = place * fingerprints.gateways
            outstanding += (0..<fingerprints.gateways).filter { fingerprints.mean[row + $0] != base }
            firstOutstanding.append(outstanding.count)
        }
        (self.base, self.outstanding, self.firstOutstanding) = (base, outstanding, firstOutstanding)
        gateways = fingerprints.gateways
        places = fingerprints.count
        mean = fingerprints.mean
        spread = fingerprints.spread
        inverse = fingerprints.spread.map { 1 / $0 }
        logSpread = fingerprints.spread.map { log($0) }
        self.offset = offset
    }

    /// dBm that a gateway is expected to receive from a place.
    func rssi(_ place: Int, _ gateway: Int) -> Double { mean[place * gateways + gateway] }

    /// dB: the posterior mode of the common offset of an observation, if the item is at a place.
    func common(_ place: Int, _ observation: Observation) -> Double {
        var sum = 0.0
        for (gateway, rssi) in observation.received { sum += rssi - mean[place * gateways + gateway] }
        return sum * offset / (1 + offset * Double(observation.received.count))
    }

    /// The mean of the received RSSI values less those expected at a place, in dB. At least one gateway receives the item.
    func excess(_ place: Int, _ observation: Observation) -> Double {
        var sum = 0.0
        for (gateway, rssi) in observation.received { sum += rssi - mean[place * gateways + gateway] }
        return sum / Double(observation.received.count)
    }

    /// The log-likelihood of one place.
    ///
    /// - Parameter expected: The mean of the common offset in dB, and its variance in dB²; `nil`: 0 and `offset`.
    @inline(__always)
    func weigh(
        _ place: Int, _ observation: Observation, expected: (offset: Double, variance: Double)? = nil
    ) -> Double {
        let row = place * gateways
        let inverse = inverse[place]
        return mean.withUnsafeBufferPointer { mean in
            var sum = 0.0
            for (gateway, rssi) in observation.received { sum += rssi - mean[row + gateway] }
            let count = Double(observation.received.count)
            let offset = expected.map { $0.variance * inverse * inverse } ?? offset
            let shift = (expected?.offset ?? 0) * inverse
            let deviation = (sum * inverse - count * shift) * offset / (1 + offset * count)
            let common = shift + deviation
            var squares = deviation * deviation / offset
            for (gateway, rssi) in observation.received {
                let z = (rssi - mean[row + gateway]) * inverse - common
                let clipped = max(-Tuning.clip, min(Tuning.clip, z))
                squares += clipped * clipped
            }
            if !observation.silent.isEmpty {
                let shift = observation.received.isEmpty ? 0 : common * spread[place]
                for gateway in observation.silent {
                    let z = (mean[row + Int(gateway)] + shift - Self.faintest) / Self.silenceSpread
                    let clipped = max(0, min(Tuning.clip, z))
                    squares += clipped * clipped
                }
            }
            return -0.5 * squares - count * logSpread[place]
        }
    }

    /// An observation in which RSSI values below a floor count as the floor. The floor also stands for gateways that do not receive the
    /// item.
    struct ClippedObservation {
        var received: [(gateway: Int, rssi: Double)]
        /// dBm.
        var floor: Double
        /// The number of gateways that do not receive the item, and by gateway whether it is one of them.
        var silent: Int
        var isSilent: UnsafeMutableBufferPointer<Bool>
    }

    /// The number of gateways that stand out at a place, if none of them receives the item; `nil` if one does, or does not scan.
    func silentOutstanding(_ place: Int, _ moment: ClippedObservation) -> Int? {
        let range = firstOutstanding[place]..<firstOutstanding[place + 1]
        for index in range where !moment.isSilent[outstanding[index]] { return nil }
        return range.count
    }

    /// The log-likelihood of one place. The cost grows with the gateways that receive the item or stand out at the place, not with all
    /// gateways: silent gateways that do not stand out are all alike.
    @inline(__always)
    func weigh(_ place: Int, _ moment: ClippedObservation) -> Double {
        let row = place * gateways
        let inverse = inverse[place]
        let quiet = moment.floor - base
        let range = firstOutstanding[place]..<firstOutstanding[place + 1]
        var alike = Double(moment.silent)
        var sum = 0.0
        for (gateway, rssi) in moment.received { sum += max(rssi, moment.floor) - mean[row + gateway] }
        for index in range where moment.isSilent[outstanding[index]] {
            sum += moment.floor - mean[row + outstanding[index]]
            alike -= 1
        }
        sum += alike * quiet
        let count = Double(moment.received.count + moment.silent)
        let common = sum * inverse * offset / (1 + offset * count)
        func square(_ difference: Double) -> Double {
            let clipped = max(-Tuning.clip, min(Tuning.clip, difference * inverse - common))
            return clipped * clipped
        }
        var squares = common * common / offset + alike * square(quiet)
        for (gateway, rssi) in moment.received { squares += square(max(rssi, moment.floor) - mean[row + gateway]) }
        for index in range where moment.isSilent[outstanding[index]] {
            squares += square(moment.floor - mean[row + outstanding[index]])
        }
        return -0.5 * squares - count * logSpread[place]
    }
}
