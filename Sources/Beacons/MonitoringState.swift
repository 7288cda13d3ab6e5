/// Whether a region or a beacon is in range, in Core Location's words; the raw values are those of payloads.
public enum MonitoringState: String, Sendable, CaseIterable {
    /// Not known: not listened for long enough yet, or not able to hear.
    case unknown
    /// At least one of its beacons is in range.
    case inside
    /// None of its beacons is in range, as far as listening can tell.
    case outside
}
