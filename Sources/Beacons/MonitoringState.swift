/// Whether a region or a beacon is in range, in Core Location's terms. The raw values are those of payloads.
public enum MonitoringState: String, Sendable, CaseIterable {
    /// Not known: the adapter has not scanned for long enough, or cannot receive.
    case unknown
    /// At least one beacon of the region is in range.
    case inside
    /// No beacon of the region is in range, as far as scanning can determine.
    case outside
}
