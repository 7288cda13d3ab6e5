/// How near a beacon is, in Core Location's words; the raw values are those of payloads.
public enum Proximity: String, Sendable, CaseIterable {
    /// Below half a metre.
    case immediate
    /// Below four metres.
    case near
    /// Farther than that.
    case far
    /// Not heard within the window, or nothing can be ranged from what was heard.
    case unknown
}
