import Glibc

/// Counts how many advertisements were missed between two sightings: one class per number below 16, then four per octave, up to 4096.
struct MissHistogram: Sendable {
    static let classes = 48
    private static let exact = 16

    private var counts = InlineArray<48, Float>(repeating: 0)
    private(set) var count = 0.0
    /// The sum of the misses in all gaps.
    private var sum = 0.0

    var mean: Double { count > 0 ? sum / count : 0 }

    mutating func add(_ missed: Double, weight: Double = 1) {
        counts[Self.place(of: missed)] += Float(weight)
        count += weight
        sum += missed * weight
    }

    /// The number of gaps in a class.
    subscript(place: Int) -> Float { counts[place] }

    /// A number of misses that no gap had.
    var longest: Double {
        var place = Self.classes - 1
        while place > 0, counts[place] == 0 { place -= 1 }
        return Self.edge(place + 1)
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
    static func value(_ place: Int) -> Double {
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

    mutating func halve() {
        for place in counts.indices { counts[place] /= 2 }
        count /= 2
        sum /= 2
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
