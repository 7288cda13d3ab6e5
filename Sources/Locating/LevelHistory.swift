import Beacons

/// How one item sounded over time, kept to learn from: the levels of all gateways, about three times a second at most.
///
/// Bounded: beyond `limit` samples the older half loses every second run of samples, so that it reaches far back, with ever
/// longer gaps.
public struct LevelHistory: Hashable, Sendable {
    /// The levels of one moment.
    struct Sample: Hashable, Sendable {
        /// When it was taken.
        var at: Instant
        /// dBm by gateway, in the order of `gateways`; NaN for those that did not hear the item, infinite for those that did not listen.
        var levels: [Float]
    }

    /// The gateways' ids, in the order of each sample's levels.
    public private(set) var gateways: [String]
    /// Samples kept at most: an hour and a half in full, and days with gaps.
    public static let limit = 18_000
    /// Seconds between two samples at least.
    static let step = 0.3
    /// Samples that are dropped together: what is learned from is how one sound follows another.
    private static let run = 50

    var samples: [Sample] = []

    /// An empty history of levels heard by these gateways.
    public init(gateways: [String]) {
        self.gateways = gateways
    }

    /// How many samples there are.
    public var count: Int { samples.count }

    /// How much listening it holds; of a gap one second counts.
    public var seconds: Double {
        zip(samples, samples.dropFirst()).reduce(0) { $0 + min(1, ($1.1.at - $1.0.at).seconds) }
    }

    /// How many gateways heard the item at all.
    public var heardBy: Int {
        gateways.indices.count { gateway in samples.contains { $0.levels[gateway].isFinite } }
    }

    /// Takes the levels that a locator of these gateways has at a moment, unless the last sample is too fresh.
    public mutating func append(_ locator: Locator, at now: Instant) {
        guard locator.model.gateways == gateways else { return }
        if let last = samples.last, (now - last.at).seconds < Self.step - 1e-6 { return }
        let levels = locator.levels(at: now)
        guard levels.contains(where: \.isFinite) else { return }
        append(Sample(at: now, levels: levels))
    }

    mutating func append(_ sample: Sample) {
        if samples.count >= Self.limit { thin() }
        samples.append(sample)
    }

    /// Drops every second run of samples of the older half; where there are too few for that, the older half.
    mutating func thin() {
        guard samples.count >= 4 * Self.run else { return samples.removeFirst((samples.count + 1) / 2) }
        let older = samples.count / 2
        samples = samples.enumerated().filter { $0.offset >= older || $0.offset / Self.run % 2 == 0 }.map(\.element)
    }

    /// Goes on with other gateways: of those that are new nothing is known before, and those that are gone are dropped.
    public mutating func follow(_ newer: [String]) {
        guard newer != gateways else { return }
        let columns = newer.map { gateways.firstIndex(of: $0) }
        for index in samples.indices {
            let levels = samples[index].levels
            samples[index].levels = columns.map { column in column.map { levels[$0] } ?? .infinity }
        }
        gateways = newer
    }

    /// Takes out what a gateway said, as if it had not listened: it hangs elsewhere now.
    public mutating func forget(gateway id: String) {
        guard let column = gateways.firstIndex(of: id) else { return }
        for index in samples.indices { samples[index].levels[column] = .infinity }
    }

    /// The same, moved so that it ends at a moment: what was kept over a restart is of another clock.
    mutating func move(endingAt end: Instant) {
        guard let last = samples.last else { return }
        let shift = end - last.at
        for index in samples.indices { samples[index].at = samples[index].at + shift }
    }
}
