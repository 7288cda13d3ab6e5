/// The delivery guarantee of a publication or subscription. Exactly once (2) is not used, because events have numbers.
package enum QoS: Int32, Sendable {
    /// Delivered at most once, without acknowledgement.
    case atMostOnce = 0
    /// Acknowledged by the broker; duplicates are possible.
    case atLeastOnce = 1
}
