/// The delivery guarantee of MQTT; the raw value is the protocol's.
public enum QoS: Int32, Sendable {
    case atMostOnce = 0
    /// At least once; readers drop duplicates.
    case atLeastOnce = 1
}
