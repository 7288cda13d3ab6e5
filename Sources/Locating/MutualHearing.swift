/// How gateways hear each other's beacons, and what follows for each: how much better or worse than the others it hears.
///
/// The way from one to the other is as long, and has the same walls, as the way back. So where both are what they claim to be at 1 m, what the one
/// hears differently from the other is the difference of their ears.
public struct MutualHearing: Sendable {
    /// dB: more than an antenna explains. Then one of the two does not send what it claims.
    private static let most = 20.0
    /// Sightings in each direction before a pair counts, and as many as its mean remembers at most.
    private static let (fewest, memory) = (300.0, 30_000.0)
    /// Rounds in which the gateways' differences are made to agree.
    private static let rounds = 100

    private struct Way: Hashable {
        var from: String
        var to: String
    }

    /// By way, the mean in dB above what the sender claims at 1 m.
    private var heard: [Way: (mean: Double, weight: Double)] = [:]

    /// Nobody has heard anybody.
    public init() {}

    /// Takes what `listener` heard of `sender`'s beacon: the mean of some sightings in dBm, and what the beacon claims to give at 1 m.
    public mutating func hear(
        _ sender: String, by listener: String, rssi: Double, of sightings: Int, measuredPower: Double
    ) {
        guard sender != listener, sightings > 0, rssi.isFinite, measuredPower.isFinite else { return }
        var way = heard[Way(from: sender, to: listener)] ?? (0, 0)
        way.weight = min(way.weight + Double(sightings), Self.memory)
        way.mean += min(1, Double(sightings) / way.weight) * (rssi - measuredPower - way.mean)
        heard[Way(from: sender, to: listener)] = way
    }

    /// Forgets a gateway: it is gone, or hangs elsewhere.
    public mutating func forget(_ gateway: String) {
        heard = heard.filter { $0.key.from != gateway && $0.key.to != gateway }
    }

    /// dB to add to what each gateway hears, so that all hear alike; nothing of those that hear nobody who hears them.
    public var offsets: [String: Double] {
        var differences: [String: [(other: String, better: Double)]] = [:]
        for (way, there) in heard where there.weight >= Self.fewest {
            guard let back = heard[Way(from: way.to, to: way.from)], back.weight >= Self.fewest else { continue }
            let better = there.mean - back.mean
            if abs(better) <= Self.most { differences[way.to, default: []].append((way.from, better)) }
        }
        // Each as much better than its neighbours as they hear it to be, on average: least squares, one after the other (Gauss and Seidel).
        let gateways = differences.keys.sorted()
        var estimates = Dictionary(uniqueKeysWithValues: gateways.map { ($0, 0.0) })
        for _ in 0..<Self.rounds {
            for gateway in gateways {
                let pairs = differences[gateway]!
                estimates[gateway] = pairs.reduce(0) { $0 + estimates[$1.other]! + $1.better } / Double(pairs.count)
            }
        }
        let mean = estimates.values.reduce(0, +) / Double(max(1, estimates.count))
        return estimates.mapValues { mean - $0 }
    }
}
