/// What the broker promises for one publication or subscription; exactly once (2) is not used here: events are numbered instead.
public enum QoS: Int32, Sendable {
    /// Handed over once and forgotten.
    case atMostOnce = 0
    /// Acknowledged by the broker; may come twice.
    case atLeastOnce = 1
}
