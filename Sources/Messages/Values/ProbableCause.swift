/// Why an item is away, if it has probably not left.
public enum ProbableCause: String, Sendable {
    /// The battery of the item's tag is probably empty.
    case battery
}
