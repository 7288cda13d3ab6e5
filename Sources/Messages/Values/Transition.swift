/// The change of a region or a beacon at one gateway. The raw values are those of `event_type`.
public enum Transition: String, Sendable, CaseIterable {
    /// The region or beacon came into range.
    case enter
    /// The region or beacon left the range.
    case exit
}
