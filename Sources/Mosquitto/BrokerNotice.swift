import Messages

/// A report of a connection to its owner, in the order of events.
package enum BrokerNotice: Hashable, Sendable {
    /// The broker accepted the connection. Publications are accepted after this notice is taken. `sessionPresent`: the
    /// broker had stored the session.
    case connected(sessionPresent: Bool)
    /// The connection is over. Publications that were accepted since `connected` and neither acknowledged nor refused
    /// may be lost or delivered. The connection does not send them again; the owner must publish them again if they
    /// matter.
    case disconnected(BrokerFault)
    /// There is no connection, for this reason. The notice comes once, and again whenever the reason changes, but not
    /// with each attempt.
    case failing(BrokerFault)
    /// A message arrived. The broker already has the acknowledgement, so a process that dies before handling the
    /// message must request it again.
    case message(BrokerMessage)
    /// The broker accepted a publication of QoS 1, but may still lose it in a crash. `unheard`: no client subscribes to
    /// the topic (MQTT 5).
    case acknowledged(PublicationID, unheard: Bool)
    /// The broker refused a publication. Sending it again at once would have the same result.
    case refused(PublicationID, BrokerRejection)
    /// The broker will send messages that match `filter`, with `qos`, which may be lower than requested.
    case subscribed(filter: String, qos: QoS)
    /// The broker refused the subscription. It is requested again after a while, and `subscribed` reports when the broker
    /// grants it; further refusals on the same connection are not reported.
    case subscriptionRefused(filter: String, BrokerRejection)
    case dropped(count: Int, MessageRefusal)
}
