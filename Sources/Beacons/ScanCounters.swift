/// What became of the advertisements that one stage has brought to their end: a sighting, or a refusal by name.
///
/// Each advertisement is counted exactly once, by the stage that ended its way: a decoder counts the reports that it could not read, a
/// `SightingReader` all that it was handed. The sum of both is the whole, and `adverts == sightings + Σ refused` holds for each and for the sum.
public struct ScanCounters: Sendable {
    @usableFromInline var seen: UInt64 = 0
    @usableFromInline var refusals = InlineArray<6, UInt64>(repeating: 0)

    /// Nothing counted yet.
    @inlinable
    public init() {}

    /// How many became a sighting.
    @inlinable
    public var sightings: UInt64 { seen }

    /// How many were refused for this reason.
    @inlinable
    public subscript(refused refusal: Refusal) -> UInt64 { refusals[refusal.position] }

    /// How many were refused for any reason.
    public var refused: UInt64 { Refusal.allCases.reduce(0) { $0 + self[refused: $1] } }

    /// How many there were.
    public var adverts: UInt64 { sightings + refused }

    /// One more that became a sighting.
    @inlinable
    public mutating func countSighting() { seen += 1 }

    /// One more that was refused.
    @inlinable
    public mutating func count(_ refusal: Refusal) { refusals[refusal.position] += 1 }

    /// What two stages counted, together.
    public static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.seen += right.seen
        for refusal in Refusal.allCases { sum.refusals[refusal.position] += right[refused: refusal] }
        return sum
    }
}

extension ScanCounters: Equatable {
    /// Whether every count is the same.
    public static func == (left: Self, right: Self) -> Bool {
        left.sightings == right.sightings && Refusal.allCases.allSatisfy { left[refused: $0] == right[refused: $0] }
    }
}

extension Refusal {
    /// Its place among the counts: spelled out, so that no table is searched for each advertisement.
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
