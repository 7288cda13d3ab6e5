import BareClient
import Beacons
import Delivery
import Linux
import Messages
import Settings
import SiteCore
import SiteTestSupport

/// A site in virtual time with any number of items, without broker and disk: what a ranged state costs the aggregator.
///
/// By default twelve gateways stand in six rooms. Each item is received by three of them, which publish a ranged state each period.
struct SiteLoad {
    /// What one run cost.
    struct Cost {
        /// Microseconds of processor time per ranged state, decoding and all that follows from it included.
        var microseconds: Double
        /// Processor time as a share of the virtual time, in percent.
        var percent: Double
        /// Messages that the aggregator published per ranged state.
        var published: Double
    }

    /// Gateways, two in each room.
    let gateways: Int
    private static let receivers = 3
    /// Messages that the connection hands over at once.
    private static let batch = 50
    private static let start = WallTime("2026-11-21T05:40:00Z")!
    private static let uuid = BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!

    private var machine: AggregatorMachine
    private let topics: [(name: String, gateway: Int)]
    /// The bytes of those topics, which are none of the aggregator's.
    private let ownBytes: Int
    private var now = 0.0
    private var published: Int { Int(machine.publications) }
    /// The messages of the aggregator that a broker would retain, by topic; only of a site that is to start again.
    private var retained: [String: [UInt8]]?
    private var random = SplitMix64(seed: 7)

    /// A site of so many items, at most as many as a registry holds, which are imported by command.
    ///
    /// - Parameter startsAgain: whether the messages are remembered that the next process receives.
    init(items: Int, gateways: Int = 12, startsAgain: Bool = false) {
        self.gateways = gateways
        machine = Self.machine(boot: "3.aggr", stored: nil, at: 0)
        let receivers = min(Self.receivers, gateways)
        let before = Self.allocated
        topics = (0..<items * receivers).map { index in
            let (item, receiver) = (index / receivers, index % receivers)
            let gateway = (item * 2 + receiver) % gateways
            return (Topic.proximity(Self.beacon(item), gateway: Self.id(gateway)).name(under: .standard), gateway)
        }
        ownBytes = Self.allocated - before
        if startsAgain { retained = [:] }
        machine.driver.handle(.broker(.connected), at: Self.moment(0))
        settle()
        while now < 10 { pass(1) }
        machine.disk.bytesWritten = 0
        let begin = Clock.processorTime
        importItems(items)
        importing = Clock.processorTime - begin
        heartbeats()
        let end = now + 10
        while now < end { pass(1) }
    }

    /// The processor time of the import.
    private(set) var importing = Interval.zero

    private static let configuration: AggregatorConfiguration = {
        let text = "[home_assistant]\ndiscovery = false\n"
        let reading = readSettings(Array(text.utf8), file: "bench") { AggregatorConfiguration($0) }
        guard let configuration = reading.configuration else { fatalError("\(reading.problems)") }
        return configuration
    }()

    /// The disk counts what is written to the state folder, and stores nothing: the memory of the aggregator is measured.
    private static func machine(boot: String, stored: StoredSite?, at seconds: Double) -> AggregatorMachine {
        let driver = AggregatorDriver(configuration, boot: Boot(boot)!, stored: stored, at: moment(seconds))
        return AggregatorMachine(driver, disk: TestDisk(storesFiles: false))
    }

    private static func beacon(_ item: Int) -> BeaconIdentity {
        BeaconIdentity(uuid: uuid, major: UInt16(item >> 8), minor: UInt16(item & 0xFF))
    }

    /// As `items import` does, with one request behind the other.
    private mutating func importItems(_ count: Int) {
        let topic = Topic.aggregatorRequest(what: "items/import").name(under: .standard)
        for first in stride(from: 0, to: count, by: ImportedItems.most) {
            let requested = (first..<min(first + ImportedItems.most, count)).map {
                NewItem(RegistryItem(name: "Item \($0)", beacon: Self.beacon($0)))
            }
            let payload = Request.bytes(of: ImportedItems(items: requested))
            machine.driver.handle(
                .broker(.message(topic: topic, payload: payload, isRetained: false)), at: Self.moment(now))
            settle()
            now += 0.02
        }
    }

    /// Publishes a ranged state of each item and receiver each `period` seconds, for `seconds`.
    ///
    /// - Parameter noise: by how many dB the RSSI of an item differs from one state to the next.
    mutating func run(period: Double, seconds: Double, noise: Int) -> Cost {
        var spent = Interval.zero
        let states = Int((Double(topics.count) * seconds / period).rounded())
        let before = published
        let step = period / Double(topics.count) * Double(Self.batch)
        let end = now + seconds
        var next = 0
        var payloads: [[[UInt8]]] = []
        var madeAt = -1.0
        while now < end {
            if now - madeAt >= 1 {
                publishHeartbeats()
                payloads = (0..<gateways).map { gateway in
                    (0...noise).map { state(gateway: gateway, rssi: -60 - Double($0), validFor: period * 2.5) }
                }
                madeAt = now
            }
            var messages: [BrokerEvent] = []
            for _ in 0..<Self.batch {
                let (name, gateway) = topics[next]
                next = (next + 1) % topics.count
                let payload = payloads[gateway][Int(random.next() % UInt64(noise + 1))]
                messages.append(.message(topic: name, payload: payload, isRetained: false))
            }
            let begin = Clock.processorTime
            for message in messages { machine.driver.handle(.broker(message), at: Self.moment(now)) }
            settle()
            spent = spent + (Clock.processorTime - begin)
            now += step
        }
        return Cost(
            microseconds: spent.seconds / Double(states) * 1e6, percent: spent.seconds / seconds * 100,
            published: Double(published - before) / Double(states))
    }

    /// What a ranged state costs once everything is known: at least 30,000 states of items that are carried about.
    static func cost(items: Int, gateways: Int = 12) -> Cost {
        var load = SiteLoad(items: items, gateways: gateways)
        _ = load.run(period: 1, seconds: 15, noise: 12)
        return load.run(period: 1, seconds: max(3, 30_000 / Double(items * receivers)), noise: 12)
    }

    /// Hands over so many ranged states of 200 known items to a site, for the count of instructions; returns how many messages followed.
    static func states(_ count: Int, gateways: Int) -> Int {
        var load = SiteLoad(items: 200, gateways: gateways)
        _ = load.run(period: 1, seconds: 4, noise: 3)
        _ = load.run(period: 1, seconds: Double(count) / Double(load.topics.count), noise: 3)
        return load.published
    }

    /// What an import costs: seconds of the processor, and the bytes that are written to the state folder.
    static func importCost(items: Int) -> (seconds: Double, bytes: Int) {
        let load = SiteLoad(items: items)
        return (load.importing.seconds, load.machine.disk.bytesWritten)
    }

    /// What a start costs with what a former process has left on the disk and in the broker: seconds of the processor until every item's
    /// location is published again.
    static func restartCost(items: Int) -> Double {
        var load = SiteLoad(items: items, startsAgain: true)
        _ = load.run(period: 10, seconds: 20, noise: 2)
        let (disk, retained) = (load.machine.driver.site.pipeline.stored.bytes, load.retained ?? [:])
        let begin = Clock.processorTime
        guard let stored = try? StoredSite(parsing: disk) else { fatalError("the site cannot be read back") }
        load.machine = machine(boot: "4.aggr", stored: stored, at: load.now)
        load.retained = [:]
        load.machine.driver.handle(.broker(.connected), at: moment(load.now))
        for (topic, payload) in retained {
            load.machine.driver.handle(
                .broker(.message(topic: topic, payload: payload, isRetained: true)), at: moment(load.now))
        }
        load.heartbeats()
        let end = load.now + 10
        while load.now < end { load.pass(1) }
        let cost = (Clock.processorTime - begin).seconds
        let locations = load.retained?.keys.count { $0.hasSuffix("/location") } ?? 0
        precondition(locations == items, "\(locations) locations of \(items) items")
        return cost
    }

    /// What messages about strangers cost: microseconds each, by how many bytes the memory grows, and what a ranged state costs meanwhile.
    ///
    /// - Parameter isRetained: whether they come as what the broker retained.
    static func flood(_ strangers: Int, isRetained: Bool) -> (microseconds: Double, growth: Int, state: Cost) {
        var load = SiteLoad(items: 100)
        _ = load.run(period: 1, seconds: 15, noise: 12)
        let payload = load.state(gateway: 0, rssi: -60, validFor: 25)
        let before = allocated
        var spent = Interval.zero
        for number in 0..<strangers {
            let beacon = BeaconIdentity(
                uuid: BeaconUUID(high: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, low: UInt64(number)),
                major: UInt16(truncatingIfNeeded: number), minor: 7)
            let topic = Topic.proximity(beacon, gateway: id(number % load.gateways)).name(under: .standard)
            let begin = Clock.processorTime
            load.machine.driver.handle(
                .broker(.message(topic: topic, payload: payload, isRetained: isRetained)), at: moment(load.now))
            if number % 1000 == 999 { load.pass(0.01) }
            spent = spent + (Clock.processorTime - begin)
        }
        let growth = allocated - before
        return (spent.seconds / Double(strangers) * 1e6, growth, load.run(period: 1, seconds: 30, noise: 12))
    }

    /// The bytes that are allocated. The resident memory would show too little, because what was freed is used again.
    private static var allocated: Int {
        Int(bare_allocated())
    }

    /// The memory of each item and gateway, in bytes, once each item was received for a while.
    @discardableResult
    static func memory<Result>(items: Int, gateways: Int, _ body: (Double) -> Result) -> Result {
        let before = allocated
        var load = SiteLoad(items: items, gateways: gateways)
        _ = load.run(period: 2, seconds: 20, noise: 2)
        let bytes = allocated - before - load.ownBytes
        return withExtendedLifetime(load) { body(Double(bytes) / Double(items * gateways)) }
    }

    private mutating func pass(_ seconds: Double) {
        now += seconds
        settle()
    }

    private mutating func heartbeats() {
        publishHeartbeats()
        settle()
    }

    /// Publishes that the gateways are there. What follows from the time that passed is carried out with the next `settle`.
    private mutating func publishHeartbeats() {
        for gateway in 0..<gateways {
            let id = Self.id(gateway)
            let info = GatewayInfo(
                gateway: id, room: "Room \(gateway / 2)", version: "1", stamp: stamp,
                radio: GatewayInfo.Radio(source: "bench", state: .poweredOn), regions: 1)
            for message in [
                Message(.gatewayAvailability(gateway: id), .online), Message(.gatewayInfo(gateway: id), info),
            ] {
                let name = message.topic.name(under: .standard)
                machine.driver.handle(
                    .broker(.message(topic: name, payload: message.payload, isRetained: false)), at: Self.moment(now))
            }
        }
    }

    /// Carries out what was decided, as the service does.
    private mutating func settle() {
        let moment = Self.moment(now)
        machine.driver.handle(.timePassed, at: moment)
        machine.run(at: moment) { output, machine in
            guard case .publish(let message, let number, let event) = output else { return }
            if message.retain { retained?[message.topic] = message.payload }
            if event != nil { machine.driver.handle(.broker(.acknowledged(number)), at: moment) }
        }
    }

    private func state(gateway: Int, rssi: Double, validFor: Double) -> [UInt8] {
        RangedState(
            gateway: Self.id(gateway), room: "Room \(gateway / 2)", proximity: .near, accuracy: 1.5, rssi: rssi,
            sightings: 9, measuredPower: MeasuredPower(dBm: -59), addresses: 1, stamp: stamp,
            validFor: max(5, UInt32(validFor))
        ).bytes
    }

    private var stamp: Stamp {
        Stamp(at: Self.start + .seconds(now), boot: Boot("17.kfqx")!, uptime: .zero + .seconds(500 + now))
    }

    private static func id(_ gateway: Int) -> String { "gateway-\(gateway)" }

    private static func moment(_ seconds: Double) -> Moment {
        Moment(instant: .zero + .seconds(1000 + seconds), wall: start + .seconds(seconds), isSynchronised: true)
    }
}
