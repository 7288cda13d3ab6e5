/// Why the broker refused one publication or subscription.
package struct BrokerRejection: Hashable, Sendable, CustomStringConvertible {
    /// The broker's reason code (128 to 255, MQTT 5 section 2.4); `nil` if the request was not sent.
    package var reasonCode: Int?
    /// A sentence for users.
    package var description: String

    package init(reasonCode: Int?, description: String) {
        self.reasonCode = reasonCode
        self.description = description
    }
}
