/// Whether a beacon or a region is in range of one gateway.
public enum MonitoringState: String, Sendable, CaseIterable {
    /// Not known: the gateway is blind, or has not listened for long enough.
    case unknown
    /// In range.
    case inside
    /// Out of range.
    case outside
}
