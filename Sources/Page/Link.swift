import SiteClient
import Beacons
import Broker
import Glibc
import History
import Linux
import Logging
import Messages
import Mosquitto
import Settings
import Synchronization

/// The page's connection to the broker, on its own thread: it fills the board and sends requests, as the commands do.
final class Link: Sendable {
    /// The limit of requests that wait for a response.
    static let most = 64
    /// The limit of acknowledgements that wait, which anybody may send: they leave room for the requests of those who have signed in.
    static let mostAcknowledgements = 4
    /// Changes are sent to the streams together, at most this often.
    static let pace = Interval.milliseconds(100)

    /// A request that waits for its response.
    private struct Pending {
        let request: SiteRequest
        var message: Message
        var isSent = false
        var deadline: Instant
        var resume: @Sendable (Result<[UInt8], Refused>) -> Void
    }

    private struct State {
        var pending: [String: Pending] = [:]
        var count = 0
        var isEnding = false
        /// Called on this connection's thread when the past may have changed.
        var feeds: [HistoryFeed] = []
        /// The past, for requests.
        var history: HistoryStore?
        /// How many requests read the past now.
        var readings = 0
        var removed = RemovedPeople()
        /// Messages that wait for the connection's thread; at most one for each request that reads, and one for each that is refused.
        var outbox: [Message] = []
    }

    private let state = Mutex(State())
    private let bell: Wakeup
    private let connection: BrokerConnection
    private let prefix: TopicPrefix
    let board: Board
    private let nearby: NearbyLists
    private let ended: Wakeup
    private let catchUpFilter: String
    /// The name of this aggregator if it is one of several.
    let standby: String?
    private let personRemoved: @Sendable (String) -> Void

    /// - Parameters:
    ///   - respondsToStays: whether there is a history, so that this connection responds to requests for it.
    ///   - standby: the name of this aggregator if it is one of several.
    ///   - personRemoved: called with the id of a person who was removed, on this connection's thread.
    init(
        _ settings: BrokerSettings, board: Board, respondsToStays: Bool = false, standby: String? = nil,
        personRemoved: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(Failure) {
        (self.standby, self.personRemoved) = (standby, personRemoved)
        (bell, ended) = try orFail(.unavailable) { (try Wakeup(), try Wakeup()) }
        self.board = board
        prefix = settings.topicPrefix
        nearby = NearbyLists()
        var options = BrokerOptions(settings)
        options.clientID = "\(settings.clientID)-page"
        // The history needs no ranged states, of which a site has the most.
        let ofPage: [Subscriber] = [
            .rangedStates, .askerOfGateways(.alive), .askerOfGateways(.beacons),
        ]
        for subscriber in [Subscriber.viewer, .follower] + (board.isShown ? ofPage : []) {
            options.subscribe(subscriber, under: prefix)
        }
        if respondsToStays {
            for request in standby == nil ? [SiteRequest.stays] : [.stays, .forgotten] {
                let topic = Topic.request(request).name(under: prefix)
                options.subscriptions.append(Subscription(topic, .atMostOnce))
            }
        }
        catchUpFilter = Topic.aggregatorResponse(what: "#").name(under: prefix)
        options.catchUpFilter = catchUpFilter
        connection = try BrokerConnection(options)
    }

    /// Starts the thread; the caller must have blocked the signals of the process.
    func start() throws(Failure) {
        try connection.start()
        pthread_detach(try orFail(.unavailable) { try startThread(named: "page") { self.run() } })
    }

    func stop() {
        state.withLock { $0.isEnding = true }
        bell.ring()
        _ = wait(for: [ended.number], until: Clock.now + .milliseconds(800))
    }

    /// Looks at once: somebody follows the nearby beacons now.
    func wake() { bell.ring() }

    func feed(_ feed: HistoryFeed) { state.withLock { $0.feeds.append(feed) } }

    /// The past, for requests; `nil` if it cannot be used.
    var history: HistoryStore? {
        get { state.withLock(\.history) }
        set { state.withLock { $0.history = newValue } }
    }

    /// Whether one more request may read the past; then `endReading` has to follow.
    func beginReading() -> Bool {
        state.withLock { state in
            guard state.readings < Self.mostReadings else { return false }
            state.readings += 1
            return true
        }
    }

    func endReading() { state.withLock { $0.readings -= 1 } }

    /// Publishes a message on the connection's thread; drops it if there is no connection.
    func send(_ message: Message) {
        state.withLock { $0.outbox.append(message) }
        bell.ring()
    }

    // MARK: Requests

    func ask<RequestBody, ResponseBody>(
        _ operation: SiteOperation<RequestBody, ResponseBody>, _ body: RequestBody
    ) async throws(Refused) -> ResponseBody {
        let payload = try await exchange(operation.request, body)
        let outcome: Messages.Response<ResponseBody>.Outcome
        do throws(PayloadRefusal) {
            outcome = try Messages.Response<ResponseBody>(parsing: payload).outcome
        } catch {
            throw Refused(.badGateway, "The aggregator's response cannot be read: \(error).")
        }
        switch outcome {
        case .done(let response): return response
        case .failed(let sentence): throw Refused(refusedByAggregator: sentence)
        }
    }

    private func exchange(_ request: SiteRequest, _ body: some Messages.Body) async throws(Refused) -> [UInt8] {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<[UInt8], Refused>, Never>) in
            let refusal: Refused? = state.withLock { state in
                let same = state.pending.values.count { $0.request == request }
                if request == .acknowledgeMessage, same >= Self.mostAcknowledgements { return .tooManyAcknowledgements }
                guard state.pending.count < Self.most, !state.isEnding else { return .tooManyRequests }
                state.count += 1
                let name = "page-\(state.count)-\(UInt64.random(in: 0 ... .max))"
                let patience = BrokerSession.responsePatience
                let message = Message.request(
                    request, bytes: Request.bytes(of: body, transaction: .string(name)), within: patience)
                state.pending[name] = Pending(
                    request: request, message: message, deadline: Clock.now + patience,
                    resume: { continuation.resume(returning: $0) })
                return nil
            }
            if let refusal { continuation.resume(returning: .failure(refusal)) } else { bell.ring() }
        }
        return try result.get()
    }

    // MARK: The thread

    private func run() {
        var nextFlush = Clock.now
        var nextLook = Clock.now
        var nextTime = Clock.now + .seconds(15)
        var nextNearby = Clock.now
        var isConnected = false
        while !state.withLock(\.isEnding) {
            bell.acknowledge()
            let notices = connection.take()
            for notice in notices {
                switch notice {
                case .connected:
                    board.connected()
                    isConnected = true
                    state.withLock { $0.removed.connected(at: Clock.now) }
                case .subscribed(catchUpFilter, _):
                    board.caughtUp()
                    for message in board.doubts() { publish(message) }
                    for feed in feeds { feed.connected() }
                case .failing(let fault), .disconnected(let fault):
                    isConnected = false
                    board.disconnected("\(fault)")
                case .message(let message): receive(message)
                default: break
                }
            }
            let now = Clock.now
            if isConnected {
                sendPending()
                for person in state.withLock({ $0.removed.take(at: now) }) { personRemoved(person) }
            }
            for message in drainOutbox() where isConnected { publish(message) }
            expirePending(at: now)
            if now >= nextFlush {
                let isLook = now >= nextLook
                board.flush(all: isLook)
                nextFlush = now + Self.pace
                if isLook { nextLook = now + .seconds(2) }
            }
            if now >= nextTime {
                board.sendTime()
                nextTime = now + .seconds(15)
            }
            let searches = board.searches
            if now >= nextNearby, !searches.isEmpty {
                for (search, list) in nearby.lists(for: searches, known: board.knownBeacons(), at: now) {
                    board.send("nearby", list, about: .nearby(search))
                }
                if isConnected {
                    for gateway in board.aliveGateways() {
                        publish(Message(.request(.beacons, to: gateway), bytes: Request.bytes()))
                    }
                }
                nextNearby = now + .seconds(1)
            }
            // A deadline of 100 ms only after a message: otherwise the thread sleeps until the next look.
            let ready = wait(
                for: [connection.wakeup, bell.number],
                until: min(
                    nextLook, nextTime, deadlineOfPending ?? nextLook,
                    board.searches.isEmpty ? nextLook : nextNearby))
            // Messages that arrive together are sent together. While many arrive, the connection waits for this thread.
            if ready[0], notices.count < BrokerConnection.pausesAt, Clock.now < nextFlush {
                _ = wait(for: [bell.number], until: nextFlush)
            }
        }
        failPending("The aggregator stops.")
        for feed in feeds { feed.end() }
        connection.stop(within: .milliseconds(300))
        ended.ring()
    }

    private var feeds: [HistoryFeed] { state.withLock(\.feeds) }

    private func drainOutbox() -> [Message] {
        state.withLock { state in
            defer { state.outbox = [] }
            return state.outbox
        }
    }

    private func publish(_ message: Message) { _ = connection.publish(OutgoingMessage(message, under: prefix)) }

    private func receive(_ message: BrokerMessage) {
        guard let topic = Topic(named: message.topic, under: prefix) else { return }
        switch topic {
        case .aggregatorResponse:
            // Any program may send requests: only our own transactions count.
            if let value = try? JSONValue(parsing: message.payload, limits: .list),
                let transaction = value.object?["transaction"]?.string
            {
                let pending = state.withLock { $0.pending.removeValue(forKey: transaction) }
                pending?.resume(.success(message.payload))
            }
            if topic == .response(.removePerson),
                case .done(let response)? = (try? Response<PersonResponse>(parsing: message.payload))?.outcome
            {
                personRemoved(response.entry.id)
            }
            board.receive(topic, message.payload, isRetained: false, expiresInSeconds: nil)
        case .request(.stays):
            if !message.retained { respondToStays(message.payload) }
        case .request(.forgotten):
            if !message.retained { respondWithForgotten(message.payload) }
        case .gatewayResponse(let gateway, GatewayRequest.beacons.rawValue):
            if case .done(let response)? = (try? Response<BeaconsResponse>(parsing: message.payload))?.outcome {
                nearby.add(response, from: gateway, at: Clock.now)
            }
        case .itemEvent:
            guard let event = try? ItemEvent(parsing: message.payload, on: topic) else { return }
            board.note(event)
            for feed in feeds { feed.noticed() }
        default:
            let former: ItemLocation? =
                if case .itemLocation(let item) = topic { board.location(of: item) } else { nil }
            board.receive(
                topic, message.payload, isRetained: message.retained, expiresInSeconds: message.expiresInSeconds)
            switch topic {
            case .itemLocation(let item):
                let location = board.location(of: item)
                for feed in feeds { feed.noticed(item, location, former: former) }
            case .registryItem(let item) where message.payload.isEmpty && !message.retained:
                for feed in feeds { feed.removed(item) }
            case .personLocation(let person):
                state.withLock { $0.removed.note(person, isCleared: message.payload.isEmpty, at: Clock.now) }
            default: break
            }
        }
    }

    private var deadlineOfPending: Instant? { state.withLock { $0.pending.values.map(\.deadline).min() } }

    private func sendPending() {
        state.withLock { state in
            for (name, pending) in state.pending where !pending.isSent {
                guard connection.publish(OutgoingMessage(pending.message, under: prefix)) != nil else { return }
                state.pending[name]?.isSent = true
            }
        }
    }

    private func expirePending(at now: Instant) {
        let expired = state.withLock { state in
            let expired = state.pending.filter { $0.value.deadline <= now }
            for name in expired.keys { state.pending[name] = nil }
            return expired
        }
        for pending in expired.values {
            pending.resume(
                .failure(
                    Refused(
                        .gatewayTimeout,
                        pending.isSent
                            ? "The aggregator does not respond." : "There is no connection to the broker.")))
        }
    }

    private func failPending(_ sentence: String) {
        let pending = state.withLock { state in
            defer { state.pending = [:] }
            return state.pending
        }
        for request in pending.values { request.resume(.failure(Refused(.serviceUnavailable, sentence))) }
    }
}
