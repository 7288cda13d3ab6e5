import Beacons

/// How one item sounded over time, kept to learn from: the levels of all gateways, about three times a second at most.
///
/// Bounded: beyond `limit` samples the older half loses every second one, so that it reaches far back, ever more coarsely.
public struct LevelHistory: Hashable, Sendable {
    /// The levels of one moment.
    struct Sample: Hashable, Sendable {
        /// When it was taken.
        var at: Instant
        /// dBm by gateway, in the order of `gateways`; NaN for those that did not hear the item.
        var levels: [Float]
    }

    /// The gateways' ids, in the order of each sample's levels.
    public let gateways: [String]
    /// Samples kept at most: an hour and a half in full, and days more coarsely.
    public static let limit = 18_000
    /// Seconds between two samples at least.
    static let step = 0.3

    var samples: [Sample] = []

    /// An empty history of levels heard by these gateways.
    public init(gateways: [String]) {
        self.gateways = gateways
    }

    /// Takes the levels that a locator of these gateways has at a moment, unless the last sample is too fresh.
    public mutating func append(_ locator: Locator, at now: Instant) {
        guard locator.model.gateways == gateways else { return }
        if let last = samples.last, (now - last.at).seconds < Self.step - 1e-6 { return }
        let levels = locator.levels(at: now)
        guard levels.contains(where: { !$0.isNaN }) else { return }
        if samples.count >= Self.limit { thin() }
        samples.append(Sample(at: now, levels: levels))
    }

    private mutating func thin() {
        let older = samples.prefix(Self.limit / 2).enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        samples.replaceSubrange(0..<Self.limit / 2, with: older)
    }
}
