/// Whether an item is at the site; the raw values are those of `location`.
public enum Presence: String, Sendable, CaseIterable {
    /// At least one live, hearing gateway has it inside.
    case home
    /// Each gateway that had it inside has exited it, and these are alive and hearing.
    case away
    /// Neither can be said; so it is for an item never heard.
    case unknown
}
