import Delivery
import Beacons
import Broker
import Glibc
import Linux
import Messages
import Mosquitto
import Settings

/// One command's connection to the broker, with its own client id.
package final class BrokerSession {
    /// How long the broker may take to connect, and for each further retained message.
    static let patience = Interval.seconds(5)
    /// How long the aggregator may take to respond: a change is on its disk before the response.
    package static let responsePatience = Disk.longestWrite + .seconds(3)

    let settings: BrokerSettings
    let prefix: TopicPrefix
    private let signals: Signals

    /// A session with the broker in `settings`, not yet connected.
    package init(settings: BrokerSettings) throws(Failure) {
        self.settings = settings
        prefix = settings.topicPrefix
        signals = try orFail(.unavailable) { try Signals([SIGINT, SIGTERM]) }
    }

    func ask<RequestBody, ResponseBody>(
        _ operation: SiteOperation<RequestBody, ResponseBody>, _ body: RequestBody
    ) throws(Failure) -> ResponseBody {
        var outcome: Response<ResponseBody>.Outcome?
        try askInTurn(operation) { response in
            outcome = response
            return response == nil ? body : nil
        }
        switch outcome {
        case .done(let response): return response
        case .failed(let sentence): throw failure(ofRefusal: sentence)
        case nil: preconditionFailure("askInTurn returns after a response, or throws")
        }
    }

    /// Sends requests to the aggregator one after the other over one connection.
    ///
    /// - Parameters:
    ///   - patience: how long each response may take.
    ///   - next: returns the next request, or `nil` after the last. It gets the response to the request before, and at first `nil`.
    func askInTurn<RequestBody, ResponseBody>(
        _ operation: SiteOperation<RequestBody, ResponseBody>, patience: Interval = responsePatience,
        next: (Response<ResponseBody>.Outcome?) -> RequestBody?
    ) throws(Failure) {
        var transaction = JSONValue.null
        var hasResponded = false
        func ask(after outcome: Response<ResponseBody>.Outcome?) -> Appetite {
            hasResponded = outcome != nil
            guard let body = next(outcome) else { return .stop }
            transaction = .string("cli-\(UInt64.random(in: 0 ... .max))")
            let bytes = Request.bytes(of: body, transaction: transaction)
            hasResponded = false
            return .ask([.request(operation.request, bytes: bytes, within: patience)], within: patience)
        }
        try follow([.askerOfAggregator(operation.request)]) { event in
            switch event {
            case .caughtUp: return ask(after: nil)
            case .message(.response(operation.request), let payload, _):
                guard let response = try? Response<ResponseBody>(parsing: payload), response.transaction == transaction
                else {
                    return .goOn
                }
                return ask(after: response.outcome)
            case .message, .failing: return .goOn
            }
        }
        guard hasResponded else {
            throw Failure(.unavailable, "the aggregator does not respond: check that \"forgetmenot run\" is running")
        }
    }

    /// What a command sees while it follows the broker.
    enum Event {
        case message(Topic, [UInt8], Arrival)
        /// All retained messages have arrived; later messages are new.
        case caughtUp
        /// There is no connection, for this reason; the session retries.
        case failing(String)
    }

    /// Whether a command wants more events.
    enum Appetite {
        case goOn, stop
        /// It publishes these requests, and wants events for this long at most.
        case ask([Message], within: Interval)
        /// It publishes these messages, and wants more events.
        case publish([Message])
    }

    /// Passes every message on the topics of `subscribers` to `see`, until `see` returns `.stop`, its time is over, or the user presses Ctrl-C.
    ///
    /// - Parameters:
    ///   - optional: topics that are skipped if the broker does not let this user read them.
    ///   - isPatient: whether to continue until interrupted, and to reconnect if the broker goes away.
    ///   - inputs: the descriptors of keys: `onTick` is also called when one is readable.
    ///   - onTick: called at each `tick`; returns whether to go on.
    func follow(
        _ subscribers: [Subscriber], optional: [Subscriber] = [], isPatient: Bool = false, tick: Interval? = nil,
        inputs: () -> [Int32] = { [] }, onTick: () -> Bool = { true },
        _ see: (Event) -> Appetite
    ) throws(Failure) {
        var options = BrokerOptions(settings)
        options.clientID = "forgetmenot-cli-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        for subscriber in subscribers + optional { options.subscribe(subscriber, under: prefix) }
        let dispensable = Set(optional.flatMap { $0.subscriptions(under: prefix).map(\.filter) })
        let last = Topic.aggregatorResponse(what: options.clientID).name(under: prefix)
        options.catchUpFilter = last
        let connection = try BrokerConnection(options)
        try connection.start()
        defer { connection.stop(within: .milliseconds(500)) }
        var deadline: Instant? = Clock.now + Self.patience
        var (hasReceived, hasCaughtUp) = (false, false)
        /// The addresses of the broker that were not tried yet.
        var untried = options.alternatives.count
        var nextTick = tick.map { Clock.now + $0 }
        var isTyped = false
        func hasEnough(_ event: Event) -> Bool {
            switch see(event) {
            case .goOn: return false
            case .stop: return true
            case .ask(let requests, let patience):
                for request in requests { connection.publish(OutgoingMessage(request, under: prefix)) }
                deadline = Clock.now + patience
                return false
            case .publish(let messages):
                for message in messages { connection.publish(OutgoingMessage(message, under: prefix)) }
                return false
            }
        }
        while true {
            for notice in connection.take() {
                switch notice {
                case .message(let message):
                    if message.retained, !hasCaughtUp { (hasReceived, deadline) = (true, Clock.now + Self.patience) }
                    guard let topic = Topic(named: message.topic, under: prefix) else { continue }
                    let arrival =
                        message.retained ? Arrival.retained(expiresInSeconds: message.expiresInSeconds) : .live
                    if hasEnough(.message(topic, message.payload, arrival)) { return }
                case .subscribed(last, _):
                    hasCaughtUp = true
                    deadline = nil
                    if hasEnough(.caughtUp) { return }
                case .subscriptionRefused(let filter, _) where dispensable.contains(filter): continue
                case .subscriptionRefused(let filter, let refusal):
                    let reason = filter == last ? "" : ": \(refusal)"
                    throw Failure(
                        .unavailable,
                        "the broker does not let this user read \(filter)\(reason): check the user's rights in the ACL")
                case .failing(let fault) where !hasCaughtUp && untried > 0 && fault.kind.isOfReach:
                    untried -= 1
                    deadline = Clock.now + Self.patience
                case .failing(let fault), .disconnected(let fault):
                    guard isPatient && hasCaughtUp else { throw Failure(.unavailable, "\(fault)") }
                    if hasEnough(.failing("\(fault)")) { return }
                default: break
                }
            }
            // A command that runs until interrupted ends as soon as nobody reads its output.
            if isPatient && isOutputGone { return }
            let now = Clock.now
            if let due = nextTick, let tick, isTyped || due <= now {
                guard onTick() else { return }
                nextTick = now + tick
            }
            if let deadline, now >= deadline {
                if hasCaughtUp { return }
                throw Failure(
                    .unavailable,
                    "the broker \(settings.endpoint) "
                        + (hasReceived
                            ? "does not send all that it retains: raise its max_queued_messages, as \"forgetmenot broker-setup\" does"
                            : "does not respond: check [mqtt] host and port"))
            }
            let ready = wait(
                for: [signals.number, connection.wakeup] + inputs(),
                until: [nextTick, deadline].compactMap { $0 }.min())
            isTyped = ready.dropFirst(2).contains(true)
            guard ready[0], let signal = signals.next() else { continue }
            // A command that runs until interrupted returns and restores the terminal. Any other command has no result, and must not look successful.
            guard isPatient else { Signals.endProcess(by: signal) }
            return
        }
    }
}

/// The failure of a command that the aggregator refuses. A name that nobody has gets a status of its own,
/// so that a misspelt name does not read as "away".
func failure(ofRefusal sentence: String) -> Failure {
    Failure(isAboutUnknownName(sentence) ? .noInput : .no, errorLine(ofRefusal: sentence))
}

/// Whether the aggregator refuses a request because nobody has the name in it.
package func isAboutUnknownName(_ refusal: String) -> Bool { refusal.hasPrefix("There is no ") }

/// A refusal of the aggregator in the form of this program's own errors: it begins in lower case, and has no full stop.
func errorLine(ofRefusal sentence: String) -> String {
    var line = sentence
    if line.hasSuffix(".") { line.removeLast() }
    // A first word like MQTT keeps its capitals.
    guard let first = line.first, line.dropFirst().first.map({ !$0.isUppercase }) ?? true else { return line }
    return first.lowercased() + line.dropFirst()
}
