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
    case gatewayResponse(gateway: String, what: String)
    /// The ranged state of one beacon at one gateway.
    case proximity(BeaconIdentity, gateway: String)
    /// `enter` or `exit` of one beacon at one gateway.
    case beaconEvent(BeaconIdentity, gateway: String)
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
    case itemLocation(item: String)
    /// What the tag of an item reports about itself.
    case itemHealth(item: String)
    /// The identities from which the tag of an item advertises for a while, published by another program.
    case itemAliases(item: String)
    /// The event that an item moved, left or returned.
    case itemEvent(item: String)
    case itemNotification(item: String)
    case itemNotificationEvent(item: String)
    /// A request that ends the repetition of a notification.
    case itemAcknowledge(item: String)
    case personLocation(person: String)
    /// The event that a person arrived, departed or moved.
    case personEvent(person: String)
    /// Who is in a room; `room` is the id made from the room's name.
    case roomPeople(room: String)
    case roomItems(room: String)
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
    case namedAvailability(aggregator: String)
    case namedInfo(aggregator: String)
    case namedShares(aggregator: String)
    /// A request to the aggregator; `what` has one level or two (`items/add`).
    case aggregatorRequest(what: String)
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
        case .itemHealth(let item): "\(p)/items/\(item)/health"
        case .itemAliases(let item): "\(p)/items/\(item)/aliases"
        case .itemEvent(let item): "\(p)/items/\(item)/event"
        case .itemNotification(let item): "\(p)/items/\(item)/notification"
        case .itemNotificationEvent(let item): "\(p)/items/\(item)/notification/event"
        case .itemAcknowledge(let item): "\(p)/items/\(item)/request/acknowledge"
        case .personLocation(let person): "\(p)/people/\(person)/location"
        case .personEvent(let person): "\(p)/people/\(person)/event"
        case .roomPeople(let room): "\(p)/rooms/\(room)/people"
        case .roomItems(let room): "\(p)/rooms/\(room)/items"
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
        guard let topic = Self.topic(levels) else { return nil }
        self = topic
    }

    /// The topics that have only ids and fixed levels, by their levels with `+` for each id.
    private static let forms: [String: @Sendable ([String]) -> Topic] = [
        "gateways/+/availability": { .gatewayAvailability(gateway: $0[0]) },
        "gateways/+/info": { .gatewayInfo(gateway: $0[0]) },
        "gateways/+/telemetry": { .gatewayTelemetry(gateway: $0[0]) },
        "regions/+/+/state": { .regionState(region: $0[0], gateway: $0[1]) },
        "regions/+/+/event": { .regionEvent(region: $0[0], gateway: $0[1]) },
        "registry/items/+": { .registryItem($0[0]) },
        "registry/regions/+": { .registryRegion($0[0]) },
        "registry/manifest": { _ in .registryManifest },
        "items/+/location": { .itemLocation(item: $0[0]) },
        "items/+/health": { .itemHealth(item: $0[0]) },
        "items/+/aliases": { .itemAliases(item: $0[0]) },
        "items/+/event": { .itemEvent(item: $0[0]) },
        "items/+/notification": { .itemNotification(item: $0[0]) },
        "items/+/notification/event": { .itemNotificationEvent(item: $0[0]) },
        "items/+/request/acknowledge": { .itemAcknowledge(item: $0[0]) },
        "people/+/location": { .personLocation(person: $0[0]) },
        "people/+/event": { .personEvent(person: $0[0]) },
        // The topics of `mqtt_room` have one level less.
        "rooms/+/occupancy": { .roomOccupancy(room: $0[0]) },
        "rooms/+/people": { .roomPeople(room: $0[0]) },
        "rooms/+/items": { .roomItems(room: $0[0]) },
        "aggregator/availability": { _ in .aggregatorAvailability },
        "aggregator/info": { _ in .aggregatorInfo },
        "aggregator/shares": { _ in .aggregatorShares },
        "aggregator/members/+/availability": { .aggregatorMember(name: $0[0]) },
        "aggregators/+/availability": { .namedAvailability(aggregator: $0[0]) },
        "aggregators/+/info": { .namedInfo(aggregator: $0[0]) },
        "aggregators/+/shares": { .namedShares(aggregator: $0[0]) },
    ]

    private static func topic(_ levels: [String]) -> Topic? {
        if levels.count == 3, levels.starts(with: ["registry", "manifest"]) {
            return part(levels[2]).map { .registryPart($0) }
        }
        let places =
            switch levels[0] {
            case "regions": 1..<3
            case "registry", "aggregator": 2..<3
            default: 1..<2
            }
        let ids = levels[places.clamped(to: levels.indices)]
        guard ids.allSatisfy({ isValidID($0) }) else { return nil }
        var form = levels
        for place in ids.indices { form[place] = "+" }
        if let topic = forms[form.joined(separator: "/")] { return topic(Array(ids)) }
        switch (levels[0], levels.dropFirst(levels[0] == "gateways" ? 2 : 1).first) {
        case ("gateways", "request"): return what(levels[3...]).map { .gatewayRequest(gateway: levels[1], what: $0) }
        case ("gateways", "response"): return what(levels[3...]).map { .gatewayResponse(gateway: levels[1], what: $0) }
        case ("aggregator", "request"): return what(levels[2...]).map { .aggregatorRequest(what: $0) }
        case ("aggregator", "response"): return what(levels[2...]).map { .aggregatorResponse(what: $0) }
        default: return nil
        }
    }

    /// `{uuid}/{major}/{minor}/{gateway}/proximity`, `…/event`: read without an array of levels.
    private static func beacon(_ text: UnsafeBufferPointer<UInt8>) -> Topic? {
        var rest = text
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

    private static func part(_ level: String) -> Int? {
        Int(level).flatMap { (0..<RegistryPart.count).contains($0) && "\($0)" == level ? $0 : nil }
    }

    /// Reads `what` of one or two levels, each of which must be a valid id.
    private static func what(_ levels: ArraySlice<String>) -> String? {
        guard (1...2).contains(levels.count), levels.allSatisfy({ isValidID($0) }) else { return nil }
        return levels.joined(separator: "/")
    }
}

extension Subscriber {
    /// The registry, with the manifest and its parts first: if the broker's queue drops messages, they show which are
    /// missing.
    private static func registry(under prefix: TopicPrefix) -> [Subscription] {
        [Subscription("\(prefix.text)/registry/manifest/+")]
            + filters([.registryManifest, .registryItem(each), .registryRegion(each)], under: prefix)
    }

    /// The filters of the ranged states of all beacons, or of those in shares.
    package static func rangedStates(of shares: [BeaconShare]?, under prefix: TopicPrefix) -> [String] {
        let levels = shares?.map { "\($0.uuid)/\($0.major.map { "\($0)" } ?? "+")" } ?? ["+/+"]
        return levels.map { "\(prefix.text)/beacons/\($0)/+/+/proximity" }
    }

    /// The subscriptions of an aggregator that receives the ranged states of its shares alone.
    ///
    /// The events of all beacons and regions of a gateway have consecutive numbers. An aggregator that received only a part of them could not
    /// distinguish a lost event from one of another share, so each receives them all. The ranged states are nearly all messages.
    package func subscriptions(under prefix: TopicPrefix, rangedStatesOf shares: [BeaconShare]?) -> [Subscription] {
        let all = subscriptions(under: prefix)
        guard shares != nil else { return all }
        let broad = Set(Self.rangedStates(of: nil, under: prefix))
        return all.filter { !broad.contains($0.filter) }
            + Self.rangedStates(of: shares, under: prefix).map { Subscription($0, .atMostOnce) }
    }

    private static func decider(under prefix: TopicPrefix) -> [Subscription] {
        registry(under: prefix)
            + filters(
                [
                    .aggregatorShares, .namedShares(aggregator: each), .namedAvailability(aggregator: each),
                    .gatewayAvailability(gateway: each), .gatewayInfo(gateway: each),
                ], under: prefix)
            + [
                Subscription("\(prefix.text)/gateways/+/response/#"),
                Subscription("\(prefix.text)/beacons/+/+/+/+/proximity", .atMostOnce),
                Subscription("\(prefix.text)/beacons/+/+/+/+/event"),
            ]
            + filters(
                [
                    .regionEvent(region: each, gateway: each), .itemHealth(item: each), .itemNotification(item: each),
                    .itemAcknowledge(item: each),
                ], under: prefix)
            + [Subscription("\(prefix.text)/aggregator/request/#")]
    }

    /// A wildcard replaces an id: `Topic.name(under:)` formats wildcards as well.
    private static let each = "+"

    private static func filters(_ topics: [Topic], under prefix: TopicPrefix) -> [Subscription] {
        topics.map { Subscription($0.name(under: prefix)) }
    }

    /// The subscriptions of a reader; no message matches two of them.
    package func subscriptions(under prefix: TopicPrefix) -> [Subscription] {
        let each = Self.each
        func filters(_ topics: Topic...) -> [Subscription] { Self.filters(topics, under: prefix) }
        switch self {
        case .gateway(let id):
            return Self.registry(under: prefix) + filters(.itemAliases(item: each))
                + [Subscription("\(prefix.text)/gateways/\(id)/request/#")]
        case .aggregator:
            return Self.decider(under: prefix)
                + filters(
                    .regionState(region: each, gateway: each), .itemLocation(item: each), .personLocation(person: each),
                    .roomPeople(room: each), .roomItems(room: each), .aggregatorAvailability)
        case .namedAggregator: return Self.decider(under: prefix) + filters(.aggregatorAvailability)
        case .member:
            return Self.aggregator.subscriptions(under: prefix)
                + filters(
                    .aggregatorInfo, .aggregatorMember(name: each), .response(.alive),
                    .response(.history), .itemEvent(item: each))
        case .viewer:
            return filters(
                .aggregatorAvailability, .aggregatorInfo, .aggregatorShares, .namedAvailability(aggregator: each),
                .namedInfo(aggregator: each), .namedShares(aggregator: each), .gatewayAvailability(gateway: each),
                .gatewayInfo(gateway: each))
                + [Subscription("\(prefix.text)/registry/#")]
                + filters(
                    .itemLocation(item: each), .itemHealth(item: each), .itemNotification(item: each),
                    .personLocation(person: each))
        case .roomSensors: return filters(.roomOccupancy(room: each))
        case .rangedStates: return [Subscription("\(prefix.text)/beacons/+/+/+/+/proximity", .atMostOnce)]
        case .follower: return filters(.itemEvent(item: each))
        case .askerOfGateways(let request): return filters(.response(request, of: each))
        case .askerOfAggregator(let request): return filters(.response(request))
        }
    }
}
