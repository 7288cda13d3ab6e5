import Beacons
import Glibc

/// How often how many advertisements were missed in a row: exact below 16, then four classes to the octave, up to 4096.
struct MissHistogram: Hashable, Sendable {
    static let classes = 48
    private static let exact = 16

    private var counts = [Float](repeating: 0, count: classes)
    /// How many gaps were counted.
    private(set) var count = 0.0
    /// The sum of what was missed in them.
    private var sum = 0.0

    var mean: Double { count > 0 ? sum / count : 0 }

    mutating func add(_ missed: Double, weight: Double = 1) {
        counts[Self.place(of: missed)] += Float(weight)
        count += weight
        sum += missed * weight
    }

    private static func place(of missed: Double) -> Int {
        if missed < Double(exact) { return Int(missed) }
        return min(classes - 1, exact + Int(4 * log2(missed / Double(exact))))
    }

    /// Where a class begins.
    private static func edge(_ place: Int) -> Double {
        place < exact ? Double(place) : Double(exact) * exp2(Double(place - exact) / 4)
    }

    /// What stands for a class.
    private static func value(_ place: Int) -> Double {
        place < exact ? Double(place) : (edge(place) + edge(place + 1)) / 2
    }

    /// Counts the same gaps with an interval that is so many times shorter.
    mutating func rescale(by factor: Double) {
        let old = counts
        self = MissHistogram()
        for place in old.indices where old[place] > 0 {
            let missed = max(0, ((Self.value(place) + 1) * factor).rounded() - 1)
            add(missed, weight: Double(old[place]))
        }
    }

    /// The number of misses that a gap exceeds with this probability only, as each class' tail would have it: the largest of them.
    func misses(exceededWith probability: Double, limit: Double) -> Double {
        var (exceeding, excess, most) = (0.0, 0.0, 0.0)
        for place in counts.indices.reversed() {
            let edge = Self.edge(place)
            let here = Double(counts[place])
            exceeding += here
            excess += here * Self.value(place)
            guard here > 0, exceeding >= 5 else { continue }
            let mean = Self.untruncated(excess / exceeding - edge, limit: limit - edge)
            let shape = exceeding + 2
            let weight = exceeding * mean + 2 * max(mean, self.mean, 0.3)
            let decay = log1p(shape / weight)
            let beyond = log(exceeding / (count * probability))
            guard beyond > 0 else { continue }
            most = max(most, edge + shape / decay * expm1(beyond / shape))
        }
        return most
    }

    /// The mean of an exponential of which only what is below `limit` was seen; at most twice what was seen.
    private static func untruncated(_ seen: Double, limit: Double) -> Double {
        guard seen > 0, limit > seen else { return seen }
        var mean = seen
        for _ in 0..<8 {
            mean = min(2 * seen, seen + limit / expm1(limit / mean))
        }
        return mean
    }
}
