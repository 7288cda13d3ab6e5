import Beacons

/// What one beacon's past says about its silences, and after which of them it counts as gone.
public struct SilenceModel: Hashable, Sendable {
    /// What is required before anything was learned.
    public static let initialSilence = Interval.seconds(120)

    /// Knows nothing yet; aims at this rate of false exits per beacon and day.
    public init(falseExitsPerDay: Double) {}

    /// Learns that two sightings followed each other after `gap`, while the radio listened all the time.
    public mutating func learn(_ gap: Interval) {}

    /// The silence after which presence is implausible.
    public var requiredSilence: Interval { Self.initialSilence }

    /// What was learned, as numbers for a snapshot.
    public var memory: [Double] { [] }

    /// Takes up what was learned before; numbers that make no sense are left out.
    public mutating func recall(_ memory: [Double]) {}
}
