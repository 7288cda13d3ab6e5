import Beacons
import Delivery
import EventLogs
import Messages
import Settings
import SiteTestSupport

@testable import SiteCore

/// An aggregator's driver with its files in memory, and a connection that accepts everything.
struct DrivenSite {
    static let uuid = BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!

    var disk = TestDisk()
    var driver: SiteDriver
    var now = 0.0
    private(set) var logged: [String] = []
    /// The problems of the last `info`.
    private(set) var problems: [String] = []
    private var number: UInt64 = 0
    private var seqs: [String: UInt64] = [:]

    init(_ toml: String = "", boot: String = "3.aggr", files: [String: [UInt8]] = [:]) throws {
        disk.files = files
        let reading = readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        driver = SiteDriver(
            reading.configuration!, boot: Boot(boot)!, stored: try TestDisk.stored(files), at: TestSite.moment(0))
        handle(.broker(.connected))
        advance(to: 5)
    }

    mutating func advance(to end: Double) {
        while now < end {
            now += 1
            handle(.timePassed)
        }
    }

    mutating func handle(_ input: SiteDriver.Input) {
        let moment = TestSite.moment(now)
        driver.handle(input, at: moment)
        while let action = driver.nextAction(at: moment.instant) {
            if disk.carryOut(action, for: &driver, at: moment) { continue }
            switch action {
            case .publish(let message, let event):
                if message.topic == Topic.aggregatorInfo.name(under: .standard),
                    let info = try? AggregatorInfo(parsing: message.payload)
                {
                    problems = info.problems
                }
                number += 1
                driver.handle(.published(number), at: moment)
                if event != nil { driver.handle(.broker(.acknowledged(number)), at: moment) }
            case .log(_, let line): logged.append(line)
            default: break
            }
        }
    }

    mutating func deliver(_ topic: Topic, _ payload: [UInt8]) {
        handle(.broker(.message(topic: topic.name(under: .standard), payload: payload, isRetained: false)))
    }

    mutating func ask(_ what: String, _ json: String) { deliver(.aggregatorRequest(what: what), Array(json.utf8)) }

    mutating func importItems(_ numbers: Range<Int>) {
        let items = numbers.map { number in
            NewItem(name: "Thing \(number)", beacon: Self.beacon(number))
        }
        deliver(.aggregatorRequest(what: "items/import"), Request.bytes(of: ImportedItems(items: items)))
    }

    mutating func gateway(_ id: String) {
        let stamp = Stamp(
            at: TestSite.start + .seconds(now), boot: Boot("17.kfqx")!, uptime: .zero + .seconds(500 + now))
        deliver(.gatewayAvailability(gateway: id), Availability.online.bytes)
        let info = GatewayInfo(
            gateway: id, room: "Room \(id)", version: "1", stamp: stamp,
            radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 1)
        deliver(.gatewayInfo(gateway: id), info.bytes)
    }

    mutating func event(_ transition: Transition, _ number: Int, at gateway: String) {
        seqs[gateway, default: 0] += 1
        let stamp = Stamp(
            at: TestSite.start + .seconds(now), boot: Boot("17.kfqx")!, uptime: .zero + .seconds(500 + now))
        let event = BeaconEvent(
            transition, seq: seqs[gateway]!, stamp: stamp, gateway: gateway, beacon: Self.beacon(number),
            regions: [])
        deliver(.beaconEvent(event.beacon, gateway: gateway), event.bytes)
    }

    private static func beacon(_ number: Int) -> BeaconIdentity {
        BeaconIdentity(uuid: uuid, major: UInt16(number >> 8) + 100, minor: UInt16(number & 0xFF))
    }
}
