import Beacons

/// A topic of the reference's page Topics. Only this file knows the form of topics.
///
/// Ids must have passed `isValidID` before a topic is formatted; ids of configurations, payloads and topics have.
public enum Topic: Hashable, Sendable {
    /// Whether a gateway is connected.
    case gatewayAvailability(gateway: String)
    /// A gateway's heartbeat.
    case gatewayInfo(gateway: String)
    /// A gateway's counters and gauges.
    case gatewayTelemetry(gateway: String)
    /// A request to a gateway; `what` has one level or two (`regions/state`).
    case gatewayRequest(gateway: String, what: String)
    /// A gateway's response.
    case gatewayResponse(gateway: String, what: String)
    /// The ranged state of one beacon at one gateway.
    case proximity(BeaconIdentity, gateway: String)
    /// `enter` or `exit` of one beacon at one gateway.
    case beaconEvent(BeaconIdentity, gateway: String)
    /// The state of a region at one gateway.
    case regionState(region: String, gateway: String)
    /// `enter` or `exit` of a whole region at one gateway.
    case regionEvent(region: String, gateway: String)
    /// An item that all gateways monitor.
    case registryItem(String)
    /// A region that all gateways monitor.
    case registryRegion(String)
    /// The contents of the registry, published last.
    case registryManifest
    /// A part of the contents of a large registry, by its number.
    case registryPart(Int)
    /// The location of an item.
    case itemLocation(item: String)
    /// The event that an item moved, left or returned.
    case itemEvent(item: String)
    /// An active notification of an item.
    case itemNotification(item: String)
    /// One publication of a notification, as an event.
    case itemNotificationEvent(item: String)
    /// A request that ends the repetition of a notification.
    case itemAcknowledge(item: String)
    /// The state of a room's occupancy sensor, published by another system; `room` is the id made from the room's name.
    case roomOccupancy(room: String)
    /// Whether the aggregator is connected.
    case aggregatorAvailability
    /// The aggregator's heartbeat.
    case aggregatorInfo
    /// Whether one of several aggregators runs, active or on standby.
    case aggregatorMember(name: String)
    /// The shares of the aggregator without a name, if it has only a part of the site's beacons.
    case aggregatorShares
    /// Whether an aggregator with a name is connected.
    case namedAvailability(aggregator: String)
    /// The heartbeat of an aggregator with a name.
    case namedInfo(aggregator: String)
    /// The shares of an aggregator with a name.
    case namedShares(aggregator: String)
    /// A request to the aggregator; `what` has one level or two (`items/add`).
    case aggregatorRequest(what: String)
    /// The aggregator's response.
    case aggregatorResponse(what: String)

    /// The topic as MQTT text.
    public func name(under prefix: TopicPrefix) -> String {
        let p = prefix.text
        return switch self {
        case .gatewayAvailability(let gateway): "\(p)/gateways/\(gateway)/availability"
        case .gatewayInfo(let gateway): "\(p)/gateways/\(gateway)/info"
        case .gatewayTelemetry(let gateway): "\(p)/gateways/\(gateway)/telemetry"
        case .gatewayRequest(let gateway, let what): "\(p)/gateways/\(gateway)/request/\(what)"
        case .gatewayResponse(let gateway, let what): "\(p)/gateways/\(gateway)/response/\(what)"
        case .proximity(let beacon, let gateway): Self.name(p, beacon, gateway, "proximity")
        case .beaconEvent(let beacon, let gateway): Self.name(p, beacon, gateway, "event")
        case .regionState(let region, let gateway): "\(p)/regions/\(region)/\(gateway)/state"
        case .regionEvent(let region, let gateway): "\(p)/regions/\(region)/\(gateway)/event"
        case .registryItem(let item): "\(p)/registry/items/\(item)"
        case .registryRegion(let region): "\(p)/registry/regions/\(region)"
        case .registryManifest: "\(p)/registry/manifest"
        case .registryPart(let number): "\(p)/registry/manifest/\(number)"
        case .itemLocation(let item): "\(p)/items/\(item)/location"
        case .itemEvent(let item): "\(p)/items/\(item)/event"
        case .itemNotification(let item): "\(p)/items/\(item)/notification"
        case .itemNotificationEvent(let item): "\(p)/items/\(item)/notification/event"
        case .itemAcknowledge(let item): "\(p)/items/\(item)/request/acknowledge"
        case .roomOccupancy(let room): "\(p)/rooms/\(room)/occupancy"
        case .aggregatorAvailability: "\(p)/aggregator/availability"
        case .aggregatorInfo: "\(p)/aggregator/info"
        case .aggregatorMember(let name): "\(p)/aggregator/members/\(name)/availability"
        case .aggregatorShares: "\(p)/aggregator/shares"
        case .namedAvailability(let name): "\(p)/aggregators/\(name)/availability"
        case .namedInfo(let name): "\(p)/aggregators/\(name)/info"
        case .namedShares(let name): "\(p)/aggregators/\(name)/shares"
        case .aggregatorRequest(let what): "\(p)/aggregator/request/\(what)"
        case .aggregatorResponse(let what): "\(p)/aggregator/response/\(what)"
        }
    }

    /// `{prefix}/beacons/{uuid}/{major}/{minor}/{gateway}/{kind}`, written in one go: nearly all messages have such a topic.
    private static func name(
        _ prefix: String, _ beacon: BeaconIdentity, _ gateway: String, _ kind: StaticString
    ) -> String {
        // Four levels of at most 9, 36, 5 and 5 bytes, and a slash before each level.
        let capacity = prefix.utf8.count + gateway.utf8.count + kind.utf8CodeUnitCount + 60
        return String(unsafeUninitializedCapacity: capacity) { text in
            var count = 0
            func put(_ bytes: some Collection<UInt8>) {
                count = text[count...].update(fromContentsOf: bytes)
            }
            func put(_ number: UInt16) {
                var divisor: UInt16 = number >= 10000 ? 10000 : number >= 1000 ? 1000 : number >= 100 ? 100 : 10
                if number < 10 { divisor = 1 }
                while divisor > 0 {
                    text[count] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10)
                    count += 1
                    divisor /= 10
                }
            }
            func slash() {
                text[count] = UInt8(ascii: "/")
                count += 1
            }
            put(prefix.utf8)
            put("/beacons/".utf8)
            beacon.uuid.write(to: UnsafeMutableBufferPointer(rebasing: text[count...]))
            count += BeaconUUID.textLength
            slash()
            put(beacon.major)
            slash()
            put(beacon.minor)
            slash()
            put(gateway.utf8)
            slash()
            put(UnsafeBufferPointer(start: kind.utf8Start, count: kind.utf8CodeUnitCount))
            return count
        }
    }

    /// Reads a topic from MQTT text; `nil` for a text that `name(under:)` would not produce exactly.
    public init?(named name: String, under prefix: TopicPrefix) {
        var (name, prefix) = (name, prefix.text)
        let topic = name.withUTF8 { name in prefix.withUTF8 { Topic(utf8: name, under: $0) } }
        guard let topic else { return nil }
        self = topic
    }

    private init?(utf8 bytes: UnsafeBufferPointer<UInt8>, under prefix: UnsafeBufferPointer<UInt8>) {
        guard bytes.count > prefix.count, bytes.starts(with: prefix), bytes[prefix.count] == UInt8(ascii: "/")
        else { return nil }
        let beacons: StaticString = "beacons/"
        let below = UnsafeBufferPointer(rebasing: bytes[(prefix.count + 1)...])
        if below.starts(with: UnsafeBufferPointer(start: beacons.utf8Start, count: beacons.utf8CodeUnitCount)) {
            guard let topic = Self.beacon(UnsafeBufferPointer(rebasing: below[beacons.utf8CodeUnitCount...])) else {
                return nil
            }
            self = topic
            return
        }
        // The limit is one level above the longest topic, so that longer topics match none.
        let levels = below.split(
            separator: UInt8(ascii: "/"), maxSplits: 6, omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        let topic: Topic? =
            switch levels.first {
            case "gateways": Self.gateway(levels.dropFirst())
            case "regions": Self.region(levels.dropFirst())
            case "registry": Self.registry(levels.dropFirst())
            case "items": Self.item(levels.dropFirst())
            case "rooms": Self.room(levels.dropFirst())
            case "aggregator": Self.aggregator(levels.dropFirst())
            case "aggregators": Self.named(levels.dropFirst())
            default: nil
            }
        guard let topic else { return nil }
        self = topic
    }

    private typealias Levels = ArraySlice<String>

    /// `{gateway}/availability`, `{gateway}/request/{what}` …
    private static func gateway(_ levels: Levels) -> Topic? {
        guard let gateway = id(levels.first), let kind = levels.dropFirst().first else { return nil }
        let below = levels.dropFirst(2)
        switch (kind, below.isEmpty) {
        case ("availability", true): return .gatewayAvailability(gateway: gateway)
        case ("info", true): return .gatewayInfo(gateway: gateway)
        case ("telemetry", true): return .gatewayTelemetry(gateway: gateway)
        case ("request", false): return what(below).map { .gatewayRequest(gateway: gateway, what: $0) }
        case ("response", false): return what(below).map { .gatewayResponse(gateway: gateway, what: $0) }
        default: return nil
        }
    }

    /// `{uuid}/{major}/{minor}/{gateway}/proximity`, `…/event`: read without an array of levels.
    private static func beacon(_ text: UnsafeBufferPointer<UInt8>) -> Topic? {
        var rest = text
        /// The next level, up to a slash or the end.
        func level() -> UnsafeBufferPointer<UInt8> {
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.count
            let level = UnsafeBufferPointer(rebasing: rest[..<end])
            rest = UnsafeBufferPointer(rebasing: rest[min(end + 1, rest.count)...])
            return level
        }
        // A beacon has exactly one topic, so capital letters are refused.
        guard let uuid = BeaconUUID(lowerCase: level()), let major = UInt16(plainDecimal: level()),
            let minor = UInt16(plainDecimal: level())
        else { return nil }
        let gateway = level()
        guard isValidID(utf8: gateway) else { return nil }
        let beacon = BeaconIdentity(uuid: uuid, major: major, minor: minor)
        // The last level ends the text, so it may be compared with all that is left.
        if rest.elementsEqual("proximity".utf8) {
            return .proximity(beacon, gateway: String(decoding: gateway, as: UTF8.self))
        }
        if rest.elementsEqual("event".utf8) {
            return .beaconEvent(beacon, gateway: String(decoding: gateway, as: UTF8.self))
        }
        return nil
    }

    /// `{region}/{gateway}/state`, `…/event`
    private static func region(_ levels: Levels) -> Topic? {
        let levels = Array(levels)
        guard levels.count == 3, let region = id(levels[0]), let gateway = id(levels[1]) else { return nil }
        switch levels[2] {
        case "state": return .regionState(region: region, gateway: gateway)
        case "event": return .regionEvent(region: region, gateway: gateway)
        default: return nil
        }
    }

    /// `items/{item}`, `regions/{region}`, `manifest`, `manifest/{part}`
    private static func registry(_ levels: Levels) -> Topic? {
        switch (levels.first, levels.count) {
        case ("items", 2): id(levels.last).map { .registryItem($0) }
        case ("regions", 2): id(levels.last).map { .registryRegion($0) }
        case ("manifest", 1): .registryManifest
        case ("manifest", 2): part(levels.last).map { .registryPart($0) }
        default: nil
        }
    }

    private static func part(_ level: String?) -> Int? {
        guard let level, let number = Int(level), (0..<RegistryPart.count).contains(number), "\(number)" == level
        else { return nil }
        return number
    }

    /// `{item}/location`, `{item}/request/acknowledge` …
    private static func item(_ levels: Levels) -> Topic? {
        guard let item = id(levels.first) else { return nil }
        switch Array(levels.dropFirst()) {
        case ["location"]: return .itemLocation(item: item)
        case ["event"]: return .itemEvent(item: item)
        case ["notification"]: return .itemNotification(item: item)
        case ["notification", "event"]: return .itemNotificationEvent(item: item)
        case ["request", "acknowledge"]: return .itemAcknowledge(item: item)
        default: return nil
        }
    }

    /// `{room}/occupancy`; the topics of `mqtt_room` have one level less.
    private static func room(_ levels: Levels) -> Topic? {
        guard levels.count == 2, levels.last == "occupancy" else { return nil }
        return id(levels.first).map { .roomOccupancy(room: $0) }
    }

    /// `availability`, `info`, `members/{name}/availability`, `request/{what}`, `response/{what}`
    private static func aggregator(_ levels: Levels) -> Topic? {
        let below = levels.dropFirst()
        switch (levels.first, below.isEmpty) {
        case ("availability", true): return .aggregatorAvailability
        case ("info", true): return .aggregatorInfo
        case ("shares", true): return .aggregatorShares
        case ("members", false):
            guard below.count == 2, below.last == "availability" else { return nil }
            return id(below.first).map { .aggregatorMember(name: $0) }
        case ("request", false): return what(below).map { .aggregatorRequest(what: $0) }
        case ("response", false): return what(below).map { .aggregatorResponse(what: $0) }
        default: return nil
        }
    }

    /// `{name}/availability`, `{name}/info`, `{name}/shares`
    private static func named(_ levels: Levels) -> Topic? {
        guard levels.count == 2, let name = id(levels.first) else { return nil }
        switch levels.last {
        case "availability": return .namedAvailability(aggregator: name)
        case "info": return .namedInfo(aggregator: name)
        case "shares": return .namedShares(aggregator: name)
        default: return nil
        }
    }

    private static func id(_ level: String?) -> String? {
        guard let level, isValidID(level) else { return nil }
        return level
    }

    /// Reads `what` of one or two levels, each of which must be a valid id.
    private static func what(_ levels: Levels) -> String? {
        guard levels.count <= 2, levels.allSatisfy({ isValidID($0) }) else { return nil }
        return levels.joined(separator: "/")
    }
}

extension Subscriber {
    /// The registry, with the manifest and its parts first: if the broker's queue drops messages, they show which are
    /// missing.
    private static func registry(under prefix: TopicPrefix) -> [Subscription] {
        [Subscription("\(prefix.text)/registry/manifest/+")]
            + [Topic.registryManifest, .registryItem("+"), .registryRegion("+")].map {
                Subscription($0.name(under: prefix))
            }
    }

    /// The filters of the ranged states of all beacons, or of those in shares.
    public static func rangedStates(of shares: [BeaconShare]?, under prefix: TopicPrefix) -> [String] {
        let levels = shares?.map { "\($0.uuid)/\($0.major.map { "\($0)" } ?? "+")" } ?? ["+/+"]
        return levels.map { "\(prefix.text)/beacons/\($0)/+/+/proximity" }
    }

    /// The subscriptions of an aggregator that receives the ranged states of its shares alone.
    ///
    /// The events of all beacons and regions of a gateway have consecutive numbers. An aggregator that received only a part of them could not
    /// distinguish a lost event from one of another share, so each receives them all. The ranged states are nearly all messages.
    public func subscriptions(under prefix: TopicPrefix, rangedStatesOf shares: [BeaconShare]?) -> [Subscription] {
        let all = subscriptions(under: prefix)
        guard shares != nil else { return all }
        let broad = Set(Self.rangedStates(of: nil, under: prefix))
        return all.filter { !broad.contains($0.filter) }
            + Self.rangedStates(of: shares, under: prefix).map { Subscription($0, .atMostOnce) }
    }

    /// The subscriptions of every aggregator.
    private static func decider(under prefix: TopicPrefix) -> [Subscription] {
        let each = "+"
        let p = prefix.text
        return registry(under: prefix) + [
            Subscription(Topic.aggregatorShares.name(under: prefix)),
            Subscription(Topic.namedShares(aggregator: each).name(under: prefix)),
            Subscription(Topic.namedAvailability(aggregator: each).name(under: prefix)),
            Subscription(Topic.gatewayAvailability(gateway: each).name(under: prefix)),
            Subscription(Topic.gatewayInfo(gateway: each).name(under: prefix)),
            Subscription("\(p)/gateways/+/response/#"),
            Subscription("\(p)/beacons/+/+/+/+/proximity", .atMostOnce),
            Subscription("\(p)/beacons/+/+/+/+/event"),
            Subscription(Topic.regionEvent(region: each, gateway: each).name(under: prefix)),
            Subscription(Topic.itemNotification(item: each).name(under: prefix)),
            Subscription(Topic.itemAcknowledge(item: each).name(under: prefix)),
            Subscription("\(p)/aggregator/request/#"),
        ]
    }

    /// The subscriptions of a reader; no message matches two of them.
    public func subscriptions(under prefix: TopicPrefix) -> [Subscription] {
        // A wildcard replaces an id: the formatter above also formats wildcards.
        let each = "+"
        let p = prefix.text
        switch self {
        case .gateway(let id):
            return Self.registry(under: prefix) + [
                Subscription("\(p)/gateways/\(id)/request/#")
            ]
        case .aggregator:
            return Self.decider(under: prefix) + [
                Subscription(Topic.regionState(region: each, gateway: each).name(under: prefix)),
                Subscription(Topic.itemLocation(item: each).name(under: prefix)),
            ]
        case .namedAggregator:
            return Self.decider(under: prefix) + [
                Subscription(Topic.aggregatorAvailability.name(under: prefix))
            ]
        case .member:
            return Self.aggregator.subscriptions(under: prefix) + [
                Subscription(Topic.aggregatorAvailability.name(under: prefix)),
                Subscription(Topic.aggregatorInfo.name(under: prefix)),
                Subscription(Topic.aggregatorMember(name: each).name(under: prefix)),
                Subscription(Topic.response(.alive).name(under: prefix)),
                Subscription(Topic.response(.history).name(under: prefix)),
                Subscription(Topic.itemEvent(item: each).name(under: prefix)),
            ]
        case .viewer:
            return [
                Subscription(Topic.aggregatorAvailability.name(under: prefix)),
                Subscription(Topic.aggregatorInfo.name(under: prefix)),
                Subscription(Topic.aggregatorShares.name(under: prefix)),
                Subscription(Topic.namedAvailability(aggregator: each).name(under: prefix)),
                Subscription(Topic.namedInfo(aggregator: each).name(under: prefix)),
                Subscription(Topic.namedShares(aggregator: each).name(under: prefix)),
                Subscription(Topic.gatewayAvailability(gateway: each).name(under: prefix)),
                Subscription(Topic.gatewayInfo(gateway: each).name(under: prefix)),
                Subscription("\(p)/registry/#"),
                Subscription(Topic.itemLocation(item: each).name(under: prefix)),
                Subscription(Topic.itemNotification(item: each).name(under: prefix)),
            ]
        case .roomSensors:
            return [Subscription(Topic.roomOccupancy(room: each).name(under: prefix))]
        case .rangedStates:
            return [Subscription("\(p)/beacons/+/+/+/+/proximity", .atMostOnce)]
        case .follower:
            return [Subscription(Topic.itemEvent(item: each).name(under: prefix))]
        case .askerOfGateways(let request):
            return [Subscription(Topic.response(request, of: each).name(under: prefix))]
        case .askerOfAggregator(let request):
            return [Subscription(Topic.response(request).name(under: prefix))]
        }
    }
}
