/// Why an advertisement became no sighting. The raw values are those of `telemetry` and never change.
public enum AdvertisementRefusal: String, CaseIterable, Error, Sendable {
    /// The advertisement has no beacon frame of a known format. Nearly all advertisements are of this kind.
    case notABeacon = "not_a_beacon"
    /// The data ends too early: the event before its report, or the advertisement's data within an AD structure and
    /// before any frame.
    case truncated
    /// The structure begins like a beacon's frame, but its length is wrong.
    case wrongLength = "wrong_length"
    /// A frame of a known format that carries no identity: Eddystone-URL, -TLM or -EID.
    case unsupportedFrame = "unsupported_frame"
    /// A field of the report has a value that the specification reserves.
    case reservedValue = "reserved_value"
    /// A fragment of a long advertisement whose other fragments never came, or an advertisement that exceeded the
    /// longest possible length.
    case incomplete
}
