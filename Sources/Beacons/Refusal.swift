/// Why an advertisement became no sighting; the raw values are those of `telemetry`, and stay.
public enum Refusal: String, CaseIterable, Error, Sendable {
    /// It carries no frame of any kind of beacon known here: nearly everything that is sent.
    case notABeacon = "not_a_beacon"
    /// It ends before it should: the event before its report does, or the data before an AD structure, with no beacon found so far.
    case truncated
    /// It begins as a beacon's frame does, and has not the length of one.
    case wrongLength = "wrong_length"
    /// A frame of a known kind that names no uuid, major and minor: Eddystone-URL, -TLM, -EID.
    case unsupportedFrame = "unsupported_frame"
    /// A field of its report has a value that the specification keeps for later.
    case reservedValue = "reserved_value"
    /// A part of a long advertisement whose other parts never came, or that grew beyond what any advertisement can hold.
    case incomplete
}
