/// How near a beacon is, in Core Location's classes.
public enum Proximity: String, Sendable, CaseIterable {
    /// Less than half a metre away.
    case immediate
    /// Less than four metres away.
    case near
    /// Farther away.
    case far
    /// Not known: not heard for a whole window, or nothing to reckon with.
    case unknown
}
