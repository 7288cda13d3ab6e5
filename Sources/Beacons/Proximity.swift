/// How near a beacon is, in Core Location's terms. The raw values are those of payloads.
public enum Proximity: String, Sendable, CaseIterable {
    /// Below 0.5 m.
    case immediate
    /// From 0.5 m to below 4 m.
    case near
    /// 4 m or more.
    case far
    /// Not received within the window, or received without a usable RSSI or measured power.
    case unknown
}
