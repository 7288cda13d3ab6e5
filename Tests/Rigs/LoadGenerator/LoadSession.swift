import Beacons
import Broker
import Glibc
import Linux
import Messages
import Mosquitto
import Settings

/// The broker of a simulation, and the options of its connections.
final class LoadSession {
    let settings: BrokerSettings
    let prefix: TopicPrefix
    let signals: Signals
    private let name = String(UInt32.random(in: 0 ... .max), radix: 36)
    /// Why there is no connection yet.
    var problem = "check host and port"

    init(settings: BrokerSettings, signals: Signals) {
        self.settings = settings
        self.signals = signals
        prefix = settings.topicPrefix
    }

    var endpoint: String { settings.endpoint }

    /// A started connection with a client id of its own.
    func connection(
        _ role: String, subscribedTo filters: [Subscription] = [], catchingUpBy last: String? = nil
    ) throws(Failure) -> BrokerConnection {
        var options = BrokerOptions(settings)
        options.clientID = "forgetmenot-simulate-\(name)-\(role)"
        (options.subscriptions, options.catchUpFilter) = (filters, last)
        let connection = try BrokerConnection(options)
        try connection.start()
        return connection
    }

    /// Throws if the prefix has messages of gateways that are not simulated.
    func requireNoRealData() throws(Failure) {
        let last = "\(prefix.text)/simulation/\(name)"
        let filters = [
            Topic.gatewayInfo(gateway: "+").name(under: prefix),
            Topic.gatewayAvailability(gateway: "+").name(under: prefix), "\(prefix.text)/beacons/+/+/+/+/proximity",
        ]
        let connection = try connection(
            "check", subscribedTo: filters.map { Subscription($0) }, catchingUpBy: last)
        defer { connection.stop(within: .milliseconds(500)) }
        let deadline = Clock.now + .seconds(10)
        while true {
            for notice in connection.take() {
                switch notice {
                case .subscribed(last, _): return
                case .failing(let fault): problem = "\(fault)"
                case .subscriptionRefused(let filter, let refusal):
                    throw Failure(.unavailable, "the broker does not let this user read \(filter): \(refusal)")
                case .message(let message):
                    guard let gateway = Topic(named: message.topic, under: prefix)?.gateway,
                        !gateway.hasPrefix(LoadPlan.idPrefix), !message.payload.isEmpty
                    else { continue }
                    throw Failure(
                        .no,
                        "the gateway \(gateway) publishes below \(prefix.text)/, which is therefore no place for a "
                            + "simulation: choose another --prefix, or add --allow-real-data")
                default: break
                }
            }
            guard Clock.now < deadline, signals.next() == nil else {
                throw Failure(.unavailable, "the broker \(endpoint) does not respond: \(problem)")
            }
            _ = wait(for: [signals.number, connection.wakeup], until: deadline)
        }
    }
}

/// One connection over which many simulated gateways publish.
struct LoadLine {
    private let connection: BrokerConnection
    private let session: LoadSession
    private var queue: ArraySlice<OutgoingMessage> = []
    private var acknowledgeable: Set<PublicationID> = []
    private(set) var isConnected = false
    /// Why the connection ended; a simulation does not go on after that.
    private(set) var fault: String?

    init(_ session: LoadSession, number: Int) throws(Failure) {
        self.session = session
        connection = try session.connection("\(number)")
    }

    var wakeup: Int32 { connection.wakeup }
    var waiting: Int { queue.count + connection.queued }

    mutating func send(_ publication: OutgoingMessage) {
        queue.append(publication)
        drain()
    }

    private mutating func drain() {
        while let next = queue.first, let id = connection.publish(next) {
            if next.qos == .atLeastOnce { acknowledgeable.insert(id) }
            queue.removeFirst()
        }
    }

    mutating func handleNotices(_ count: inout LoadCount) {
        for notice in connection.take() {
            switch notice {
            case .connected: isConnected = true
            case .disconnected(let reason): fault = "\(reason)"
            case .failing(let reason): session.problem = "\(reason)"
            case .acknowledged(let id, _): if acknowledgeable.remove(id) != nil { count.acknowledged() }
            case .refused(let id, let refusal):
                count.refused("\(refusal)", isAcknowledged: acknowledgeable.remove(id) != nil)
            default: break
            }
        }
        drain()
    }

    func stop() { connection.stop(within: .seconds(2)) }
}

/// The connection that asks the aggregator and reads what it publishes.
struct LoadObserver {
    private static let patience = Interval.seconds(60)
    /// How many removals wait for their response at once.
    private static let window = 50

    private let connection: BrokerConnection
    private let prefix: TopicPrefix
    /// The presence of each item, as published last.
    private(set) var presence: [String: Presence] = [:]
    private var unsubscribed: Set<String>
    private var responses = 0
    private var refusal: String?

    init(_ session: LoadSession) throws(Failure) {
        prefix = session.prefix
        let filters = [
            Subscription(Topic.itemLocation(item: "+").name(under: prefix), .atMostOnce),
            Subscription(Topic.response(.importItems).name(under: prefix)),
            Subscription(Topic.response(.removeItem).name(under: prefix)),
            Subscription(Topic.response(.removeGateway).name(under: prefix)),
        ]
        unsubscribed = Set(filters.map(\.filter))
        connection = try session.connection("observer", subscribedTo: filters)
    }

    var wakeup: Int32 { connection.wakeup }
    var isReady: Bool { unsubscribed.isEmpty }

    mutating func handleNotices(_ see: (ItemLocation) -> Void = { _ in }) {
        for notice in connection.take() {
            switch notice {
            case .subscribed(let filter, _), .subscriptionRefused(let filter, _): unsubscribed.remove(filter)
            case .message(let message):
                switch Topic(named: message.topic, under: prefix) {
                case .itemLocation(let item)?:
                    guard let location = try? ItemLocation(parsing: message.payload) else {
                        presence[item] = nil
                        continue
                    }
                    presence[item] = location.presence
                    see(location)
                case Topic.response(.importItems)?:
                    responses += 1
                    if case .failed(let sentence)? = try? Response<ImportResponse>(parsing: message.payload).outcome {
                        refusal = sentence
                    }
                case Topic.response(.removeItem)?, Topic.response(.removeGateway)?: responses += 1
                default: break
                }
            default: break
            }
        }
    }

    /// Adds the items to the aggregator's registry; throws if it does not respond.
    mutating func add(_ items: [SimulatedSite.Item], waiting session: LoadSession) throws(Failure) {
        for first in stride(from: 0, to: items.count, by: ImportedItems.most) {
            let batch = items[first..<min(first + ImportedItems.most, items.count)]
            let requested = ImportedItems(
                items: batch.map { NewItem(RegistryItem(id: $0.id, name: $0.name, beacon: $0.beacon)) })
            responses = 0
            ask(.importItems, Request.bytes(of: requested))
            guard wait(forResponses: 1, session) else {
                throw Failure(
                    .unavailable,
                    "the aggregator of \(prefix.text)/ does not respond: start \"forgetmenot run\" with this prefix")
            }
            if let refusal { throw Failure(.no, "the aggregator did not add the items: \(refusal)") }
        }
    }

    /// Makes the aggregator forget items and gateways, as far as it responds.
    mutating func remove(
        _ items: [SimulatedSite.Item], gateways: [String], waiting session: LoadSession
    ) {
        let removals = items.map { (SiteRequest.removeItem, $0.id) } + gateways.map { (SiteRequest.removeGateway, $0) }
        for first in stride(from: 0, to: removals.count, by: Self.window) {
            let batch = removals[first..<min(first + Self.window, removals.count)]
            responses = 0
            for (request, id) in batch { ask(request, Request.bytes(of: NameOrID(name: id))) }
            guard wait(forResponses: batch.count, session) else {
                printError("The aggregator did not confirm that it has forgotten the simulated items and gateways")
                return
            }
        }
    }

    private func ask(_ request: SiteRequest, _ bytes: [UInt8]) {
        connection.publish(
            OutgoingMessage(Message(.request(request), bytes: bytes), under: prefix))
    }

    private mutating func wait(forResponses requested: Int, _ session: LoadSession) -> Bool {
        let deadline = Clock.now + Self.patience
        while responses < requested {
            guard Clock.now < deadline else { return false }
            _ = Linux.wait(for: [connection.wakeup], until: deadline)
            handleNotices()
        }
        return true
    }

    func stop() { connection.stop(within: .seconds(2)) }
}
