/// The change of a region or a beacon at one gateway. The raw values are those of `event_type`.
public enum Transition: String, Sendable, CaseIterable {
    case enter
    case exit
}
