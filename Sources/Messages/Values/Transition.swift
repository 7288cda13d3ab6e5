/// What a region or a beacon did at one gateway; the raw values are those of `event_type`.
public enum Transition: String, Sendable, CaseIterable {
    /// It came into range.
    case enter
    /// It went out of range.
    case exit
}
