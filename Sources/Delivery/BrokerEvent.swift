import Messages

/// What a connection reports to a service's driver, in the order in which it happened.
///
/// A publication is named by the number that the connection gave it when it accepted the publication.
package enum BrokerEvent: Sendable {
    /// The broker let the service in.
    case connected
    /// The connection is over, for this reason. Every publication that the broker has not acknowledged is lost, or was delivered all the same.
    case disconnected(String)
    /// There is no connection, for this reason.
    case failing(String)
    /// A message came.
    case message(topic: String, payload: [UInt8], isRetained: Bool)
    /// The broker has taken a publication of QoS 1.
    case acknowledged(UInt64)
    /// The broker does not take a publication.
    case refused(UInt64, BrokerRejection)
    /// The broker sends what matches a subscription.
    case subscribed(filter: String)
    /// The broker does not send what matches a subscription.
    case subscriptionRefused(filter: String, BrokerRejection)
    /// So many messages from the broker were dropped unread.
    case dropped(Int, String)
}
