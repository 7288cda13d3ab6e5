import SiteClient
import SiteCore
import Beacons
import Hummingbird
import Linux
import Messages
import Synchronization

/// What the page knows of the site. The broker's thread writes, HTTP requests read.
final class Board: Sendable {
    struct State {
        var view = SiteView()
        /// The retained messages of a connection that is still sending them.
        var incoming: SiteView?
        var isConnected = false
        /// Why there is no connection, in a sentence.
        var trouble: String?
        var site: SiteConfiguration
        /// The JSON of each item and each gateway as the streams have it.
        var rows: [String: [UInt8]] = [:]
        var gatewayRows: [String: [UInt8]] = [:]
        var siteRow: [UInt8] = []
        /// Which items a gateway received at the last look.
        var received: Set<String> = []
        var changedItems: Set<String> = []
        /// Events that the streams get with the next flush, behind the rows of their items.
        var events: [[UInt8]] = []
        var streams: [ObjectIdentifier: EventStream] = [:]
        /// The response with all items for whoever asks soon, when it was made, and the events since then.
        var items: (body: SharedBody, at: Instant, since: [ByteBuffer])?
        var isStale = true
        var configured: Set<BeaconIdentity> = []
        /// Where people are, as the streams have it, and whether that may have changed.
        var peopleRow: [UInt8] = []
        var arePeopleChanged = true
    }

    private let state: Mutex<State>
    /// Code that changes the files of the site, or reads them for the board, holds this lock: so the board never goes back to an older site.
    let siteFiles = Mutex(())
    /// The number of responses since the start, by the hundreds of their status.
    let responses = Mutex<[Int: UInt64]>([:])
    let outgoing = Outgoing()

    private let needsSignIn: Bool

    /// Whether there is a page. Without one the board has only what the history reads: the items, their locations, and whether the aggregator runs.
    let isShown: Bool

    init(_ site: SiteConfiguration, needsSignIn: Bool, isShown: Bool = true) {
        self.needsSignIn = needsSignIn
        self.isShown = isShown
        var state = State(site: site)
        state.configured = Set(site.items.map(\.item.beacon))
        self.state = Mutex(state)
    }

    // MARK: The broker's thread

    /// A connection begins: its retained messages replace what was known.
    func connected() {
        state.withLock { $0.incoming = SiteView() }
    }

    /// All retained messages have arrived.
    func caughtUp() {
        state.withLock { state in
            if let view = state.incoming { state.view = view }
            state.incoming = nil
            state.arePeopleChanged = true
            (state.isConnected, state.trouble) = (true, nil)
            guard isShown else { return }
            state.changedItems.formUnion(state.view.items.keys)
            state.changedItems.formUnion(state.view.locations.keys)
            state.changedItems.formUnion(state.rows.keys)
        }
    }

    func disconnected(_ reason: String) {
        state.withLock { ($0.isConnected, $0.trouble) = (false, reason) }
    }

    func receive(_ topic: Topic, _ payload: [UInt8], isRetained: Bool, expiresInSeconds: UInt32?) {
        guard isShown || Self.isOfHistory(topic) else { return }
        let now = Clock.moment
        state.withLock { state in
            let arrival: Arrival = isRetained ? .retained(expiresInSeconds: expiresInSeconds) : .live
            guard state.incoming == nil else {
                state.incoming?.receive(topic, payload, arrival, at: now)
                return
            }
            state.view.receive(topic, payload, arrival, at: now)
            guard isShown else { return }
            switch topic {
            case .itemLocation(let item), .itemHealth(let item), .itemNotification(let item), .registryItem(let item):
                state.changedItems.insert(item)
            case .personLocation: state.arePeopleChanged = true
            default: break
            }
        }
    }

    private static func isOfHistory(_ topic: Topic) -> Bool {
        switch topic {
        case .itemLocation, .aggregatorAvailability, .aggregatorInfo, .aggregatorResponse, .registryManifest,
            .registryPart, .registryItem:
            true
        default: false
        }
    }

    /// The requests to those programs of which nobody can know whether they run.
    func doubts() -> [Message] { read { $0.view.requests(asksGateways: isShown, at: Clock.now) } }

    func aliveGateways() -> [String] {
        let now = Clock.now
        return state.withLock { state in state.view.gateways.keys.filter { state.view.isAlive(gateway: $0, at: now) } }
    }

    func knownBeacons() -> [BeaconIdentity: String] {
        state.withLock { state in
            Dictionary(state.view.items.values.map { ($0.beacon, $0.id) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Notes an event of an item for the streams. A flush for each would take the thread's whole time where many events come together.
    func note(_ event: ItemEvent) {
        state.withLock { state in
            guard state.streams.values.contains(where: { $0.subject == .site }) else { return }
            state.events.append(event.bytes)
        }
    }

    /// Sends what has changed to all streams.
    ///
    /// - Parameter all: whether items are compared that no message is about: an item is no longer received, the aggregator has stopped.
    func flush(all: Bool) {
        guard isShown else { return }
        state.withLock { state in
            let now = Clock.now
            let isStale = !state.isConnected || !state.view.isAggregatorAlive(at: now)
            if isStale != state.isStale {
                state.isStale = isStale
                state.changedItems = Set(state.view.items.keys).union(state.rows.keys)
            } else if all {
                state.lookForSilence(at: now)
            } else if state.changedItems.isEmpty, state.events.isEmpty, !state.arePeopleChanged, !state.siteRow.isEmpty
            {
                return
            }
            var buffer = ByteBuffer()
            for item in state.changedItems {
                let row = state.row(of: item, at: now)
                guard row != state.rows[item] else { continue }
                state.rows[item] = row
                if let row {
                    buffer.writeImmutableBuffer(eventFrame("item", row))
                } else {
                    buffer.writeImmutableBuffer(eventFrame("item_removed", jsonObject { $0.field("item", item) }))
                }
            }
            state.changedItems = []
            state.refreshGateways(into: &buffer, at: now)
            state.refreshPeople(into: &buffer)
            for event in state.events { buffer.writeImmutableBuffer(eventFrame("event", event)) }
            state.events = []
            if buffer.readableBytes > 0 {
                state.changed(buffer, at: now)
                state.send(buffer, about: .site)
            }
            // Rooms and problems change rarely, and cost a look at every item.
            guard all || state.siteRow.isEmpty else { return }
            let siteRow = state.siteRow(at: now)
            guard siteRow != state.siteRow else { return }
            state.siteRow = siteRow
            for stream in state.streams.values where stream.subject == .site {
                _ = stream.send(eventFrame("site", joined(siteRow, callerRow(stream.caller))))
            }
        }
    }

    func send(_ name: StaticString, _ data: [UInt8], about subject: EventStream.Subject = .site) {
        state.withLock { $0.send(eventFrame(name, data), about: subject) }
    }

    /// Sends the time, and a comment where nobody needs that, so that a connection that is gone is noticed.
    ///
    /// The clock of either side may be corrected while a page is connected.
    func sendTime() {
        state.withLock { state in
            state.send(eventFrame("time", jsonObject { $0.field("time", Clock.wall) }), about: .site)
            for search in state.searches { state.send(ByteBuffer(string: ": \n\n"), about: .nearby(search)) }
        }
    }

    // MARK: Requests

    /// What `body` makes of the present state. Two calls may see two states.
    func read<Value: Sendable>(_ body: (State) -> Value) -> Value { state.withLock { body($0) } }

    func replace(_ site: SiteConfiguration) {
        state.withLock {
            $0.site = site
            // The next flush sends it.
            $0.siteRow = []
            // Rooms may have other floors now.
            $0.changedItems.formUnion($0.rows.keys)
            $0.configured = Set(site.items.map(\.item.beacon))
            $0.arePeopleChanged = true
        }
    }

    var site: SiteConfiguration { read(\.site) }

    /// `GET /api/v1/site`.
    func siteJSON(for caller: Caller) -> [UInt8] {
        joined(state.withLock { $0.siteRow(at: Clock.now) }, callerRow(caller))
    }

    /// `GET /api/v1/items`; `nil` if too much waits for clients.
    func itemsBody() -> SharedBody? { state.withLock { $0.itemsBody(outgoing, at: Clock.now)?.body } }

    /// Whether a gateway of this id has published something, or is configured.
    func hasGateway(_ id: String) -> Bool {
        state.withLock { state in state.view.gateways[id] != nil || state.site.gateways.contains { $0.id == id } }
    }

    func item(_ item: String) -> RegistryItem? { read { $0.view.items[item] } }
    func location(of item: String) -> ItemLocation? { read { $0.view.locations[item] } }

    /// The item of this id, or of exactly this name; of several with the name, the lowest id.
    func item(named word: String) -> RegistryItem? {
        state.withLock { state in
            state.view.items[word] ?? state.view.items.values.filter { $0.name == word }.min { $0.id < $1.id }
        }
    }

    func locations(of items: Set<String>?) -> [ItemLocation] {
        state.withLock { state in
            guard let items else { return Array(state.view.locations.values) }
            return items.compactMap { state.view.locations[$0] }
        }
    }

    /// Why the page does not show the present; `nil` if it does.
    func trouble() -> String? {
        state.withLock { state in
            if !state.isConnected { return state.trouble ?? "The page has no connection to the broker yet." }
            return state.view.isAggregatorAlive() ? nil : "The aggregator is not running."
        }
    }

    /// The ids of all items that are registered or have a location; `nil` unless the whole registry is known.
    var known: Set<String>? {
        state.withLock { state in state.view.registered?.union(state.view.locations.keys) }
    }

    /// The names of the aggregators that run, if there are several.
    var aggregators: [String] {
        state.withLock { state in
            let info = state.view.aggregator.info
            return [info?.active].compactMap(\.self) + (info?.standby ?? [])
        }
    }

    /// Begins a stream; `nil` if there are too many.
    func follow(_ subject: EventStream.Subject, for caller: Caller, cutOff: @escaping @Sendable () -> Void)
        -> EventStream?
    {
        state.withLock { (state) -> EventStream? in
            guard state.streams.count < EventStream.mostReaders else { return nil }
            let stream = EventStream(subject, for: caller, cutOff: cutOff)
            if subject == .site {
                guard let items = state.itemsBody(outgoing, at: Clock.now) else { return nil }
                _ = stream.send(eventFrame("site", joined(state.siteRow(at: Clock.now), callerRow(caller))))
                _ = stream.send(ByteBuffer(string: "event: items\ndata: "))
                _ = stream.send(items.body.buffer, held: items.body.held)
                _ = stream.send(ByteBuffer(string: "\n\n"))
                for buffer in items.since { _ = stream.send(buffer) }
                _ = stream.send(eventFrame("gateways", state.gatewaysJSON))
                _ = stream.send(eventFrame("people", state.peopleJSON))
            }
            state.streams[ObjectIdentifier(stream)] = stream
            return stream
        }
    }

    func unfollow(_ stream: EventStream) {
        state.withLock { _ = $0.streams.removeValue(forKey: ObjectIdentifier(stream)) }
        stream.end()
    }

    /// What the readers of the beacons in range search for; an empty text is all beacons. Empty if there are no such readers.
    var searches: Set<String> { state.withLock { $0.searches } }

    /// Ends all streams, or those of one caller's session.
    func endStreams(where isOver: (Caller) -> Bool = { _ in true }) {
        let ended = state.withLock { state in
            let ended = state.streams.values.filter { isOver($0.caller) }
            for stream in ended { state.streams[ObjectIdentifier(stream)] = nil }
            return ended
        }
        for stream in ended { stream.end() }
    }

    /// What the metrics count of the site.
    struct Census {
        var items: [Presence: Int] = [:]
        var gateways: [(id: String, isAlive: Bool, regions: Int?)] = []
        var streams = 0
        var isConnected = false
        var isAggregatorAlive = false
        var problems = 0
        var notifications = 0
        var rooms: [String: Int] = [:]
    }

    func census() -> Census {
        let now = Clock.now
        return state.withLock { state in
            var census = Census()
            for presence in Presence.allCases { census.items[presence] = 0 }
            for id in state.view.items.keys {
                let location = state.view.locations[id]
                census.items[location?.presence ?? .unknown, default: 0] += 1
                if location?.presence == .home, let room = location?.room { census.rooms[room, default: 0] += 1 }
            }
            census.gateways = state.view.gateways.sorted { $0.key < $1.key }.map {
                ($0.key, $0.value.liveness(at: now) == .alive, $0.value.info?.regions)
            }
            census.streams = state.streams.count
            census.isConnected = state.isConnected
            census.isAggregatorAlive = state.isConnected && state.view.isAggregatorAlive(at: now)
            census.problems = state.view.aggregator.info?.problems.count ?? 0
            census.notifications = state.view.notifications.count
            return census
        }
    }

    func callerRow(_ caller: Caller) -> [UInt8] {
        jsonObject { json in
            json.field("role", caller.role.map { .string($0.rawValue) } ?? JSONValue.null)
            json.field("csrf", caller.csrf ?? "")
            json.field("user", caller.name)
            json.field("login_required", needsSignIn)
            // The page compares it with its own clock.
            json.field("time", Clock.wall)
        }
    }
}
