/// Why one publication or subscription was not taken.
public struct BrokerRefusal: Hashable, Sendable, CustomStringConvertible {
    /// The broker's reason (128 to 255, MQTT 5 section 2.4); `nil` when it did not even leave this process.
    public var reasonCode: Int?
    /// A sentence for people.
    public var description: String
}
