/// The receiver offset of each gateway, estimated from the gateways' sightings of each other's beacons.
///
/// Both directions between two gateways have the same distance and the same walls. So if both beacons have their measured power, the
/// asymmetry between the two directions is the difference of the two receiver offsets.
package struct MutualReception: Sendable {
    /// dB: no antenna explains a larger asymmetry. One of the two beacons does not send with its measured power.
    private static let most = 20.0
    /// Sightings that each direction of a pair needs, and the largest weight of its mean.
    private static let (fewest, memory) = (300.0, 30_000.0)
    /// Iterations of the least squares solution.
    private static let rounds = 100

    private struct Direction: Hashable {
        var from: String
        var to: String
    }

    /// By direction, the mean RSSI minus the sender's measured power, in dB.
    private var received: [Direction: (mean: Double, weight: Double)] = [:]

    package init() {}

    /// Adds sightings of the beacon of `sender`, received by `receiver`.
    ///
    /// - Parameters:
    ///   - rssi: The mean of the sightings in dBm.
    ///   - measuredPower: dBm at 1 m, as the beacon claims.
    package mutating func add(
        _ sender: String, by receiver: String, rssi: Double, of sightings: Int, measuredPower: Double
    ) {
        guard sender != receiver, sightings > 0, rssi.isFinite, measuredPower.isFinite else { return }
        var direction = received[Direction(from: sender, to: receiver)] ?? (0, 0)
        direction.weight = min(direction.weight + Double(sightings), Self.memory)
        direction.mean += min(1, Double(sightings) / direction.weight) * (rssi - measuredPower - direction.mean)
        received[Direction(from: sender, to: receiver)] = direction
    }

    /// Drops all sightings of and by a gateway that was removed or moved.
    package mutating func forget(_ gateway: String) {
        received = received.filter { $0.key.from != gateway && $0.key.to != gateway }
    }

    /// dB to add to the RSSI values of each gateway so that all gateways receive alike. Only gateways with mutual sightings have an offset.
    ///
    /// The mean is 0 over gateways that receive each other, unless one of them has a set offset: the others follow that one.
    ///
    /// - Parameter set: the offsets that are set, in dB. Their gateways get no other.
    package func offsets(besides set: [String: Double] = [:]) -> [String: Double] {
        var differences: [String: [(other: String, better: Double)]] = [:]
        for (direction, there) in received where there.weight >= Self.fewest {
            guard let back = received[Direction(from: direction.to, to: direction.from)], back.weight >= Self.fewest
            else { continue }
            let better = there.mean - back.mean
            if abs(better) <= Self.most { differences[direction.to, default: []].append((direction.from, better)) }
        }
        // Each offset is the mean of what its pairs imply: least squares by the Gauss-Seidel method.
        let gateways = differences.keys.sorted()
        var offsets = Dictionary(uniqueKeysWithValues: gateways.map { ($0, set[$0] ?? 0) })
        for _ in 0..<Self.rounds {
            for gateway in gateways where set[gateway] == nil {
                let pairs = differences[gateway]!
                offsets[gateway] = pairs.reduce(0) { $0 + offsets[$1.other]! - $1.better } / Double(pairs.count)
            }
        }
        var left = Set(gateways)
        for gateway in gateways where left.remove(gateway) != nil {
            var group = [gateway]
            var next = 0
            while next < group.count {
                for (other, _) in differences[group[next]]! where left.remove(other) != nil { group.append(other) }
                next += 1
            }
            guard !group.contains(where: { set[$0] != nil }) else { continue }
            let mean = group.reduce(0) { $0 + offsets[$1]! } / Double(group.count)
            for member in group { offsets[member]! -= mean }
        }
        return offsets.filter { set[$0.key] == nil }
    }
}
