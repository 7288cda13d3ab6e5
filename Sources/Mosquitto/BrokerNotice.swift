/// What a broker's connection has to tell its owner, in the order in which it happened.
public enum BrokerNotice: Hashable, Sendable {
    /// The broker let us in: publications are accepted from when this is taken. `sessionPresent`: it had kept the session.
    case connected(sessionPresent: Bool)
    /// The connection is over. Every publication accepted since `connected` and neither acknowledged nor refused is lost,
    /// or delivered and not acknowledged: nothing is sent again by itself, who cares publishes again.
    case disconnected(BrokerFault)
    /// There is no connection, for this reason: told when it begins and whenever the reason changes, not with each attempt.
    case failing(BrokerFault)
    /// A message came. The broker was told so already: a process that dies before it has dealt with it must ask again.
    case message(BrokerMessage)
    /// The broker has taken a publication of QoS 1. It may still lose it: an acknowledgement is no proof against its crash.
    /// `unheard`: nobody subscribes (MQTT 5).
    case acknowledged(PublicationID, unheard: Bool)
    /// A publication was not taken, and will not be: trying again at once brings the same.
    case refused(PublicationID, BrokerRefusal)
    /// The broker will send what matches `filter`, with `qos`, which may be less than asked for.
    case subscribed(filter: String, qos: QoS)
    /// The broker will not send what matches `filter`. It is asked again at the next connect.
    case subscriptionRefused(filter: String, BrokerRefusal)
    /// So many messages more were thrown away unread.
    case dropped(count: Int, MessageRefusal)
}
