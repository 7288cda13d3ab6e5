import Beacons
import Foundation
import Messages
import Testing

private let uuid = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"

/// Every topic of the reference's page Topics.
private let all: [(Topic, String)] = [
    (.gatewayAvailability(gateway: "kitchen"), "gateways/kitchen/availability"),
    (.gatewayInfo(gateway: "kitchen"), "gateways/kitchen/info"),
    (.gatewayTelemetry(gateway: "kitchen"), "gateways/kitchen/telemetry"),
    (.gatewayRequest(gateway: "kitchen", what: "regions/state"), "gateways/kitchen/request/regions/state"),
    (.gatewayRequest(gateway: "kitchen", what: "beacons"), "gateways/kitchen/request/beacons"),
    (.gatewayResponse(gateway: "kitchen", what: "events"), "gateways/kitchen/response/events"),
    (.gatewayResponse(gateway: "kitchen", what: "radio/restart"), "gateways/kitchen/response/radio/restart"),
    (.proximity(bag, gateway: "kitchen"), "beacons/\(uuid)/1/2/kitchen/proximity"),
    (
        .beaconEvent(BeaconIdentity(uuid: bagUUID, major: 0, minor: 65535), gateway: "hall"),
        "beacons/\(uuid)/0/65535/hall/event"
    ),
    (.regionState(region: "bags", gateway: "kitchen"), "regions/bags/kitchen/state"),
    (.regionEvent(region: "bags", gateway: "kitchen"), "regions/bags/kitchen/event"),
    (.registryItem("laptop-bag"), "registry/items/laptop-bag"),
    (.registryRegion("bags"), "registry/regions/bags"),
    (.registryManifest, "registry/manifest"),
    (.registryPart(7), "registry/manifest/7"),
    (.itemLocation(item: "laptop-bag"), "items/laptop-bag/location"),
    (.itemHealth(item: "laptop-bag"), "items/laptop-bag/health"),
    (.itemAliases(item: "laptop-bag"), "items/laptop-bag/aliases"),
    (.itemEvent(item: "laptop-bag"), "items/laptop-bag/event"),
    (.itemNotification(item: "laptop-bag"), "items/laptop-bag/notification"),
    (.itemNotificationEvent(item: "laptop-bag"), "items/laptop-bag/notification/event"),
    (.itemAcknowledge(item: "laptop-bag"), "items/laptop-bag/request/acknowledge"),
    (.personLocation(person: "anna"), "people/anna/location"),
    (.personEvent(person: "anna"), "people/anna/event"),
    (.roomPeople(room: "living-room"), "rooms/living-room/people"),
    (.roomItems(room: "living-room"), "rooms/living-room/items"),
    (.roomOccupancy(room: "living-room"), "rooms/living-room/occupancy"),
    (.aggregatorAvailability, "aggregator/availability"),
    (.aggregatorInfo, "aggregator/info"),
    (.aggregatorMember(name: "left"), "aggregator/members/left/availability"),
    (.aggregatorShares, "aggregator/shares"),
    (.namedAvailability(aggregator: "north"), "aggregators/north/availability"),
    (.namedInfo(aggregator: "north"), "aggregators/north/info"),
    (.namedShares(aggregator: "north"), "aggregators/north/shares"),
    (.aggregatorRequest(what: "items/add"), "aggregator/request/items/add"),
    (.aggregatorResponse(what: "learning"), "aggregator/response/learning"),
]

/// Whether an MQTT filter matches a topic, by the standard's rules (4.7.1).
private func matches(_ filter: String, _ name: String) -> Bool {
    let filter = filter.split(separator: "/", omittingEmptySubsequences: false)
    let name = name.split(separator: "/", omittingEmptySubsequences: false)
    for (index, level) in filter.enumerated() {
        if level == "#" { return true }
        guard index < name.count, level == "+" || level == name[index] else { return false }
    }
    return filter.count == name.count
}

@Suite struct TopicTests {
    @Test func `the reference's tables have every topic, with its writer, QoS and retention`() throws {
        let text = try file("Documentation/Forgetmenot.docc/Topics.md")
        var kinds: [String] = []
        for row in text.split(separator: "\n") where row.hasPrefix("| `forgetmenot/") {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            var name = cells[0].trimmingCharacters(in: ["`"])
            for (word, example) in ["uuid": uuid, "major": "1", "minor": "2", "part": "7"] {
                name = name.replacing("{\(word)}", with: example)
            }
            for word in ["item", "gateway", "region", "room", "person", "what", "name"] {
                name = name.replacing("{\(word)}", with: "x")
            }
            let topic = try #require(Topic(named: name, under: .standard), "\(row)")
            #expect(cells[1] == writer(of: name), "\(row)")
            #expect(cells[2] == (topic.isRetained ? "yes" : "no"), "\(row)")
            #expect(cells[3] == "\(topic.qos.rawValue)", "\(row)")
            #expect(cells[4].hasPrefix("<doc:") || kind(topic) == "itemAcknowledge", "\(row)")
            kinds.append(kind(topic))
        }
        #expect(kinds.sorted() == Set(all.map { kind($0.0) }).sorted())
    }

    @Test func `the list of topics in these tests is complete`() throws {
        let declared = try file("Sources/Messages/Wire/Topic.swift").split(separator: "\n")
            .filter { $0.hasPrefix("    case ") }
            .map { String($0.dropFirst(9).prefix { $0 != "(" }) }
        #expect(declared.sorted() == Set(all.map { kind($0.0) }).sorted())
    }

    /// A file of this repository.
    private func file(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The writer of a topic according to the access control of `broker-setup`.
    private func writer(of name: String) -> String {
        if name.contains("/request/") || name.hasSuffix("/occupancy") || name.hasSuffix("/aliases") { return "anyone" }
        let isGateways = ["gateways", "beacons", "regions"].contains { name.hasPrefix("forgetmenot/\($0)/") }
        return isGateways ? "gateway" : "aggregator"
    }

    /// The name of the topic's case.
    private func kind(_ topic: Topic) -> String { String("\(topic)".prefix { $0 != "(" }) }

    @Test(arguments: ["forgetmenot", "home/forgetmenot", "a b/ü/c"])
    func `every topic is written and read under its prefix`(prefix: String) throws {
        let prefix = try #require(TopicPrefix(prefix))
        for (topic, name) in all {
            #expect(topic.name(under: prefix) == "\(prefix)/\(name)")
            #expect(Topic(named: "\(prefix)/\(name)", under: prefix) == topic)
            #expect(Topic(named: "other/\(name)", under: prefix) == nil)
            #expect(Topic(named: name, under: prefix) == nil)
            #expect(Topic(named: "\(prefix)/\(name)/more/and/more", under: prefix) == nil)
            #expect(Topic(named: "\(prefix)/\(name)/", under: prefix) == nil)
            #expect(Topic(named: "\(prefix)//\(name)", under: prefix) == nil)
        }
    }

    @Test(arguments: [
        "", "/", "forgetmenot", "forgetmenot/", "forgetmenot//", "forgetmenotx/aggregator/info",
        "/forgetmenot/aggregator/info",
        "forgetmenot/gateways", "forgetmenot/gateways/kitchen", "forgetmenot/gateways//info",
        "forgetmenot/gateways/Kitchen/info", "forgetmenot/gateways/-k/info", "forgetmenot/gateways/+/info",
        "forgetmenot/gateways/k\u{0}/info", "forgetmenot/gateways/küche/info", "forgetmenot/gateways/kitchen/infos",
        "forgetmenot/gateways/kitchen/request", "forgetmenot/gateways/kitchen/request/",
        "forgetmenot/gateways/kitchen/request/a/b/c", "forgetmenot/gateways/kitchen/request/a/",
        "forgetmenot/gateways/kitchen/request/A", "forgetmenot/gateways/kitchen/info/x",
        "forgetmenot/beacons/\(uuid)/1/2/kitchen", "forgetmenot/beacons/\(uuid)/1/2/kitchen/state",
        "forgetmenot/beacons/F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/2/kitchen/event",
        "forgetmenot/beacons/f7826da64fa24e988024bc5b71e0893e/1/2/kitchen/event",
        "forgetmenot/beacons/\(uuid)/01/2/kitchen/event", "forgetmenot/beacons/\(uuid)/+1/2/kitchen/event",
        "forgetmenot/beacons/\(uuid)/-1/2/kitchen/event", "forgetmenot/beacons/\(uuid)/65536/2/kitchen/event",
        "forgetmenot/beacons/\(uuid)/1//kitchen/event", "forgetmenot/beacons/\(uuid)/1/00/kitchen/event",
        "forgetmenot/beacons/\(uuid)/1/99999999999999999999999/kitchen/event",
        "forgetmenot/beacons/\(uuid)/1/２/kitchen/event",
        "forgetmenot/regions/bags/kitchen", "forgetmenot/regions/bags/kitchen/proximity",
        "forgetmenot/registry", "forgetmenot/registry/items", "forgetmenot/registry/items/",
        "forgetmenot/registry/manifest/x", "forgetmenot/registry/manifest/64", "forgetmenot/registry/manifest/07",
        "forgetmenot/registry/manifest/-1", "forgetmenot/rooms/kitchen", "forgetmenot/rooms/Kitchen/occupancy",
        "forgetmenot/rooms/kitchen/occupied",
        "forgetmenot/registry/things/x", "forgetmenot/items/laptop-bag/request",
        "forgetmenot/items/laptop-bag/request/forget",
        "forgetmenot/aggregator", "forgetmenot/aggregator/telemetry", "forgetmenot/aggregator/request",
    ])
    func `a name that is no topic of the reference is refused`(name: String) {
        #expect(Topic(named: name, under: .standard) == nil)
    }

    @Test func `a hostile topic never crashes the reader, and a topic that is read is written the same`() {
        var generator = SplitMix64(seed: 3)
        var accepted = 0
        for _ in 0..<3000 {
            var bytes = Array(all.randomElement(using: &generator)!.0.name(under: .standard).utf8)
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                let position = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes.remove(at: position)
                case 1: bytes[position] = UInt8.random(in: .min ... .max, using: &generator)
                default: bytes.insert(Array("/+#-0a".utf8).randomElement(using: &generator)!, at: position)
                }
            }
            let name = String(decoding: bytes, as: UTF8.self)
            guard let topic = Topic(named: name, under: .standard) else { continue }
            accepted += 1
            #expect(topic.name(under: .standard).utf8.elementsEqual(name.utf8))
        }
        #expect(accepted > 150)
        #expect(Topic(named: "forgetmenot/" + String(repeating: "/", count: 65_000), under: .standard) == nil)
    }

    @Test(arguments: [
        "", "/", "a/", "/a", "a//b", "+", "a/#", "a+b", "$SYS", "a\u{0}", "a\nb", String(repeating: "x", count: 257),
        "a/b/c/d/e/f/g/h/i",
    ])
    func `a prefix that MQTT cannot carry is refused`(text: String) {
        #expect(TopicPrefix(text) == nil)
    }

    @Test func `each subscriber receives exactly the topics that it needs, and each once`() {
        func received(by subscriber: Subscriber) -> Set<Topic> {
            let filters = subscriber.subscriptions(under: .standard).map(\.filter)
            return Set(
                all.map(\.0).filter { topic in
                    let count = filters.count { matches($0, topic.name(under: .standard)) }
                    #expect(count <= 1, "\(topic) comes \(count) times to \(subscriber)")
                    return count > 0
                })
        }
        let registry: Set<Topic> = [
            .registryItem("laptop-bag"), .registryRegion("bags"), .registryManifest, .registryPart(7),
        ]
        let followed = registry.union([.itemAliases(item: "laptop-bag")])
        #expect(
            received(by: .gateway(id: "kitchen"))
                == followed.union(all.map(\.0).filter { if case .gatewayRequest = $0 { true } else { false } }))
        #expect(received(by: .gateway(id: "hall")) == followed)
        #expect(
            Set(all.map(\.0)).subtracting(received(by: .aggregator)) == [
                .gatewayTelemetry(gateway: "kitchen"), .gatewayRequest(gateway: "kitchen", what: "regions/state"),
                .gatewayRequest(gateway: "kitchen", what: "beacons"), .itemAliases(item: "laptop-bag"),
                .itemEvent(item: "laptop-bag"),
                .itemNotificationEvent(item: "laptop-bag"), .roomOccupancy(room: "living-room"),
                .personEvent(person: "anna"), .aggregatorInfo,
                .aggregatorMember(name: "left"),
                .namedInfo(aggregator: "north"), .aggregatorResponse(what: "learning"),
            ])
        #expect(
            received(by: .namedAggregator).symmetricDifference(received(by: .aggregator)) == [
                .regionState(region: "bags", gateway: "kitchen"), .itemLocation(item: "laptop-bag"),
                .personLocation(person: "anna"), .roomPeople(room: "living-room"), .roomItems(room: "living-room"),
            ])
        #expect(
            received(by: .member).subtracting(received(by: .aggregator)) == [
                .itemEvent(item: "laptop-bag"), .aggregatorInfo, .aggregatorMember(name: "left"),
            ])
        #expect(received(by: .roomSensors) == [.roomOccupancy(room: "living-room")])
        #expect(
            received(by: .viewer)
                == registry.union([
                    .aggregatorAvailability, .aggregatorInfo, .aggregatorShares,
                    .namedAvailability(aggregator: "north"), .namedInfo(aggregator: "north"),
                    .namedShares(aggregator: "north"), .gatewayAvailability(gateway: "kitchen"),
                    .gatewayInfo(gateway: "kitchen"), .itemLocation(item: "laptop-bag"),
                    .itemHealth(item: "laptop-bag"), .itemNotification(item: "laptop-bag"),
                    .personLocation(person: "anna"),
                ]))
        #expect(received(by: .follower) == [.itemEvent(item: "laptop-bag")])
        #expect(
            received(by: .askerOfGateways(.restartRadio))
                == [.gatewayResponse(gateway: "kitchen", what: "radio/restart")])
        #expect(received(by: .askerOfAggregator(.learning)) == [.aggregatorResponse(what: "learning")])
    }

    @Test func `an aggregator with shares receives the ranged states of its shares, and all other messages`() throws {
        let beacon = BeaconIdentity(uuid: bagUUID, major: 7, minor: 2)
        let inside = Topic.proximity(beacon, gateway: "kitchen"), event = Topic.beaconEvent(beacon, gateway: "kitchen")
        for (share, receives) in [
            (BeaconShare(uuid: bagUUID), true), (BeaconShare(uuid: bagUUID, major: 7), true),
            (BeaconShare(uuid: bagUUID, major: 8), false),
            (BeaconShare(uuid: BeaconUUID("00000000-0000-0000-0000-000000000001")!), false),
        ] {
            for subscriber in [Subscriber.aggregator, .namedAggregator, .member] {
                let filters = subscriber.subscriptions(under: .standard, rangedStatesOf: [share]).map(\.filter)
                func count(_ topic: Topic) -> Int { filters.count { matches($0, topic.name(under: .standard)) } }
                #expect(count(inside) == (receives ? 1 : 0), "\(share) \(subscriber)")
                #expect(count(event) == 1, "events of all beacons have consecutive numbers")
            }
        }
        for subscriber in [Subscriber.aggregator, .namedAggregator, .member] {
            #expect(
                subscriber.subscriptions(under: .standard, rangedStatesOf: nil)
                    == subscriber.subscriptions(under: .standard))
        }
    }

    @Test func `subscriptions have the prefix and the QoS of their topics`() throws {
        let prefix = try #require(TopicPrefix("home/forgetmenot"))
        #expect(
            Subscriber.gateway(id: "kitchen").subscriptions(under: prefix) == [
                Subscription("home/forgetmenot/registry/manifest/+"),
                Subscription("home/forgetmenot/registry/manifest"),
                Subscription("home/forgetmenot/registry/items/+"),
                Subscription("home/forgetmenot/registry/regions/+"),
                Subscription("home/forgetmenot/items/+/aliases"),
                Subscription("home/forgetmenot/gateways/kitchen/request/#"),
            ])
        for subscriber in [
            Subscriber.aggregator, .namedAggregator, .roomSensors, .viewer, .follower, .gateway(id: "kitchen"),
        ] {
            for subscription in subscriber.subscriptions(under: .standard) {
                for (topic, name) in all where matches(subscription.filter, "forgetmenot/" + name) {
                    #expect(subscription.qos == topic.qos)
                }
            }
        }
    }
}
