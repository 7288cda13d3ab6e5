import Beacons
import Linux
import Messages
import Mosquitto
import Settings

/// How long the aggregator may take to publish a change of the phones. It connects again meanwhile if the broker was restarted.
private let patience = Interval.seconds(30)
/// How often a request is repeated until then: it changes nothing a second time.
private let period = Interval.seconds(2)

/// Reads the phones of the site over a short connection, and has the aggregator change them.
///
/// - Parameters:
///   - provesLock: whether to fail, before `change` is called, if the broker gives this client more than the rights that `broker-setup` gives it:
///     then others may have more as well. The client must be the aggregator's user.
///   - change: gets the phones, `nil` if the site distributes none, and returns what is published; nothing ends the exchange. It is called again with
///     each list that has not the change.
///   - isDone: whether a list has the change.
/// - Returns: the last list that was received.
package func exchangePhones(
    with settings: BrokerSettings, provesLock: Bool = false, _ change: (Phones?) throws(Failure) -> [Message],
    isDone: (Phones) -> Bool
) throws(Failure) -> Phones? {
    let prefix = settings.topicPrefix
    var options = BrokerOptions(settings)
    if provesLock { options.clientID = "forgetmenot-phones-\(String(UInt32.random(in: 0 ... .max), radix: 36))" }
    // Nobody has the right to this topic. What comes back on the other one was handled by the broker after it.
    let (forbidden, own) = ("\(prefix)-forbidden", Topic.aggregatorResponse(what: options.clientID).name(under: prefix))
    let list = Topic.phones.name(under: prefix)
    // QoS 0: the broker sends what it retains before it acknowledges the last filter.
    options.subscriptions = [list, forbidden, own].map { Subscription($0, .atMostOnce) }
    let connection = try makeConnection(options)
    try connection.begin()
    defer { connection.stop(within: .milliseconds(500)) }
    var phones: Phones?
    var requests: [Message]?
    var (deadline, isAsking) = (Clock.now + .seconds(5), false)
    var nextTime: Instant?
    while true {
        for notice in connection.take() {
            switch notice {
            case .subscribed(own, _) where provesLock:
                for topic in [forbidden, own] {
                    _ = connection.publish(OutgoingMessage(topic: topic, payload: Array("{}".utf8)))
                }
            case .subscribed(own, _): requests = try change(phones)
            case .message(let message) where message.topic == forbidden:
                throw Failure(
                    .no,
                    "the broker does not use the rights that broker-setup has written, so that keys would be no secret: have mosquitto read them"
                )
            case .message(let message) where message.topic == own && requests == nil: requests = try change(phones)
            case .message(let message) where message.topic == list:
                guard let received = try? Phones(parsing: message.payload) else { continue }
                phones = received
                guard requests != nil else { continue }
                if isDone(received) { return received }
                let new = try change(received)
                if new != requests { (requests, nextTime) = (new, Clock.now) }
            case .subscriptionRefused(let filter, let refusal):
                throw Failure(.unavailable, "the broker does not let this user read \(filter): \(refusal)")
            case .failing(let fault), .disconnected(let fault): throw Failure(.unavailable, "\(fault)")
            default: break
            }
            guard requests?.isEmpty == true else { continue }
            return phones
        }
        let now = Clock.now
        if let requests, nextTime.map({ now >= $0 }) ?? true {
            if !isAsking { (deadline, isAsking) = (now + patience, true) }
            for request in requests { connection.publish(OutgoingMessage(request, under: prefix)) }
            nextTime = now + period
        }
        guard now < deadline else {
            throw Failure(
                .unavailable,
                requests == nil
                    ? "the broker \(settings.endpoint) does not respond: check [mqtt] host and port"
                    : "the aggregator does not respond: check that \"forgetmenot run\" is running, and was restarted after an update"
            )
        }
        _ = wait(for: [connection.wakeup], until: min(deadline, nextTime ?? deadline))
    }
}
