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

    /// Asks the aggregator, and waits for its answer.
    func ask<Answer: Messages.Body>(
        _ what: String, _ body: some Messages.Body, for _: Answer.Type = Answer.self
    ) throws(Failure) -> Answer {
        var outcome: Response<Answer>.Outcome?
        try askInTurn(what) { (answer: Response<Answer>.Outcome?) in
            outcome = answer
            return answer == nil ? body : nil
        }
        switch outcome {
        case .done(let answer): return answer
        case .failed(let sentence): throw Failure(.no, sentence)
        case nil: preconditionFailure("an answer came, or it has failed")
        }
    }

    /// Asks the aggregator one thing after the other over one connection: `next` gets the answer to what it asked before, at first `nil`, and
    /// says what to ask now; `nil`: nothing more. Each answer may take `patience`.
    func askInTurn<Answer: Messages.Body>(
        _ what: String, patience: Interval = patience, next: (Response<Answer>.Outcome?) -> (some Messages.Body)?
    ) throws(Failure) {
        var transaction = JSONValue.null
        var isAnswered = false
        func ask(after outcome: Response<Answer>.Outcome?) -> Appetite {
            isAnswered = outcome != nil
            guard let body = next(outcome) else { return .stop }
            transaction = .string("cli-\(UInt64.random(in: 0 ... .max))")
            let bytes = Request.bytes(of: body, transaction: transaction)
            isAnswered = false
            return .ask([Message(.aggregatorRequest(what: what), bytes: bytes)], within: patience)
        }
        try follow([.askerOfAggregator(what: what)]) { event in
            switch event {
            case .caughtUp: return ask(after: nil)
            case .message(.aggregatorResponse(what), let payload, _):
                guard let response = try? Response<Answer>(parsing: payload), response.transaction == transaction else {
                    return .goOn
                }
                return ask(after: response.outcome)
            case .message, .failing: return .goOn
            }
        }
        guard isAnswered else {
            throw Failure(.unavailable, "the aggregator does not answer: is \"forgetmenot run\" running?")
        }
    }

    /// What a command sees while it follows the broker.
    enum Event {
        /// A message on one of our topics.
        case message(Topic, [UInt8], Delivery)
        /// All that the broker kept has come, and from now on comes what happens.
        case caughtUp
        /// There is no connection, for this reason; it is tried again.
        case failing(String)
    }

    /// Whether a command wants to see more.
    enum Appetite {
        case goOn, stop
        /// It wants to, once this is published, and for so long at most.
        case ask([Message], within: Interval)
        /// It does, and publishes this meanwhile.
        case publish([Message])
    }

    /// Hands everything that `subscribers` read to `see`, until it has seen enough, has waited long enough for what it asked, or the user
    /// wants no more (Ctrl-C).
    ///
    /// - Parameters:
    ///   - optional: what is read as well where the broker lets this user read it.
    ///   - isPatient: whether it goes on until interrupted, and a broker that goes away is waited for.
    func follow(
        _ subscribers: [Subscriber], optional: [Subscriber] = [], isPatient: Bool = false, tick: Interval? = nil,
        onTick: () -> Void = {},
        _ see: (Event) -> Appetite
    ) throws(Failure) {
        var options = BrokerOptions(settings)
        options.clientID = "forgetmenot-cli-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        for subscriber in subscribers + optional { options.subscribe(subscriber, under: prefix) }
        let dispensable = Set(optional.flatMap { $0.subscriptions(under: prefix).map(\.filter) })
        // At most once, so that the broker sends all it keeps at once, in order, and acknowledges the last filter behind it.
        for index in options.subscriptions.indices { options.subscriptions[index].qos = .atMostOnce }
        let last = "\(prefix.text)/aggregator/response/\(options.clientID)"
        options.subscriptions.append(Mosquitto.Subscription(last, qos: .atMostOnce))
        let connection = try makeConnection(options)
        try connection.begin()
        defer { connection.stop(within: .milliseconds(500)) }
        var deadline: Instant? = Clock.now + Self.patience
        var hasCaughtUp = false
        var nextTick = tick.map { Clock.now + $0 }
        func hasEnough(_ event: Event) -> Bool {
            switch see(event) {
            case .goOn: return false
            case .stop: return true
            case .ask(let requests, let patience):
                for request in requests { connection.publish(Publication(request, under: prefix)) }
                deadline = Clock.now + patience
                return false
            case .publish(let messages):
                for message in messages { connection.publish(Publication(message, under: prefix)) }
                return false
            }
        }
        while true {
            for notice in connection.take() {
                switch notice {
                case .message(let message):
                    guard let topic = Topic(named: message.topic, under: prefix) else { continue }
                    let delivery =
                        message.retained ? Delivery.retained(expiresInSeconds: message.expiresInSeconds) : .live
                    if hasEnough(.message(topic, message.payload, delivery)) { return }
                case .subscribed(last, _):
                    hasCaughtUp = true
                    deadline = nil
                    if hasEnough(.caughtUp) { return }
                case .subscriptionRefused(let filter, _) where dispensable.contains(filter): continue
                case .subscriptionRefused(let filter, let refusal) where filter != last:
                    throw Failure(.unavailable, "the broker does not let this user read \(filter): \(refusal)")
                case .subscriptionRefused:
                    throw Failure(.unavailable, "the broker does not let this user read \(last)")
                case .failing(let fault), .disconnected(let fault):
                    guard isPatient && hasCaughtUp else { throw Failure(.unavailable, "\(fault)") }
                    if hasEnough(.failing("\(fault)")) { return }
                default: break
                }
            }
            // What goes on ends with its last reader.
            if isPatient && isOutputGone { return }
            let now = Clock.now
            if let due = nextTick, let tick, due <= now {
                onTick()
                nextTick = now + tick
            }
            if let deadline, now >= deadline {
                if hasCaughtUp { return }
                throw Failure(.unavailable, "the broker \(settings.host):\(settings.port) does not answer")
            }
            let ready = wait(
                for: [signals.number, connection.wakeup], until: [nextTick, deadline].compactMap { $0 }.min())
            guard ready[0], let signal = signals.next() else { continue }
            // What goes on ends here, and may have a terminal to tidy up; what was to be answered was not, and must not look as if it was.
            guard isPatient else { Signals.endProcess(by: signal) }
            return
        }
    }
}
