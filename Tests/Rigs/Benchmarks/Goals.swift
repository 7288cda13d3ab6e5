import Beacons

/// The goals: each that is missed is named, and makes the exit status 1.
///
/// Neither a fast or slow machine nor other work on it changes the verdict: counts, bytes and ratios to a peer are compared as they are, and
/// a processor time is scaled first by what a scan in C does at the same time.
struct Goals {
    /// Advertisements that the scan in C finds in a second of the processor on the machine that the goals of times are stated for.
    static let scanned = 150e6
    /// A scaled time or a ratio of two times may exceed its goal by so much, because caches and memory do not scale like the scan.
    static let tolerance = 0.25

    private(set) var missed: [String] = []
    private let scan: Benchmark

    /// Goals of times, relative to the scan in C of `corpus`.
    init(_ corpus: Corpus) { scan = Peers.scan(corpus) }

    /// The goal of a processor time as it is printed beside the figure, with the scaled time.
    mutating func time(_ limit: Double, _ unit: String, _ value: Double, of name: String) -> String {
        // The median, because other work on the machine slowed down the figure as well.
        let scaled = value * scan.run(for: .milliseconds(100)).median / Self.scanned
        let goal = note(
            scaled <= limit * (1 + Self.tolerance), "at most \(written(limit)) \(unit)", "\(name), scaled", scaled)
        return "\(goal), scaled \(written(scaled))"
    }

    /// The goal of a cost beside the cost of a peer in the same run.
    mutating func times(_ limit: Double, _ value: Double, of peer: Double, name: String) -> String {
        let ratio = value / peer
        let goal = note(ratio <= limit * (1 + Self.tolerance), "at most \(written(limit)) times", name, ratio)
        return "\(written(ratio)) times, \(goal)"
    }

    /// The goal as it is printed beside a figure, with a word if the figure misses it.
    mutating func most(_ limit: Double, _ value: Double, of name: String, unit: String = "") -> String {
        note(value <= limit, "at most \(written(limit))\(unit)", name, value)
    }

    /// The same of a figure that shall be at least so large.
    mutating func least(_ limit: Double, _ value: Double, of name: String, unit: String = "") -> String {
        note(value >= limit, "at least \(written(limit))\(unit)", name, value)
    }

    private mutating func note(_ isReached: Bool, _ goal: String, _ name: String, _ value: Double) -> String {
        if !isReached { missed.append("\(name): \(written(value)), goal \(goal)") }
        return isReached ? goal : "\(goal): MISSED"
    }

    private func written(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        if hundredths % 100 == 0 { return String(hundredths / 100) }
        return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
    }
}
