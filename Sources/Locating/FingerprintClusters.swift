/// Finds a few typical fingerprints of a room in the RSSI values received there. The method is weighted k-means, and deterministic.
enum FingerprintClusters {
    /// Fingerprints per room at most. More of them would describe one walk instead of the room.
    private static let most = 4
    /// Seconds of samples per fingerprint at least.
    private static let each = 10.0
    private static let rounds = 12

    /// One typical fingerprint: its RSSI values, and the weight of its samples.
    struct Cluster {
        var rssiValues: [Double]
        var weight: Double
        /// The part of `weight` that was labelled.
        var labelled: Double
        /// dB²: the squared distance of the samples from the fingerprint, as the mean over all gateways, times `weight`.
        var squares = 0.0
    }

    /// Returns the typical fingerprints of `samples`. Each sample has a weight in seconds; samples without weight are ignored.
    static func find(_ samples: [[Double]], weights: [Double], labelled: [Bool]) -> [Cluster] {
        let received = samples.indices.filter { weights[$0] > 1e-4 }
        let total = received.reduce(0) { $0 + weights[$1] }
        guard let width = samples.first?.count, total > 0 else { return [] }
        let count = max(1, min(most, Int((total / each).rounded())))
        var centres = seeds(received, weights: weights, total: total, count: count).map { samples[$0] }
        var sums: [Cluster] = []
        for _ in 0..<rounds {
            sums = Array(
                repeating: Cluster(rssiValues: Array(repeating: 0, count: width), weight: 0, labelled: 0), count: count)
            for index in received {
                let nearest = nearest(samples[index], centres).index
                for column in 0..<width { sums[nearest].rssiValues[column] += weights[index] * samples[index][column] }
                sums[nearest].weight += weights[index]
                if labelled[index] { sums[nearest].labelled += weights[index] }
            }
            for centre in 0..<count where sums[centre].weight > 0 {
                centres[centre] = sums[centre].rssiValues.map { $0 / sums[centre].weight }
            }
        }
        for centre in 0..<count { sums[centre].rssiValues = centres[centre] }
        for index in received {
            let (nearest, distance) = nearest(samples[index], centres)
            sums[nearest].squares += weights[index] * distance / Double(width)
        }
        return sums.filter { $0.weight > 0 }
    }

    /// Samples that are spread evenly over the time in the room.
    private static func seeds(_ received: [Int], weights: [Double], total: Double, count: Int) -> [Int] {
        var seeds: [Int] = []
        var passed = 0.0
        for index in received {
            passed += weights[index]
            while seeds.count < count, passed >= (Double(seeds.count) + 0.5) * total / Double(count) {
                seeds.append(index)
            }
        }
        while seeds.count < count, let last = received.last { seeds.append(last) }
        return seeds
    }

    private static func nearest(_ sample: [Double], _ centres: [[Double]]) -> (index: Int, distance: Double) {
        var best = (index: 0, distance: Double.infinity)
        for (index, centre) in centres.enumerated() {
            var distance = 0.0
            for column in sample.indices {
                let difference = sample[column] - centre[column]
                distance += difference * difference
            }
            if distance < best.distance { best = (index, distance) }
        }
        return best
    }
}
