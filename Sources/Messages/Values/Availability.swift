/// Whether a gateway or the aggregator is connected, as it or its will says: the one payload that is no JSON.
///
/// A will can lie: who is alive is told by `info` that arrives.
public enum Availability: String, Sendable, CaseIterable {
    /// Connected.
    case online
    /// Stopped, or lost.
    case offline

    /// The payload.
    public var bytes: [UInt8] { Array(rawValue.utf8) }

    /// Reads a payload; `nil` for anything but the two words.
    public init?(parsing bytes: [UInt8]) {
        guard let word = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(bytes) }) else { return nil }
        self = word
    }
}
