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

    /// dBm of all gateways at a place but those that stand out there.
    private let base: Double
    /// The gateways whose level is not `base`, place by place: those of place p from `firstOutstanding[p]` on.
    private let outstanding: [Int]
    private let firstOutstanding: [Int]

    /// How many places are weighed.
    let places: Int

    /// - Parameter base: dBm that most gateways are expected to receive from most places.
    init(_ signatures: Signatures, offset: Double, base: Double = 0) {
        var (outstanding, firstOutstanding) = ([Int](), [0])
        for place in 0..<signatures.count {
            let row = place * signatures.gateways
            outstanding += (0..<signatures.gateways).filter { signatures.mean[row + $0] != base }
            firstOutstanding.append(outstanding.count)
        }
        (self.base, self.outstanding, self.firstOutstanding) = (base, outstanding, firstOutstanding)
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

    /// A look at an item in which RSSI values below a floor count as the floor, also for gateways that do not receive the item.
    struct Shallow {
        var heard: [(gateway: Int, level: Double)]
        /// dBm.
        var floor: Double
        /// The number of gateways that do not receive the item, and by gateway whether it is one of them.
        var silent: Int
        var isSilent: UnsafeMutableBufferPointer<Bool>
    }

    /// The number of gateways that stand out at a place, if none of them receives the item; `nil` if one does, or does not scan.
    func silentOutstanding(_ place: Int, _ moment: Shallow) -> Int? {
        let range = firstOutstanding[place]..<firstOutstanding[place + 1]
        for index in range where !moment.isSilent[outstanding[index]] { return nil }
        return range.count
    }

    /// The log-likelihood of one place. It costs the number of gateways that receive the item or stand out at the place, and not the number of
    /// all: those that are silent and do not stand out are all alike.
    @inline(__always)
    func weigh(_ place: Int, _ moment: Shallow) -> Double {
        let row = place * gateways
        let inverse = inverse[place]
        let quiet = moment.floor - base
        let range = firstOutstanding[place]..<firstOutstanding[place + 1]
        var alike = Double(moment.silent)
        var sum = 0.0
        for (gateway, level) in moment.heard { sum += max(level, moment.floor) - mean[row + gateway] }
        for index in range where moment.isSilent[outstanding[index]] {
            sum += moment.floor - mean[row + outstanding[index]]
            alike -= 1
        }
        sum += alike * quiet
        let count = Double(moment.heard.count + moment.silent)
        let common = sum * inverse * offset / (1 + offset * count)
        func square(_ difference: Double) -> Double {
            let clipped = max(-Tuning.clip, min(Tuning.clip, difference * inverse - common))
            return clipped * clipped
        }
        var squares = common * common / offset + alike * square(quiet)
        for (gateway, level) in moment.heard { squares += square(max(level, moment.floor) - mean[row + gateway]) }
        for index in range where moment.isSilent[outstanding[index]] {
            squares += square(moment.floor - mean[row + outstanding[index]])
        }
        return -0.5 * squares - count * logSpread[place]
    }
}
