/// Whether an item is at the site. The raw values are those of `location`.
public enum Presence: String, Sendable, CaseIterable {
    /// At least one gateway that is alive and receiving has the item in range.
    case home
    /// Each gateway that had the item in range has reported its exit, and these gateways are alive and receiving.
    case away
    /// Neither `home` nor `away` is certain. An item that was never received is `unknown`.
    case unknown
}
