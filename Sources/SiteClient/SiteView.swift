import Beacons
import Linux
import Messages

/// The site as a command sees it in the broker's retained messages.
package struct SiteView {
    package private(set) var locations: [String: ItemLocation] = [:]
    /// What the items' tags report about themselves, by item.
    package private(set) var health: [String: ItemHealth] = [:]
    package private(set) var items: [String: RegistryItem] = [:]
    package private(set) var regions: [String: Region] = [:]
    /// The active notifications, by the id of their item.
    package private(set) var notifications: [String: Notification] = [:]
    package private(set) var people: [String: PersonLocation] = [:]
    private var manifest: RegistryManifest?
    private var parts: [Int: RegistryPart] = [:]
    package private(set) var gateways: [String: Heartbeat<GatewayInfo>] = [:]
    package private(set) var aggregator = Heartbeat<AggregatorInfo>()
    package private(set) var namedAggregators: [String: Heartbeat<AggregatorInfo>] = [:]
    /// Which aggregator locates the items of which beacons.
    package private(set) var shares = SiteShares()
    /// When items were received last, from the gateways' ranged states.
    private var sightings = LastSightings()

    package init() {}

    /// Applies one message; returns the location that it changes, if any.
    @discardableResult
    package mutating func receive(
        _ topic: Topic, _ payload: [UInt8], _ arrival: Arrival = .live, at now: Moment = Clock.moment
    ) -> ItemLocation? {
        switch topic {
        case .itemLocation(let item):
            locations[item] = try? ItemLocation(parsing: payload, on: topic)
            return locations[item]
        case .itemHealth(let item):
            health[item] = try? ItemHealth(parsing: payload, on: topic)
        case .itemNotification(let item):
            notifications[item] = try? Notification(parsing: payload, on: topic)
        case .personLocation(let id):
            people[id] = try? PersonLocation(parsing: payload, on: topic)
        case .registryItem(let id):
            items[id] = try? RegistryItem(parsing: payload, on: topic)
            sightings.note(items[id]?.beacon, of: id)
        case .registryRegion(let region):
            regions[region] = try? Region(parsing: payload, on: topic)
        case .registryManifest: manifest = try? RegistryManifest(parsing: payload)
        case .registryPart(let number): parts[number] = try? RegistryPart(parsing: payload)
        case .gatewayAvailability(let id):
            gateways[id, default: Heartbeat()].availability = Availability(parsing: payload)
            if gateways[id]?.isEmpty == true { gateways[id] = nil }
        case .gatewayInfo(let id):
            let info = try? GatewayInfo(parsing: payload, on: topic)
            gateways[id, default: Heartbeat()].update(
                info, until: info.flatMap { arrival.holds($0.stamp, for: $0.validFor, receivedAt: now) })
            if gateways[id]?.isEmpty == true { gateways[id] = nil }
        case .aggregatorAvailability:
            aggregator.availability = Availability(parsing: payload)
        case .aggregatorInfo:
            let info = try? AggregatorInfo(parsing: payload, on: topic)
            aggregator.update(info, until: info.flatMap { arrival.holds($0.stamp, for: $0.validFor, receivedAt: now) })
        case .namedAvailability(let name):
            namedAggregators[name, default: Heartbeat()].availability = Availability(parsing: payload)
            if namedAggregators[name]?.isEmpty == true { namedAggregators[name] = nil }
        case .namedInfo(let name):
            let info = try? AggregatorInfo(parsing: payload, on: topic)
            let until = info.flatMap { arrival.holds($0.stamp, for: $0.validFor, receivedAt: now) }
            namedAggregators[name, default: Heartbeat()].update(info, until: until)
            if namedAggregators[name]?.isEmpty == true { namedAggregators[name] = nil }
        case .aggregatorShares: shares.set((try? BeaconShares(parsing: payload))?.shares, of: "")
        case .namedShares(let name): shares.set((try? BeaconShares(parsing: payload))?.shares, of: name)
        case .proximity(let beacon, let gateway):
            guard let state = try? RangedState(parsing: payload, on: topic) else {
                sightings.end(of: beacon, at: gateway)
                break
            }
            sightings.note(
                state, of: beacon, from: gateway,
                until: arrival.holds(state.stamp, for: state.validFor, receivedAt: now), at: now.wall)
        // A response is a sign of life, also that of an older program that refuses the request.
        case .response(.alive) where arrival.isLive: aggregator.responded(at: now.instant)
        case .gatewayResponse(let id, GatewayRequest.alive.rawValue) where arrival.isLive:
            gateways[id]?.responded(at: now.instant)
        default: break
        }
        return nil
    }

    /// Shows this location instead of the one that was received.
    mutating func show(_ location: ItemLocation) { locations[location.item] = location }

    /// What a program responds that needs all items, as long as the aggregator has not published which there are.
    package static let beginning =
        "The aggregator has just started and publishes its items in a few seconds: try again."

    /// Whether the aggregator has published which items and regions there are.
    var hasRegistry: Bool { manifest != nil }

    /// How many entries of the registry the broker did not deliver.
    package var missingEntries: Int {
        guard let manifest else { return 0 }
        let parts = (manifest.parts ?? []).indices.map { self.parts[$0] }
        let named = parts.compactMap { $0 } + [RegistryPart(items: manifest.items, regions: manifest.regions)]
        return parts.count { $0 == nil }
            + named.reduce(0) { count, part in
                count + part.items.count { items[$0] == nil } + part.regions.count { regions[$0] == nil }
            }
    }

    /// The ids of all items that the registry has; `nil` unless all of it is known.
    package var registered: Set<String>? {
        guard let manifest else { return nil }
        let parts = (manifest.parts ?? []).indices.map { self.parts[$0] }
        guard parts.allSatisfy({ $0 != nil }) else { return nil }
        return Set(manifest.items).union(parts.flatMap { $0?.items ?? [] })
    }

    package func isAggregatorAlive(at now: Instant = Clock.now) -> Bool { aggregator.liveness(at: now) == .alive }

    /// The aggregators with a name that have shares or have published anything, in order.
    package var aggregatorNames: [String] {
        Set(namedAggregators.keys).union(shares.byName.keys).subtracting([""]).sorted()
    }

    /// Whether an aggregator with a name runs. A broker without message expiry does not show whether its last heartbeat is old.
    package func isAlive(aggregator name: String, at now: Instant = Clock.now) -> Bool {
        switch namedAggregators[name]?.liveness(at: now) {
        case .alive: true
        // With expiry, the broker drops the heartbeat of an aggregator that is dead.
        case .doubtful: namedAggregators[name]?.info != nil
        case .dead, nil: false
        }
    }

    /// The aggregators with a name that locate one of these items, and do not run.
    package func deadAggregators(of locations: some Sequence<ItemLocation>, at now: Instant = Clock.now) -> [String] {
        guard !shares.byName.isEmpty else { return [] }
        let names = locations.compactMap { items[$0.item].flatMap { shares.holder(of: $0.beacon) } }
        return Set(names).filter { !$0.isEmpty && !isAlive(aggregator: $0, at: now) }.sorted()
    }

    package func isAlive(gateway id: String, at now: Instant = Clock.now) -> Bool {
        gateways[id]?.liveness(at: now) == .alive
    }

    /// The room of a gateway: as configured on the aggregator, or else as the gateway reports.
    package func room(of gateway: String) -> String? {
        aggregator.info?.rooms[gateway] ?? gateways[gateway]?.info?.room
    }

    /// The floor of an item: that of its position on the plan, or else of its room; `nil` if neither is known.
    func floor(of location: ItemLocation) -> Int? {
        if let point = location.point { return point.floor }
        return location.presence == .away ? nil : location.room.flatMap { aggregator.info?.floors[$0] }
    }

    /// The rooms of gateways, people and items. Only the aggregator knows rooms of the plan that none of them has.
    package var rooms: Set<String> {
        Set(gateways.keys.compactMap { room(of: $0) })
            .union(people.values.compactMap(\.room))
            .union(locations.values.flatMap { ($0.rooms ?? []).map(\.room) + [$0.room].compactMap(\.self) })
    }

    /// When an item was received last, and whether it is being received now.
    package func lastSeen(_ location: ItemLocation, at now: Instant = Clock.now) -> LastSeen? {
        guard location.error == nil else { return location.lastSeenAt.map { LastSeen(at: $0, isNow: false) } }
        return sightings.last(of: location.item, published: location.lastSeenAt, at: now)
    }

    package var sortedPeople: [PersonLocation] {
        people.values.sorted { ($0.person.name, $0.person.id) }
    }

    var sorted: [ItemLocation] {
        locations.values.sorted { ($0.name, $0.item) }
    }

    /// The location of the item with this id, or exactly this name.
    func location(named word: String) -> ItemLocation? {
        locations[word] ?? sorted.first { $0.name == word }
    }

    /// How long such a program may take to respond.
    static let patience = Interval.seconds(2)

    /// The requests to those programs of which the retained messages do not show whether they are alive.
    ///
    /// - Parameter asksGateways: whether gateways are asked, too.
    package func requests(asksGateways: Bool, at now: Instant = Clock.now) -> [Message] {
        var topics: [Topic] = []
        if aggregator.liveness(at: now) == .doubtful { topics.append(.request(.alive)) }
        if asksGateways {
            topics += gateways.filter { $0.value.liveness(at: now) == .doubtful }.keys.sorted()
                .map { .request(.alive, to: $0) }
        }
        return topics.map { Message($0, bytes: Request.bytes()) }
    }
}

extension Sequence {
    /// The elements by their names and ids. As on the page, names are sorted whatever their case, and numbers in them by their value.
    func sorted(by words: (Element) -> (name: String, id: String)) -> [Element] {
        map { (words($0).name.sortKey, words($0).id, $0) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }
}

extension String {
    /// The name in lower case, and its numbers with so many digits that they sort by their value.
    fileprivate var sortKey: String {
        var (key, digits) = ("", "")
        func padded() -> String {
            digits.isEmpty ? "" : String(repeating: "0", count: max(0, 20 - digits.count)) + digits
        }
        for character in lowercased() {
            if ("0"..."9").contains(character) {
                digits.append(character)
            } else {
                key += padded() + String(character)
                digits = ""
            }
        }
        return key + padded()
    }
}

extension BrokerSession {
    /// The site as the broker retains it. If the retained messages do not show whether a program is alive, it is asked and has 2 s to respond.
    ///
    /// - Parameters:
    ///   - asksGateways: whether gateways are asked, too.
    ///   - readsRangedStates: whether the ranged states are read, too, if this user may.
    ///   - awaitsItems: whether an aggregator that has just started has `BrokerSession.patience` to publish its items.
    package func view(
        asksGateways: Bool = false, readsRangedStates: Bool = false, awaitsItems: Bool = false
    ) throws(Failure) -> SiteView {
        var view = SiteView()
        var isWaiting: Bool { awaitsItems && (!view.hasRegistry || view.missingEntries > 0) }
        var hasAsked = false
        let optional =
            [Subscriber.askerOfAggregator(.alive)]
            + (asksGateways ? [.askerOfGateways(.alive)] : [])
            + (readsRangedStates ? [.rangedStates] : [])
        try follow([.viewer], optional: optional) { event in
            switch event {
            case .message(let topic, let payload, let arrival):
                view.receive(topic, payload, arrival)
                return hasAsked && !isWaiting && view.requests(asksGateways: asksGateways).isEmpty ? .stop : .goOn
            case .caughtUp:
                let requests = view.requests(asksGateways: asksGateways)
                hasAsked = true
                if isWaiting { return .ask(requests, within: Self.patience) }
                return requests.isEmpty ? .stop : .ask(requests, within: SiteView.patience)
            case .failing: return .goOn
            }
        }
        return view
    }

    /// The site for a command that looks for items in it; throws if, after a wait, the aggregator runs and the broker does not have all of its items.
    func wholeView() throws(Failure) -> SiteView {
        let view = try view(awaitsItems: true)
        if view.isAggregatorAlive() { try view.checkRegistry() }
        return view
    }
}

extension SiteView {
    /// Throws unless all items are known.
    func checkRegistry() throws(Failure) {
        guard missingEntries == 0 else {
            throw Failure(
                .unavailable,
                "the broker did not deliver \(missingEntries) entries of the registry: "
                    + "raise its max_queued_messages, as \"forgetmenot broker-setup\" does")
        }
        guard hasRegistry else { throw Failure(.unavailable, errorLine(ofRefusal: Self.beginning)) }
    }
}

/// The exit status of a command that has shown `view`.
///
/// If the aggregator is not running, or the registry or a part of it is missing, prints one warning on standard error and returns 69.
///
/// - Parameters:
///   - locations: the locations that were shown.
///   - hint: what to do about a list that is empty. It is printed on standard error if nothing is missing.
func status(
    _ response: ExitStatus, of view: SiteView, showing locations: [ItemLocation] = [], hint: String? = nil
) -> ExitStatus {
    do throws(Failure) {
        if view.isAggregatorAlive() || view.missingEntries > 0 { try view.checkRegistry() }
    } catch {
        printError("forgetmenot: \(error)")
        return .unavailable
    }
    let dead = view.deadAggregators(of: locations)
    if !dead.isEmpty, view.isAggregatorAlive() {
        printError(namedAggregatorWarning(dead))
        return .unavailable
    }
    guard view.isAggregatorAlive() else {
        printError(aggregatorWarning)
        return .unavailable
    }
    if let hint { printError(hint) }
    return response
}

let noItems = "There are no items yet: add one with \"forgetmenot items add\"."

func namedAggregatorWarning(_ names: [String]) -> String {
    "forgetmenot: \(names.joined(separator: ", ")) \(names.count == 1 ? "is" : "are") not running: "
        + "the locations of \(names.count == 1 ? "its" : "their") items are the last known, start \(names.count == 1 ? "it" : "them")"
}

let aggregatorWarning =
    "forgetmenot: the aggregator is not running: what is shown was published before, start \"forgetmenot run\""
