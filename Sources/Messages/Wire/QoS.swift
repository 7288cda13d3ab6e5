/// How sure MQTT delivers; the raw value is the protocol's.
public enum QoS: Int32, Sendable {
    /// At most once.
    case atMostOnce = 0
    /// At least once; readers drop doubles.
    case atLeastOnce = 1
}
