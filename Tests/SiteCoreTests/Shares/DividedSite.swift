import Beacons
import Delivery
import EventLogs
import Messages
import Settings
import SiteTestSupport

@testable import SiteCore

/// Several aggregators that each locate a part of one site, gateways, and a broker that delivers at once and in order what each subscribes to.
struct DividedSite {
    struct Member {
        var driver: SiteDriver
        var filters: [String]
        var disk = TestDisk()
        var isRunning = true
        fileprivate var number: UInt64 = 0
        /// The ranged states that the broker has delivered to this aggregator.
        var rangedStates = 0
    }

    static let uuid = BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!
    /// The aggregator without a name.
    static let main = ""

    static func beacon(_ major: UInt16, _ minor: UInt16) -> BeaconIdentity {
        BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }

    /// The tables of an item with a beacon of a major.
    static func item(_ name: String, major: UInt16) -> String {
        "[[item]]\nname = \"\(name)\"\nuuid = \"\(uuid)\"\nmajor = \(major)\nminor = 1\n"
    }

    /// The table of a share.
    static func share(_ major: UInt16? = nil) -> String {
        "[[subscribe]]\nuuid = \"\(uuid)\"\n" + (major.map { "major = \($0)\n" } ?? "")
    }

    var members: [String: Member] = [:]
    /// Everything that the aggregators published, with who did.
    private(set) var published: [(by: String, topic: Topic, payload: [UInt8])] = []
    /// What was published for Home Assistant.
    private(set) var discovery: [(by: String, topic: String, payload: [UInt8])] = []
    private(set) var retained: [String: [UInt8]] = [:]
    private(set) var now = 0.0
    private(set) var logged: [String] = []
    private var seqs: [String: UInt64] = [:]
    private var logs = TestEventLogs()
    private var waiting: [(topic: String, payload: [UInt8])] = []
    private var rooms: [String: String] = [:]
    /// The beacons that each gateway has inside.
    private var inside: [String: Set<BeaconIdentity>] = [:]
    private var starts: UInt32 = 0

    /// Starts an aggregator with a configuration, and with the files of its predecessor.
    mutating func start(_ toml: String) {
        let reading = readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        precondition(reading.problems.isEmpty, "\(reading.problems)")
        let configuration = reading.configuration!
        let name = configuration.subscribe.name ?? Self.main
        starts += 1
        let letters = String("\(name)aggr".filter(\.isLetter).prefix(4))
        let disk = members[name]?.disk ?? TestDisk()
        let subscriber = configuration.subscribe.name == nil ? Subscriber.aggregator : .namedAggregator
        let filters = subscriber.subscriptions(under: .standard, rangedStatesOf: configuration.subscribe.shares)
        members[name] = Member(
            driver: SiteDriver(
                configuration, boot: Boot("\(starts).\(letters)")!, stored: try! TestDisk.stored(disk.files),
                at: TestSite.moment(now)),
            filters: filters.map(\.filter) + ["homeassistant/#"], disk: disk)
        connect(name)
    }

    /// An aggregator connects, and receives what the broker retains.
    mutating func connect(_ name: String) {
        handle(.broker(.connected), by: name)
        let stored = retained.sorted { $0.key < $1.key }
        for filter in members[name]?.filters ?? [] {
            for (topic, payload) in stored where Self.matches(filter, topic) {
                handle(.broker(.message(topic: topic, payload: payload, isRetained: true)), by: name)
            }
        }
        deliver()
    }

    /// An aggregator ends without a word; the broker publishes its will.
    mutating func kill(_ name: String) {
        members[name]?.isRunning = false
        let topic: Topic = name == Self.main ? .aggregatorAvailability : .namedAvailability(aggregator: name)
        deliver(topic, Availability.offline.bytes)
    }

    mutating func advance(to end: Double) {
        while now < end {
            now += 1
            if Int(now) % 30 == 0 {
                for (id, room) in rooms.sorted(by: { $0.key < $1.key }) { heartbeat(id, room: room) }
            }
            if Int(now) % 10 == 0 {
                for (gateway, beacons) in inside.sorted(by: { $0.key < $1.key }) {
                    for beacon in beacons.sorted() { ranged(beacon, at: gateway) }
                }
            }
            for name in members.keys.sorted() { handle(.timePassed, by: name) }
            deliver()
        }
    }

    private mutating func handle(_ input: SiteDriver.Input, by name: String) {
        guard var member = members[name], member.isRunning else { return }
        let moment = TestSite.moment(now)
        if case .broker(.message(let topic, _, _)) = input, topic.hasSuffix("/proximity") { member.rangedStates += 1 }
        member.driver.handle(input, at: moment)
        while let action = member.driver.nextAction(at: moment.instant) {
            if member.disk.carryOut(action, for: &member.driver, at: moment) { continue }
            switch action {
            case .publish(let message, let event):
                send(message)
                if let topic = Topic(named: message.topic, under: .standard) {
                    published.append((name, topic, message.payload))
                } else {
                    discovery.append((name, message.topic, message.payload))
                }
                member.number += 1
                member.driver.handle(.published(member.number), at: moment)
                if event != nil { member.driver.handle(.broker(.acknowledged(member.number)), at: moment) }
            case .log(_, let line): logged.append("\(now) \(name): \(line)")
            default: break
            }
        }
        members[name] = member
    }

    private mutating func send(_ message: OutgoingMessage) {
        if message.retain { retained[message.topic] = message.payload.isEmpty ? nil : message.payload }
        waiting.append((message.topic, message.payload))
    }

    private mutating func deliver() {
        while !waiting.isEmpty {
            let (topic, payload) = waiting.removeFirst()
            for name in members.keys.sorted() where members[name]!.filters.contains(where: { Self.matches($0, topic) })
            {
                handle(.broker(.message(topic: topic, payload: payload, isRetained: false)), by: name)
            }
            if let response = logs.response(to: topic, payload, at: stamp) {
                send(OutgoingMessage(response, under: .standard))
            }
        }
    }

    /// Whether an MQTT filter matches a topic.
    static func matches(_ filter: String, _ topic: String) -> Bool {
        let filter = filter.split(separator: "/", omittingEmptySubsequences: false)
        let topic = topic.split(separator: "/", omittingEmptySubsequences: false)
        for (index, level) in filter.enumerated() {
            if level == "#" { return true }
            guard index < topic.count, level == "+" || level == topic[index] else { return false }
        }
        return filter.count == topic.count
    }

    /// A gateway, a person or the broker publishes a message.
    mutating func deliver(_ topic: Topic, _ payload: [UInt8]) {
        send(OutgoingMessage(Message(topic, bytes: payload), under: .standard))
        deliver()
    }

    private var stamp: Stamp {
        Stamp(at: TestSite.start + .seconds(now), boot: Boot("17.kfqx")!, uptime: .zero + .seconds(500 + now))
    }

    /// A gateway starts, and publishes its heartbeat from now on.
    mutating func gateway(_ id: String, room: String) {
        rooms[id] = room
        deliver(.gatewayAvailability(gateway: id), Availability.online.bytes)
        heartbeat(id, room: room)
    }

    /// A gateway stops for good.
    mutating func stop(_ id: String) {
        rooms[id] = nil
        deliver(.gatewayAvailability(gateway: id), Availability.offline.bytes)
    }

    private mutating func heartbeat(_ id: String, room: String) {
        let log = LogRange(boot: stamp.boot, seqs: SeqRange(from: 1, to: max(1, seqs[id] ?? 0)))
        let info = GatewayInfo(
            gateway: id, room: room, version: "1", stamp: stamp,
            radio: GatewayInfo.Radio(source: "test", state: .poweredOn), log: seqs[id] == nil ? [] : [log], regions: 1)
        deliver(.gatewayInfo(gateway: id), info.bytes)
    }

    /// A beacon enters and is ranged, or exits. The event of all beacons have consecutive numbers.
    mutating func beacon(_ beacon: BeaconIdentity, _ transition: Transition, at gateway: String) {
        seqs[gateway, default: 0] += 1
        let event = BeaconEvent(
            transition, seq: seqs[gateway]!, stamp: stamp, gateway: gateway, beacon: beacon, regions: [])
        logs[gateway, default: []].append(event)
        deliver(.beaconEvent(beacon, gateway: gateway), event.bytes)
        if transition == .enter {
            inside[gateway, default: []].insert(beacon)
            ranged(beacon, at: gateway)
        } else {
            inside[gateway]?.remove(beacon)
            deliver(.proximity(beacon, gateway: gateway), [])
        }
    }

    mutating func ranged(_ beacon: BeaconIdentity, at gateway: String) {
        let state = RangedState(
            gateway: gateway, proximity: .near, accuracy: 1.5, rssi: -60, sightings: 9, addresses: 1, stamp: stamp,
            validFor: 25)
        deliver(.proximity(beacon, gateway: gateway), state.bytes)
    }

    // MARK: What was published

    /// The last location of an item that the broker retains.
    func location(of item: String) -> ItemLocation? {
        retained[Topic.itemLocation(item: item).name(under: .standard)].flatMap { try? ItemLocation(parsing: $0) }
    }

    /// Who published locations of an item since a place in `published`.
    func publishers(of item: String, since: Int = 0) -> Set<String> {
        Set(published[since...].filter { $0.topic == .itemLocation(item: item) }.map(\.by))
    }

    /// The events of an item, with who published each.
    func events(of item: String) -> [String] {
        published.compactMap { by, topic, payload in
            guard topic == .itemEvent(item: item), let event = try? ItemEvent(parsing: payload) else { return nil }
            return "\(by) \(event.change.word)"
        }
    }

    /// The last `info` of an aggregator.
    func info(of name: String) -> AggregatorInfo? {
        let topic: Topic = name == Self.main ? .aggregatorInfo : .namedInfo(aggregator: name)
        return retained[topic.name(under: .standard)].flatMap { try? AggregatorInfo(parsing: $0) }
    }

    /// The responses to a request that is published now.
    mutating func ask(_ what: String, _ json: String) -> [String] {
        let before = published.count
        deliver(.aggregatorRequest(what: what), Array(json.utf8))
        return published[before...].filter { $0.topic == .aggregatorResponse(what: what) }
            .map { "\($0.by): \(String(decoding: $0.payload, as: UTF8.self))" }
    }
}
