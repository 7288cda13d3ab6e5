import Beacons
import Delivery
import Journal
import Linux
import Messages
import Settings
import SiteCore

/// A site in virtual time with as many items as wanted, without broker and disk: what a ranged state costs the aggregator.
///
/// Twelve gateways stand in six rooms. Each item is received by three of them, which publish a ranged state each period.
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

    private static let gateways = 12
    private static let receivers = 3
    /// Messages that the connection hands over at once.
    private static let batch = 50
    private static let start = WallTime("2026-11-21T05:40:00Z")!
    private static let uuid = BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!

    private var driver: SiteDriver
    private let topics: [(name: String, gateway: Int)]
    private var now = 0.0
    private var number: UInt64 = 0
    private var published = 0
    private var random = SplitMix64(seed: 7)

    /// A site of so many items, at most as many as a registry holds.
    init(items: Int) {
        var text = "[home_assistant]\ndiscovery = false\n"
        for item in 0..<items {
            text += "[[item]]\nname = \"Item \(item)\"\nuuid = \"\(Self.uuid)\"\n"
            text += "major = \(item >> 8)\nminor = \(item & 0xFF)\n"
        }
        let reading = readSettings(Array(text.utf8), file: "bench") { AggregatorConfiguration($0) }
        guard let configuration = reading.configuration else { fatalError("\(reading.problems)") }
        driver = SiteDriver(configuration, boot: Boot("3.aggr")!, kept: nil, at: Self.moment(0))
        topics = (0..<items * Self.receivers).map { index in
            let (item, receiver) = (index / Self.receivers, index % Self.receivers)
            let beacon = BeaconIdentity(uuid: Self.uuid, major: UInt16(item >> 8), minor: UInt16(item & 0xFF))
            let gateway = (item * 2 + receiver) % Self.gateways
            return (Topic.proximity(beacon, gateway: Self.id(gateway)).name(under: .standard), gateway)
        }
        driver.handle(.broker(.connected), at: Self.moment(0))
        settle()
        heartbeats()
        while now < 10 { pass(1) }
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
                heartbeats()
                payloads = (0..<Self.gateways).map { gateway in
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
            for message in messages { driver.handle(.broker(message), at: Self.moment(now)) }
            settle()
            spent = spent + (Clock.processorTime - begin)
            now += step
        }
        return Cost(
            microseconds: spent.seconds / Double(states) * 1e6, percent: spent.seconds / seconds * 100,
            published: Double(published - before) / Double(states))
    }

    /// What a ranged state costs once everything is known: at least 30,000 states of items that are carried about.
    static func cost(items: Int) -> Cost {
        var load = SiteLoad(items: items)
        _ = load.run(period: 1, seconds: 5, noise: 12)
        return load.run(period: 1, seconds: max(3, 30_000 / Double(items * receivers)), noise: 12)
    }

    private mutating func pass(_ seconds: Double) {
        now += seconds
        settle()
    }

    private mutating func heartbeats() {
        for gateway in 0..<Self.gateways {
            let id = Self.id(gateway)
            let info = GatewayInfo(
                gateway: id, room: "Room \(gateway / 2)", version: "1", stamp: stamp,
                radio: GatewayInfo.Radio(source: "bench", state: .poweredOn), regions: 1)
            for message in [
                Message(.gatewayAvailability(gateway: id), .online), Message(.gatewayInfo(gateway: id), info),
            ] {
                let name = message.topic.name(under: .standard)
                driver.handle(
                    .broker(.message(topic: name, payload: message.payload, isRetained: false)), at: Self.moment(now))
            }
        }
        settle()
    }

    /// Carries out what was decided, as the service does.
    private mutating func settle() {
        let moment = Self.moment(now)
        driver.handle(.timePassed, at: moment)
        while let action = driver.nextAction(at: moment.instant) {
            switch action {
            case .write(.open): driver.handle(.wrote(.opened(Catalogue())), at: moment)
            case .write: driver.handle(.wrote(.done), at: moment)
            case .read(let reading): driver.read(reading) { _, _ in [] }
            case .publish(_, let event):
                number += 1
                published += 1
                driver.handle(.published(number), at: moment)
                if event != nil { driver.handle(.broker(.acknowledged(number)), at: moment) }
            case .replace(let file, _), .append(let file, _): driver.handle(.replaced(file, problem: nil), at: moment)
            case .fetch, .learn, .notify, .log, .tell, .claimSeat, .releaseSeat: break
            }
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
