import Beacons
import Channels
import Delivery
import Messages
import Settings
import SiteTestSupport

@testable import SiteCore

/// An aggregator's driver with its files in memory, and a connection that accepts everything.
struct DrivenSite {
    static let uuid = BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!

    private var machine: AggregatorMachine
    var now = 0.0
    private(set) var logged: [String] = []
    /// The problems of the last `info`.
    private(set) var problems: [String] = []
    /// The deliveries that the driver wants, with what was on the disk then.
    private(set) var deliveries: [(delivery: Channels.Delivery, files: [String: [UInt8]])] = []
    /// The responses to requests.
    private(set) var responses: [String] = []
    private var seqs: [String: UInt64] = [:]

    init(_ toml: String = "", boot: String = "3.aggr", files: [String: [UInt8]] = [:]) throws {
        var disk = TestDisk()
        disk.files = files
        let reading = readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        machine = AggregatorMachine(
            AggregatorDriver(
                reading.configuration!, boot: Boot(boot)!, stored: try TestDisk.stored(files),
                random: SplitMix64(seed: 7), at: TestSite.moment(0)), disk: disk)
        handle(.broker(.connected))
        advance(to: 5)
    }

    var disk: TestDisk {
        _read { yield machine.disk }
        _modify { yield &machine.disk }
    }
    var driver: SiteDriver {
        _read { yield machine.driver.site }
        _modify { yield &machine.driver.site }
    }

    mutating func advance(to end: Double) {
        while now < end {
            now += 1
            handle(.timePassed)
        }
    }

    mutating func handle(_ input: SiteDriver.Input) {
        let moment = TestSite.moment(now)
        machine.driver.handle(input, at: moment)
        machine.run(at: moment) { output, machine in
            switch output {
            case .publish(let message, let number, let event):
                if message.topic == Topic.aggregatorInfo.name(under: .standard),
                    let info = try? AggregatorInfo(parsing: message.payload)
                {
                    problems = info.problems
                }
                if message.topic.contains("/response/") {
                    responses.append(String(decoding: message.payload, as: UTF8.self))
                }
                if event != nil { machine.driver.handle(.broker(.acknowledged(number)), at: moment) }
            case .deliver(let delivery): deliveries.append((delivery, machine.disk.files))
            case .log(let line): logged.append(line)
            case .publishOnOwnConnection, .claimSeat, .releaseSeat: break
            }
        }
    }

    mutating func deliver(_ topic: Topic, _ payload: [UInt8]) {
        handle(.broker(.message(topic: topic.name(under: .standard), payload: payload, isRetained: false)))
    }

    mutating func ask(_ what: String, _ json: String) { deliver(.aggregatorRequest(what: what), Array(json.utf8)) }

    mutating func importItems(_ numbers: Range<Int>) {
        let items = numbers.map { number in
            NewItem(RegistryItem(name: "Thing \(number)", beacon: Self.beacon(number)))
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
