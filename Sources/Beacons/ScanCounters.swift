/// The counts of one stage that finishes advertisements: sightings, and refusals by name.
///
/// Each advertisement is counted exactly once, by the stage that finishes it. A decoder counts the reports that it
/// cannot read; a `SightingReader` counts every advertisement that it receives. `adverts == sightings + Σ refused`
/// holds for each stage and for the sum of the stages.
public struct ScanCounters: Sendable, Equatable {
    @usableFromInline var seen: UInt64 = 0
    @usableFromInline var refusals = InlineArray<6, UInt64>(repeating: 0)

    /// Creates counters of zero.
    @inlinable
    public init() {}

    /// The number of advertisements that became a sighting.
    @inlinable
    public var sightings: UInt64 { seen }

    /// The number of advertisements refused for this reason.
    @inlinable
    public subscript(refused refusal: AdvertisementRefusal) -> UInt64 { refusals[refusal.position] }

    /// The number of advertisements refused for any reason.
    public var refused: UInt64 { AdvertisementRefusal.allCases.reduce(0) { $0 + self[refused: $1] } }

    /// The number of all advertisements.
    public var adverts: UInt64 { sightings + refused }

    /// Counts one sighting.
    @inlinable
    public mutating func countSighting() { seen += 1 }

    /// Counts one refusal.
    @inlinable
    public mutating func count(_ refusal: AdvertisementRefusal) { refusals[refusal.position] += 1 }

    /// The sum of the counts of two stages.
    public static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.seen += right.seen
        for refusal in AdvertisementRefusal.allCases { sum.refusals[refusal.position] += right[refused: refusal] }
        return sum
    }

    /// Whether all counts are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.sightings == right.sightings
            && AdvertisementRefusal.allCases.allSatisfy { left[refused: $0] == right[refused: $0] }
    }
}

extension AdvertisementRefusal {
    /// The index of the refusal in the counts. The switch avoids a search through `allCases` for each advertisement.
    @usableFromInline var position: Int {
        switch self {
        case .notABeacon: 0
        case .truncated: 1
        case .wrongLength: 2
        case .unsupportedFrame: 3
        case .reservedValue: 4
        case .incomplete: 5
        }
    }
}
