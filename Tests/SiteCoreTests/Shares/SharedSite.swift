import Beacons
import Channels
import Delivery
import Messages
import Settings
import SiteTestSupport

@testable import SiteCore

/// Several aggregators of one site, as a pair or with a share each, gateways, and a broker that delivers at once and in order what each
/// subscribes to: a test without sockets.
struct SharedSite {
    struct Member {
        fileprivate var machine: AggregatorMachine
        /// Receives and decides nothing.
        fileprivate(set) var isStopped = false
        /// The ranged states that the broker has delivered to this aggregator.
        fileprivate(set) var rangedStates = 0
        fileprivate var seat = Seat.absent
        fileprivate let filters: [String]
        /// What the broker stores for the member while it is down.
        fileprivate var queue: [(topic: String, payload: [UInt8])] = []

        var driver: AggregatorDriver {
            _read { yield machine.driver }
            _modify { yield &machine.driver }
        }
        var disk: TestDisk {
            _read { yield machine.disk }
            _modify { yield &machine.disk }
        }
    }

    /// The connection of a member with the client id that all of a pair share.
    fileprivate enum Seat {
        case absent, held
        /// The broker has ended the connection, and the member does not know.
        case lost
    }

    static let uuid = BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!

    static func beacon(_ major: UInt16, _ minor: UInt16) -> BeaconIdentity {
        BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }

    /// The table of an item.
    static func item(_ name: String, major: UInt16, minor: UInt16 = 1) -> String {
        "[[item]]\nname = \"\(name)\"\nuuid = \"\(uuid)\"\nmajor = \(major)\nminor = \(minor)\n"
    }

    /// The table of a share.
    static func share(_ major: UInt16? = nil) -> String {
        "[[subscribe]]\nuuid = \"\(uuid)\"\n" + (major.map { "major = \($0)\n" } ?? "")
    }

    /// By name; the one without a name has the empty one.
    var members: [String: Member] = [:]
    /// Everything that the aggregators published, with who did.
    private(set) var published: [(by: String, topic: Topic, payload: [UInt8])] = []
    /// What was published for Home Assistant.
    private(set) var discovery: [(by: String, topic: String, payload: [UInt8])] = []
    /// The responses of all, also those that only another aggregator reads.
    private(set) var responses: [(topic: Topic, payload: [UInt8])] = []
    /// The messages to persons that were sent, and by whom.
    private(set) var deliveries: [(member: String, delivery: Channels.Delivery)] = []
    private(set) var retained: [String: [UInt8]] = [:]
    private(set) var now = 0.0
    private(set) var logged: [String] = []
    /// Between two moments at which the members do something, in seconds.
    var step = 1.0
    private var starts: UInt32 = 0
    private var waiting: [(topic: String, payload: [UInt8])] = []
    private var seqs: [String: UInt64] = [:]
    private var logs = TestEventLogs()
    private var rooms: [String: String] = [:]
    /// The beacons that each gateway has inside.
    private var inside: [String: Set<BeaconIdentity>] = [:]
    /// More tables of the files of a pair; `nil`: the aggregators are no pair.
    private let tables: String?

    /// A site without aggregators. The gateways repeat what they publish; the broker stores nothing for who is down.
    init() { tables = nil }

    /// Aggregators of which one is active. The gateways publish what a test asks for alone; the broker stores it for who is down.
    init(pair names: String..., tables: String = "") {
        self.tables = tables
        for name in names { startMember(name) }
    }

    // MARK: Aggregators

    /// Starts an aggregator of a pair, with the files of its predecessor of that name.
    mutating func startMember(_ name: String) {
        start("[standby]\nname = \"\(name)\"\n" + Self.item("Laptop bag", major: 1, minor: 2) + (tables ?? ""))
    }

    /// Starts an aggregator with a configuration, and with the files of its predecessor.
    mutating func start(_ toml: String) {
        let reading = readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        precondition(reading.problems.isEmpty, "\(reading.problems)")
        let configuration = reading.configuration!
        let name = configuration.standby?.name ?? configuration.subscribe.name ?? ""
        starts += 1
        let (disk, queue) = (members[name]?.disk ?? TestDisk(), members[name]?.queue ?? [])
        let subscriber: Subscriber =
            configuration.standby != nil
            ? .member : configuration.subscribe.name == nil ? .aggregator : .namedAggregator
        let filters = subscriber.subscriptions(under: .standard, rangedStatesOf: configuration.subscribe.shares)
        let driver = AggregatorDriver(
            configuration, boot: Boot("\(starts).\(String("\(name)aggr".filter(\.isLetter).prefix(4)))")!,
            stored: try! TestDisk.stored(disk.files), random: SplitMix64(seed: UInt64(starts)),
            secret: configuration.standby.map { _ in Array("a secret that both of a pair share".utf8) },
            at: TestSite.moment(now))
        members[name] = Member(
            machine: AggregatorMachine(driver, disk: disk), filters: filters.map(\.filter) + ["homeassistant/#"])
        handle(.broker(.connected), by: name)
        for (topic, payload) in retained.sorted(by: { $0.key < $1.key }) where subscribes(name, topic) {
            handle(.broker(.message(topic: topic, payload: payload, isRetained: true)), by: name)
        }
        deliver(queue, to: name)
        deliver()
    }

    /// An aggregator is stopped, as by an update of its package: it publishes and writes what there is.
    mutating func end(_ name: String) {
        let farewell = members[name]?.driver.stop(at: TestSite.moment(now)) ?? []
        carryOut(by: name)
        for message in farewell { send(message) }
        members[name]?.driver.site.end()
        carryOut(by: name)
        members[name]?.isStopped = true
        members[name]?.seat = .absent
        deliver()
    }

    /// An aggregator ends without a word; the broker publishes its will.
    mutating func kill(_ name: String) {
        members[name]?.isStopped = true
        if tables == nil {
            publish(name.isEmpty ? .aggregatorAvailability : .namedAvailability(aggregator: name), .offline)
        } else if members[name]?.seat == .held {
            publish(.aggregatorAvailability, .offline)
        }
        members[name]?.seat = .absent
        deliver()
    }

    /// An aggregator neither receives nor decides anything; its connections stay open.
    mutating func stop(_ name: String) { members[name]?.isStopped = true }

    /// An aggregator goes on that was stopped: time passes for it before it has read anything, and then it learns what became of its connections.
    ///
    /// - Parameter isCut: whether its own connection is gone.
    mutating func resume(_ name: String, isCut: Bool = true) {
        members[name]?.isStopped = false
        if !isCut { handle(.timePassed, by: name) }
        if members[name]?.seat == .lost {
            members[name]?.seat = .absent
            handle(seat: .disconnected("taken over"), by: name)
        }
        if isCut {
            handle(.broker(.disconnected("closed")), by: name)
            handle(.broker(.connected), by: name)
        }
        let queue = members[name]?.queue ?? []
        members[name]?.queue = []
        deliver(queue, to: name)
        deliver()
    }

    /// The broker drops what it stores for an aggregator that is down: it does so after a day.
    mutating func dropQueue(of name: String) { members[name]?.queue = [] }

    /// The broker was killed, and has what it retained at some earlier time.
    mutating func restoreBroker(_ retained: [String: [UInt8]]) {
        self.retained = retained
        for name in members.keys { dropQueue(of: name) }
    }

    /// Which of a pair publish.
    var active: [String] { members.filter { !$0.value.isStopped && $0.value.driver.isActive }.keys.sorted() }

    mutating func advance(to end: Double) {
        while now < end {
            now += step
            if tables == nil { repeatStates() }
            for name in members.keys.sorted() {
                handle(.timePassed, by: name)
                // A response is read from the log in steps, one right after the other.
                while members[name]?.isStopped == false, members[name]?.driver.site.pipeline.isReadingLog == true {
                    handle(.timePassed, by: name)
                }
            }
            deliver()
        }
    }

    private mutating func handle(_ input: SiteDriver.Input, by name: String) {
        guard members[name]?.isStopped == false else { return }
        members[name]?.driver.handle(input, at: TestSite.moment(now))
        carryOut(by: name)
    }

    private mutating func handle(seat event: BrokerEvent, by name: String) {
        guard members[name]?.isStopped == false else { return }
        members[name]?.driver.handle(seat: event, at: TestSite.moment(now))
        carryOut(by: name)
    }

    private mutating func carryOut(by name: String) {
        guard var member = members[name] else { return }
        let moment = TestSite.moment(now)
        var (seat, claims) = (member.seat, false)
        member.machine.run(at: moment) { output, machine in
            switch output {
            case .publish(let message, let number, let event):
                precondition(tables == nil || seat != .absent, "\(message.topic) was published without the seat")
                // The broker has closed the connection.
                guard tables == nil || seat == .held else { return }
                send(message)
                if let topic = Topic(named: message.topic, under: .standard) {
                    published.append((name, topic, message.payload))
                } else {
                    discovery.append((name, message.topic, message.payload))
                }
                guard event != nil else { return }
                if tables == nil {
                    machine.driver.handle(.broker(.acknowledged(number)), at: moment)
                } else {
                    machine.driver.handle(seat: .acknowledged(number), at: moment)
                }
            case .publishOnOwnConnection(let message): send(message)
            case .claimSeat: claims = true
            case .releaseSeat: seat = .absent
            case .deliver(let delivery):
                deliveries.append((name, delivery))
                machine.driver.handle(.delivered(delivery.number, .taken), at: moment)
            case .log(let line): logged.append("\(now) \(name): \(line)")
            }
        }
        member.seat = seat
        members[name] = member
        if claims { claim(by: name) }
    }

    /// The broker gives the seat to who connects last.
    private mutating func claim(by name: String) {
        for other in members.keys where members[other]?.seat == .held {
            publish(.aggregatorAvailability, .offline)
            let isStopped = members[other]?.isStopped == true
            members[other]?.seat = isStopped ? .lost : .absent
            if other != name { handle(seat: .disconnected("taken over"), by: other) }
        }
        members[name]?.seat = .held
        handle(seat: .connected, by: name)
    }

    // MARK: The broker

    private mutating func send(_ message: OutgoingMessage) {
        if message.retain { retained[message.topic] = message.payload.isEmpty ? nil : message.payload }
        waiting.append((message.topic, message.payload))
        if let topic = Topic(named: message.topic, under: .standard), case .aggregatorResponse = topic {
            responses.append((topic, message.payload))
        }
    }

    private mutating func deliver() {
        while !waiting.isEmpty {
            let (topic, payload) = waiting.removeFirst()
            for name in members.keys.sorted() where subscribes(name, topic) {
                if members[name]?.isStopped == true, tables != nil { members[name]?.queue.append((topic, payload)) }
                if topic.hasSuffix("/proximity") { members[name]?.rangedStates += 1 }
                handle(.broker(.message(topic: topic, payload: payload, isRetained: false)), by: name)
            }
            if let response = logs.response(to: topic, payload, at: stamp) {
                send(OutgoingMessage(response, under: .standard))
            }
        }
    }

    private mutating func deliver(_ queue: [(topic: String, payload: [UInt8])], to name: String) {
        for (topic, payload) in queue {
            handle(.broker(.message(topic: topic, payload: payload, isRetained: false)), by: name)
        }
    }

    private func subscribes(_ name: String, _ topic: String) -> Bool {
        members[name]?.filters.contains { Self.matches($0, topic) } ?? false
    }

    /// Whether an MQTT filter matches a topic.
    private static func matches(_ filter: String, _ topic: String) -> Bool {
        let filter = filter.split(separator: "/", omittingEmptySubsequences: false)
        let topic = topic.split(separator: "/", omittingEmptySubsequences: false)
        for (index, level) in filter.enumerated() {
            if level == "#" { return true }
            guard index < topic.count, level == "+" || level == topic[index] else { return false }
        }
        return filter.count == topic.count
    }

    private mutating func publish(_ topic: Topic, _ availability: Availability) {
        send(OutgoingMessage(Message(topic, availability), under: .standard))
    }

    /// A gateway, a person or the broker publishes a message.
    mutating func deliver(_ topic: Topic, _ payload: [UInt8]) {
        send(OutgoingMessage(Message(topic, bytes: payload), under: .standard))
        deliver()
    }

    // MARK: Gateways

    private var stamp: Stamp {
        Stamp(at: TestSite.start + .seconds(now), boot: Boot("17.kfqx")!, uptime: .zero + .seconds(500 + now))
    }

    /// A gateway starts.
    mutating func gateway(_ id: String, room: String) {
        rooms[id] = room
        deliver(.gatewayAvailability(gateway: id), Availability.online.bytes)
        heartbeat(id, room: room)
    }

    /// A gateway stops for good.
    mutating func endGateway(_ id: String) {
        rooms[id] = nil
        deliver(.gatewayAvailability(gateway: id), Availability.offline.bytes)
    }

    private mutating func repeatStates() {
        if Int(now) % 30 == 0 {
            for (id, room) in rooms.sorted(by: { $0.key < $1.key }) { heartbeat(id, room: room) }
        }
        guard Int(now) % 10 == 0 else { return }
        for (gateway, beacons) in inside.sorted(by: { $0.key < $1.key }) {
            for beacon in beacons.sorted() { ranged(beacon, at: gateway) }
        }
    }

    private mutating func heartbeat(_ id: String, room: String) {
        let seqs = tables == nil ? seqs[id].map { SeqRange(from: 1, to: $0) } : nil
        let info = GatewayInfo(
            gateway: id, room: room, version: "1", stamp: stamp,
            radio: GatewayInfo.Radio(source: "test", state: .poweredOn),
            log: seqs.map { [LogRange(boot: stamp.boot, seqs: $0)] } ?? [], regions: 1)
        deliver(.gatewayInfo(gateway: id), info.bytes)
    }

    /// The bag enters and is ranged, or exits.
    mutating func bag(_ transition: Transition, at gateway: String) { beacon(TestSite.bag, transition, at: gateway) }

    /// A beacon enters and is ranged, or exits. The events of all beacons have consecutive numbers.
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

    mutating func ranged(
        _ beacon: BeaconIdentity = TestSite.bag, at gateway: String, readings: TagReadings = TagReadings()
    ) {
        let state = RangedState(
            gateway: gateway, proximity: .near, accuracy: 1.5, rssi: -60, sightings: 9, addresses: 1,
            readings: readings, stamp: stamp, validFor: 25)
        deliver(.proximity(beacon, gateway: gateway), state.bytes)
    }

    // MARK: What was published

    /// The last location of an item that the broker retains.
    func location(of item: String = "laptop-bag") -> ItemLocation? {
        retained[Topic.itemLocation(item: item).name(under: .standard)].flatMap { try? ItemLocation(parsing: $0) }
    }

    /// Who published locations of an item since a place in `published`.
    func publishers(of item: String, since: Int = 0) -> Set<String> {
        Set(published[since...].filter { $0.topic == .itemLocation(item: item) }.map(\.by))
    }

    /// The events that were published, without those that a reader knows by their id.
    var events: [ItemEvent] {
        var ids: Set<EventID> = []
        return published.compactMap { _, topic, payload in
            guard case .itemEvent = topic, let event = try? ItemEvent(parsing: payload) else { return nil }
            return ids.insert(event.id).inserted ? event : nil
        }
    }

    /// What was published of all items, in short.
    var story: [String] { events.map(\.change.word) }

    /// The events of an item, with who published each.
    func events(of item: String) -> [String] {
        published.compactMap { by, topic, payload in
            guard topic == .itemEvent(item: item), let event = try? ItemEvent(parsing: payload) else { return nil }
            return "\(by) \(event.change.word)"
        }
    }

    /// The last `info` of an aggregator.
    func info(of name: String) -> AggregatorInfo? {
        let topic: Topic = name.isEmpty ? .aggregatorInfo : .namedInfo(aggregator: name)
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
