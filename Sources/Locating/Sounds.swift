/// A few typical sounds of a room, found in what was heard there: weighted k-means, deterministic.
enum Sounds {
    /// Typical sounds of a room at most: more fit the walk that was heard rather than the room.
    private static let most = 4
    /// Seconds of hearing per typical sound at least.
    private static let each = 10.0
    private static let rounds = 12

    /// One typical sound: its levels, and the weight that it stands for.
    struct Sound {
        var levels: [Double]
        var weight: Double
        /// Of that weight, how much was labelled.
        var labelled: Double
        /// dB²: the mean over all gateways of how far off its samples were, squared, times `weight`.
        var squares = 0.0
    }

    /// The typical sounds of `samples`, each with a weight in seconds; those of no weight don't count.
    static func find(_ samples: [[Double]], weights: [Double], labelled: [Bool]) -> [Sound] {
        let heard = samples.indices.filter { weights[$0] > 1e-4 }
        let total = heard.reduce(0) { $0 + weights[$1] }
        guard let width = samples.first?.count, total > 0 else { return [] }
        let count = max(1, min(most, Int((total / each).rounded())))
        var centres = seeds(heard, weights: weights, total: total, count: count).map { samples[$0] }
        var sums: [Sound] = []
        for _ in 0..<rounds {
            sums = Array(
                repeating: Sound(levels: Array(repeating: 0, count: width), weight: 0, labelled: 0), count: count)
            for index in heard {
                let nearest = nearest(samples[index], centres).index
                for column in 0..<width { sums[nearest].levels[column] += weights[index] * samples[index][column] }
                sums[nearest].weight += weights[index]
                if labelled[index] { sums[nearest].labelled += weights[index] }
            }
            for centre in 0..<count where sums[centre].weight > 0 {
                for column in 0..<width { centres[centre][column] = sums[centre].levels[column] / sums[centre].weight }
            }
        }
        for centre in 0..<count { sums[centre].levels = centres[centre] }
        for index in heard {
            let (nearest, distance) = nearest(samples[index], centres)
            sums[nearest].squares += weights[index] * distance / Double(width)
        }
        return sums.filter { $0.weight > 0 }
    }

    /// Samples spread evenly over the time that was spent there.
    private static func seeds(_ heard: [Int], weights: [Double], total: Double, count: Int) -> [Int] {
        var seeds: [Int] = []
        var passed = 0.0
        for index in heard {
            passed += weights[index]
            while seeds.count < count, passed >= (Double(seeds.count) + 0.5) * total / Double(count) {
                seeds.append(index)
            }
        }
        while seeds.count < count, let last = heard.last { seeds.append(last) }
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
