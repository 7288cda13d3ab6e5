import Beacons
import Broker
import Glibc
import Linux
import Messages
import Mosquitto
import Settings

/// One command's connection to the broker, with a client id of its own: it asks, shows, and goes.
public final class BrokerSession {
    /// How long a broker may take to let us in.
    static let patience = Interval.seconds(5)

    let settings: BrokerSettings
    let prefix: TopicPrefix
    private let signals: Signals

    /// A session with the broker that `settings` name, not yet connected.
    public init(settings: BrokerSettings) throws(Failure) {
        self.settings = settings
        prefix = settings.topicPrefix
        do throws(SystemError) { signals = try Signals([SIGINT, SIGTERM]) } catch {
            throw Failure(.unavailable, "\(error)")
        }
    }

    /// What the broker keeps for `subscriber`, by topic.
    func retained(for subscriber: Subscriber) throws(Failure) -> [Topic: [UInt8]] {
        var kept: [Topic: [UInt8]] = [:]
        try follow([subscriber]) { event in
            switch event {
            case .message(let topic, let payload, isRetained: true): kept[topic] = payload
            case .message, .failing: break
            case .caughtUp: return .stop
            }
            return .goOn
        }
        return kept
    }

    /// Asks the aggregator, and waits for its answer.
    func ask<Answer: Messages.Body>(
        _ what: String, _ body: some Messages.Body, for _: Answer.Type = Answer.self
    ) throws(Failure) -> Answer {
        let transaction = JSONValue.string("cli-\(UInt64.random(in: 0 ... .max))")
        let request = Message(.aggregatorRequest(what: what), bytes: Request.bytes(of: body, transaction: transaction))
        var outcome: Response<Answer>.Outcome?
        try follow([.askerOfAggregator(what: what)], asking: request) { event in
            guard case .message(.aggregatorResponse(what), let payload, _) = event,
                let response = try? Response<Answer>(parsing: payload), response.transaction == transaction
            else { return .goOn }
            outcome = response.outcome
            return .stop
        }
        switch outcome {
        case .done(let answer): return answer
        case .failed(let sentence): throw Failure(.no, sentence)
        case nil: throw Failure(.unavailable, "the aggregator does not answer: is \"forgetmenot run\" running?")
        }
    }

    /// What a command sees while it follows the broker.
    enum Event {
        /// A message on one of our topics.
        case message(Topic, [UInt8], isRetained: Bool)
        /// All that the broker kept has come, and from now on comes what happens.
        case caughtUp
        /// There is no connection, for this reason; it is tried again.
        case failing(String)
    }

    /// Whether a command wants to see more.
    enum Appetite { case goOn, stop }

    /// Hands everything that `subscribers` read to `see`, until it has seen enough or the user has (Ctrl-C).
    ///
    /// - Parameter asking: what is published once the subscriptions stand; then an answer has to come in time, too.
    /// - Parameter isPatient: whether a broker that goes away is waited for.
    /// - Parameter end: it has seen enough then, in any case.
    /// - Returns: whether the user had enough before.
    @discardableResult
    func follow(
        _ subscribers: [Subscriber], asking request: Message? = nil, isPatient: Bool = false,
        until end: Instant? = nil, tick: Interval? = nil, onTick: () -> Void = {}, _ see: (Event) -> Appetite
    ) throws(Failure) -> Bool {
        var options = BrokerOptions(settings)
        options.clientID = "forgetmenot-cli-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        for subscriber in subscribers { options.subscribe(subscriber, under: prefix) }
        // At most once, so that the broker sends all it keeps at once, in order, and acknowledges the last filter behind it.
        for index in options.subscriptions.indices { options.subscriptions[index].qos = .atMostOnce }
        let last = "\(prefix.text)/aggregator/response/\(options.clientID)"
        options.subscriptions.append(Mosquitto.Subscription(last, qos: .atMostOnce))
        let connection = try makeConnection(options)
        try connection.begin()
        defer { connection.stop(within: .milliseconds(500)) }
        let deadline = Clock.now + Self.patience
        var hasCaughtUp = false
        var nextTick = tick.map { Clock.now + $0 }
        while true {
            for notice in connection.take() {
                switch notice {
                case .message(let message):
                    guard let topic = Topic(named: message.topic, under: prefix) else { continue }
                    if see(.message(topic, message.payload, isRetained: message.retained)) == .stop { return false }
                case .subscribed(last, _):
                    hasCaughtUp = true
                    if let request { connection.publish(Publication(request, under: prefix)) }
                    if see(.caughtUp) == .stop { return false }
                case .subscriptionRefused(let filter, let refusal) where filter != last:
                    throw Failure(.unavailable, "the broker does not let this user read \(filter): \(refusal)")
                case .subscriptionRefused:
                    throw Failure(.unavailable, "the broker does not let this user read \(last)")
                case .failing(let fault), .disconnected(let fault):
                    guard isPatient && hasCaughtUp else { throw Failure(.unavailable, "\(fault)") }
                    if see(.failing("\(fault)")) == .stop { return false }
                default: break
                }
            }
            let now = Clock.now
            if let due = nextTick, let tick, due <= now {
                onTick()
                nextTick = now + tick
            }
            if let end, end <= now { return false }
            let isWaiting = !hasCaughtUp || request != nil
            if isWaiting, now >= deadline {
                if request != nil, hasCaughtUp { return false }
                throw Failure(.unavailable, "the broker \(settings.host):\(settings.port) does not answer")
            }
            let next = [nextTick, end, isWaiting ? deadline : nil].compactMap { $0 }.min()
            let ready = wait(for: [signals.number, connection.wakeup], until: next)
            guard ready[0], signals.next() != nil else { continue }
            // What goes on ends here, and may have a terminal to tidy up; what was still to be answered has nothing to say.
            if isPatient { return true }
            exit(0)
        }
    }
}
