import Glibc

/// Counts how many advertisements were missed between two sightings: one class per number below 16, then four per octave, up to 4096.
struct MissHistogram: Sendable {
    private static let classes = 48
    private static let exact = 16
    /// Losses have one length if two neighbouring classes have this many gaps, and no gap reached the octave below.
    private static let cluster = 10.0
    private static let void = 4
    /// At most so many gaps of other beacons count in the tail of one: more of its own decide against the others.
    private static let mostAdded = 20.0

    private var counts = InlineArray<48, Float>(repeating: 0)
    /// The number of counted gaps.
    private(set) var count = 0.0
    /// The sum of the misses in all gaps.
    private var sum = 0.0

    var mean: Double { count > 0 ? sum / count : 0 }

    mutating func add(_ missed: Double, weight: Double = 1) {
        counts[Self.place(of: missed)] += Float(weight)
        count += weight
        sum += missed * weight
    }

    /// Returns the share of gaps with `missed` or more misses.
    func share(reaching missed: Double) -> Double {
        guard count > 0 else { return 1 }
        let counts = counts.span
        var reaching = 0.0
        for place in Self.place(of: missed)..<Self.classes { reaching += Double(counts[place]) }
        return reaching / count
    }

    private static func place(of missed: Double) -> Int {
        guard missed >= Double(exact) - 0.5 else { return Int(missed + 0.5) }
        return min(classes - 1, max(exact, exact + Int(4 * log2(missed / Double(exact)))))
    }

    /// The lower edge of a class.
    private static func edge(_ place: Int) -> Double {
        place < exact ? Double(place) : Double(exact) * exp2(Double(place - exact) / 4)
    }

    /// The value that represents a class.
    private static func value(_ place: Int) -> Double {
        place < exact ? Double(place) : (edge(place) + edge(place + 1)) / 2
    }

    /// Converts the counts to gaps with `factor` times as many advertisements.
    mutating func rescale(by factor: Double) {
        let old = counts
        self = MissHistogram()
        for place in old.indices where old[place] > 0 {
            add(max(0, ((Self.value(place) + 1) * factor).rounded() - 1), weight: Double(old[place]))
        }
    }

    /// Returns the gaps that are not among `others`, which are some of these.
    func removing(_ others: borrowing MissHistogram) -> MissHistogram {
        var rest = self
        for place in counts.indices { rest.counts[place] = max(0, counts[place] - others.counts[place]) }
        rest.count = max(0, count - others.count)
        rest.sum = max(0, sum - others.sum)
        return rest
    }

    /// Halves all counts.
    mutating func halve() {
        for place in counts.indices { counts[place] /= 2 }
        count /= 2
        sum /= 2
    }

    /// The number of misses that a gap reaches with this probability only.
    ///
    /// From each class that five gaps reached, the tail is continued as the predictive distribution of an exponential whose rate is known
    /// from those gaps (Lomax); the longest of these is it. Of a tail much flatter than all that was seen more is doubted: it comes from
    /// something rarer.
    ///
    /// - Parameters:
    ///   - others: What the beacons of the gateway have shown of long losses; some gaps like theirs are added to those of each class.
    ///   - interval: The seconds of one advertisement, which others need.
    func misses(reachedWith probability: Double, among others: SilencePool? = nil, every interval: Double = 0) -> Double
    {
        let counts = counts.span
        var (reaching, excess, most) = (0.0, 0.0, 0.0)
        var (highest, lowest) = (-1, -1)
        for place in counts.indices.reversed() where counts[place] > 0 {
            // Losses that last as long each time are all of the tail. From below, they would look like the begin of longer ones.
            let isOneLength = highest - lowest <= 1 && lowest >= Self.exact && highest < Self.classes - 1
            if isOneLength, lowest - place > Self.void, reaching >= Self.cluster { break }
            if highest < 0 { highest = place }
            lowest = place
            let edge = Self.edge(place)
            reaching += Double(counts[place])
            excess += Double(counts[place]) * Self.value(place)
            let beyond = log(reaching / (count * probability))
            guard reaching >= 5, beyond > 0 else { continue }
            let mean = excess / reaching - edge
            let usual = max(self.mean, 0.3)
            let doubt = max(2, min(3, mean / usual / 2))
            let beside = others?.losses(beyond: (edge + 0.5) * interval) ?? (count: 0, excess: 0)
            // The gaps of this beacon are among those of all.
            let added = max(0, min(Self.mostAdded, beside.count - 1.2 * reaching))
            let shape = reaching + 3 + added
            let addedExcess = added > 0 ? added * beside.excess / interval : 0
            let weight = reaching * mean + doubt * max(mean, usual) + addedExcess
            most = max(most, edge + shape / log1p(shape / weight) * expm1(beyond / shape))
        }
        return most
    }

    /// The counts, without the zeros at the end.
    var memory: [Double] {
        let counts = counts.span
        var numbers = counts.indices.map { Double(counts[$0]) }
        while numbers.last == 0 { numbers.removeLast() }
        return numbers
    }

    /// Restores a histogram from `memory`; `nil` for values that `memory` cannot have.
    init?(memory: some Collection<Double>) {
        guard memory.count <= Self.classes, memory.allSatisfy({ (0...1e9).contains($0) }) else { return nil }
        for (place, weight) in memory.enumerated() where weight > 0 { add(Self.value(place), weight: weight) }
    }

    init() {}
}
