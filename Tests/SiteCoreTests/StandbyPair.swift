import Beacons
import Delivery
import EventLogs
import Messages
import Settings
import SiteTestSupport

@testable import SiteCore

/// Aggregators of one site that share a broker, which delivers at once and in order what each subscribes to: a test without sockets.
struct StandbyPair {
    struct Member {
        var driver: SiteDriver
        var disk = TestDisk()
        /// Receives and decides nothing.
        var isStopped = false
        fileprivate var seat = Seat.absent
        fileprivate let filters: [String]
        /// What the broker keeps for the member while it is down.
        fileprivate var queue: [(topic: String, payload: [UInt8])] = []
        fileprivate var starts: UInt32 = 1
        fileprivate var number: UInt64 = 0
    }

    /// The connection of a member with the client id that all share.
    fileprivate enum Seat {
        case absent, held
        /// The broker has ended the connection, and the member does not know.
        case lost
    }

    static let uuid = BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!

    var members: [String: Member] = [:]
    /// Everything that was published over the seat, by topic and payload.
    private(set) var published: [(topic: Topic, payload: [UInt8])] = []
    /// The responses of all, by topic and payload.
    private(set) var responses: [(topic: Topic, payload: [UInt8])] = []
    private var retained: [String: [UInt8]] = [:]
    private(set) var now = 0.0
    private(set) var logged: [String] = []
    private var seqs: [String: UInt64] = [:]
    private var logs = TestEventLogs()
    private var waiting: [(topic: String, payload: [UInt8])] = []
    /// Between two moments at which the members do something, in seconds.
    var step = 1.0

    /// More tables of the files of all.
    let tables: String

    init(_ names: String..., tables: String = "") {
        self.tables = tables
        for name in names { start(name) }
    }

    /// Starts an aggregator, with the files of its predecessor of that name.
    mutating func start(_ name: String) {
        let toml = """
            [standby]
            name = "\(name)"
            [[item]]
            name = "Laptop bag"
            uuid = "\(Self.uuid)"
            major = 1
            minor = 2
            \(tables)
            """
        let reading = readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        let configuration = reading.configuration!
        let starts = (members[name]?.starts ?? 0) + 1
        let (disk, queue) = (members[name]?.disk ?? TestDisk(), members[name]?.queue ?? [])
        let filters = Subscriber.member.subscriptions(
            under: .standard, rangedStatesOf: configuration.subscribe.shares
        ).map(\.filter)
        members[name] = Member(
            driver: SiteDriver(
                configuration, boot: Boot("\(starts).\(String((name + "abcd").prefix(4)))")!,
                stored: try! TestDisk.stored(disk.files), at: TestSite.moment(now)),
            disk: disk, filters: filters, starts: starts)
        handle(.broker(.connected), by: name)
        for (topic, payload) in retained.sorted(by: { $0.key < $1.key })
        where filters.contains(where: { DividedSite.matches($0, topic) }) {
            handle(.broker(.message(topic: topic, payload: payload, isRetained: true)), by: name)
        }
        deliver(queue, to: name)
        deliver()
    }

    private mutating func deliver(_ queue: [(topic: String, payload: [UInt8])], to name: String) {
        for (topic, payload) in queue {
            handle(.broker(.message(topic: topic, payload: payload, isRetained: false)), by: name)
        }
    }

    /// An aggregator is told to end, as by an update of its package: it publishes and writes what there is.
    mutating func end(_ name: String) {
        guard var member = members[name] else { return }
        let moment = TestSite.moment(now)
        let farewell = member.driver.stop(at: moment)
        members[name] = member
        carryOut(by: name)
        for message in farewell { send(message) }
        members[name]?.driver.end()
        carryOut(by: name)
        members[name]?.isStopped = true
        members[name]?.seat = .absent
        deliver()
    }

    /// The active aggregator ends without a word; the broker publishes its will.
    mutating func kill(_ name: String) {
        members[name]?.isStopped = true
        if members[name]?.seat == .held { publish(.aggregatorAvailability, Availability.offline.bytes) }
        members[name]?.seat = .absent
        deliver()
    }

    /// An aggregator goes on that was stopped: time passes for it before it has read anything, and then it learns what became of its connections.
    ///
    /// - Parameter isCut: whether its own connection is gone.
    mutating func resume(_ name: String, isCut: Bool = true) {
        members[name]?.isStopped = false
        if !isCut { handle(.timePassed, by: name) }
        if members[name]?.seat == .lost {
            members[name]?.seat = .absent
            handle(.seat(.disconnected("taken over")), by: name)
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

    /// An aggregator neither receives nor decides anything; its connections stay open.
    mutating func stop(_ name: String) { members[name]?.isStopped = true }

    var active: [String] { members.filter { !$0.value.isStopped && $0.value.driver.pipeline.isActive }.keys.sorted() }

    mutating func advance(to end: Double) {
        while now < end {
            now += step
            for name in members.keys.sorted() {
                handle(.timePassed, by: name)
                // A response is read from the log in steps, one right after the other.
                while members[name]?.isStopped == false, members[name]?.driver.pipeline.isReadingLog == true {
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

    private mutating func carryOut(by name: String) {
        guard var member = members[name] else { return }
        let moment = TestSite.moment(now)
        var claims = false
        while let action = member.driver.nextAction(at: moment.instant) {
            if member.disk.carryOut(action, for: &member.driver, at: moment) { continue }
            switch action {
            case .publish(let message, let event):
                precondition(member.seat != .absent, "\(message.topic) was published without the seat")
                member.number += 1
                member.driver.handle(.published(member.number), at: moment)
                // The broker has closed the connection.
                guard member.seat == .held else { continue }
                send(message)
                if let topic = Topic(named: message.topic, under: .standard) {
                    published.append((topic, message.payload))
                }
                if event != nil { member.driver.handle(.seat(.acknowledged(member.number)), at: moment) }
            case .publishOnOwnConnection(let message): send(message)
            case .claimSeat: claims = true
            case .releaseSeat: member.seat = .absent
            case .log(_, let line): logged.append("\(now) \(name): \(line)")
            default: break
            }
        }
        members[name] = member
        if claims { claim(by: name) }
    }

    /// The broker gives the seat to who connects last.
    private mutating func claim(by name: String) {
        for other in members.keys where members[other]?.seat == .held {
            publish(.aggregatorAvailability, Availability.offline.bytes)
            let isStopped = members[other]?.isStopped == true
            members[other]?.seat = isStopped ? .lost : .absent
            if other != name { handle(.seat(.disconnected("taken over")), by: other) }
        }
        members[name]?.seat = .held
        handle(.seat(.connected), by: name)
    }

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
            for name in members.keys.sorted()
            where members[name]!.filters.contains(where: { DividedSite.matches($0, topic) }) {
                if members[name]?.isStopped == true { members[name]?.queue.append((topic, payload)) }
                handle(.broker(.message(topic: topic, payload: payload, isRetained: false)), by: name)
            }
            if let response = logs.response(to: topic, payload, at: stamp) {
                send(OutgoingMessage(response, under: .standard))
            }
        }
    }

    /// Publishes a message of a gateway or of a person.
    mutating func publish(_ topic: Topic, _ payload: [UInt8]) {
        send(OutgoingMessage(Message(topic, bytes: payload), under: .standard))
    }

    mutating func deliver(_ topic: Topic, _ payload: [UInt8]) {
        publish(topic, payload)
        deliver()
    }

    private var stamp: Stamp {
        Stamp(at: TestSite.start + .seconds(now), boot: Boot("17.kfqx")!, uptime: .zero + .seconds(500 + now))
    }

    mutating func gateway(_ id: String, room: String) {
        deliver(.gatewayAvailability(gateway: id), Availability.online.bytes)
        let info = GatewayInfo(
            gateway: id, room: room, version: "1", stamp: stamp,
            radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 1)
        deliver(.gatewayInfo(gateway: id), info.bytes)
    }

    mutating func event(_ transition: Transition, at gateway: String, of beacon: BeaconIdentity = TestSite.bag) {
        seqs[gateway, default: 0] += 1
        let event = BeaconEvent(
            transition, seq: seqs[gateway]!, stamp: stamp, gateway: gateway, beacon: beacon, regions: [])
        logs[gateway, default: []].append(event)
        deliver(.beaconEvent(event.beacon, gateway: gateway), event.bytes)
    }

    mutating func ranged(at gateway: String, beacon: BeaconIdentity = TestSite.bag) {
        let state = RangedState(
            gateway: gateway, proximity: .near, accuracy: 1.5, rssi: -60, sightings: 9, addresses: 1, stamp: stamp,
            validFor: 25)
        deliver(.proximity(beacon, gateway: gateway), state.bytes)
    }

    /// The bag enters and is ranged, or exits.
    mutating func bag(_ transition: Transition, at gateway: String) { beacon(TestSite.bag, transition, at: gateway) }

    /// A beacon enters and is ranged, or exits.
    mutating func beacon(_ beacon: BeaconIdentity, _ transition: Transition, at gateway: String) {
        event(transition, at: gateway, of: beacon)
        if transition == .enter {
            ranged(at: gateway, beacon: beacon)
        } else {
            deliver(.proximity(beacon, gateway: gateway), [])
        }
    }

    /// The last location of the bag.
    var location: ItemLocation? {
        published.last { $0.topic == .itemLocation(item: "laptop-bag") }.flatMap {
            try? ItemLocation(parsing: $0.payload)
        }
    }

    /// What was published of the bag, in short.
    var story: [String] { events.map(\.change.word) }

    /// The events that were published, without those that a reader knows by their id.
    var events: [ItemEvent] {
        var ids: Set<EventID> = []
        return published.compactMap { topic, payload in
            guard case .itemEvent = topic, let event = try? ItemEvent(parsing: payload) else { return nil }
            return ids.insert(event.id).inserted ? event : nil
        }
    }
}
