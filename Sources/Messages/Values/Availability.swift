/// Whether a gateway or the aggregator is connected, as published by it or by its will. This is the only payload that
/// is not JSON.
///
/// A retained availability can be outdated. Only the arrival of `info` proves that a service is alive.
public enum Availability: String, Sendable, CaseIterable {
    /// Connected.
    case online
    /// Stopped, or disconnected.
    case offline

    /// The bytes of the payload.
    public var bytes: [UInt8] { Array(rawValue.utf8) }

    /// Reads a payload; `nil` for anything but the two words.
    public init?(parsing bytes: [UInt8]) {
        guard let word = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(bytes) }) else { return nil }
        self = word
    }
}
