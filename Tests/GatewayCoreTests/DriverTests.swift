import Beacons
import Delivery
import EventLogs
import Messages
import Settings
import SiteTestSupport
import Testing

@testable import GatewayCore

/// A gateway on a machine with a disk in memory.
private struct DrivenGateway {
    var machine: GatewayMachine
    private(set) var published: [OutgoingMessage] = []
    private(set) var events: [Place] = []
    private(set) var logged: [String] = []
    /// The events that the broker has not acknowledged yet, by number.
    private var unacknowledged: [(number: UInt64, topic: String)] = []

    init(
        boot: String = "17.kfqx", id: String = "kitchen", _ toml: String = TestGateway.bagRegion,
        after former: DrivenGateway? = nil
    ) {
        let text = "id = \"\(id)\"\nroom = \"Kitchen\"\n" + toml
        let reading = readSettings(Array(text.utf8), file: "test.toml") { GatewayConfiguration($0, hostName: "host") }
        let moment = TestGateway.moment(0)
        let driver = GatewayDriver(
            reading.configuration!, boot: Boot(boot)!,
            stored: GatewayDriver.StoredFiles(
                registry: nil, states: nil, silences: nil, discovery: former?.text(of: .discovery) ?? "",
                components: former?.text(of: .components) ?? ""), machine: "machine", at: moment,
            machineTime: moment.instant)
        machine = GatewayMachine(driver, disk: former?.machine.disk ?? VirtualDisk())
        drain(at: 0)
    }

    var driver: GatewayDriver { machine.driver }

    private func text(of file: GatewayFile) -> String {
        String(decoding: machine.disk.files[file.rawValue] ?? [], as: UTF8.self)
    }

    func states() throws -> StoredStates { try StoredStates(parsing: Array(text(of: .states).utf8)) }

    mutating func handle(_ input: GatewayDriver.Input, at seconds: Double) {
        machine.handle(input, at: TestGateway.moment(seconds))
    }

    /// Hands over what happens, and carries out what follows; time does not pass.
    mutating func take(_ event: BrokerEvent, at seconds: Double) {
        handle(.broker(event), at: seconds)
        drain(at: seconds)
    }

    mutating func throwOut(at seconds: Double) {
        let moment = TestGateway.moment(seconds)
        machine.driver.wasThrownOut(at: moment, machineTime: moment.instant)
        drain(at: seconds)
    }

    mutating func pass(to seconds: Double) {
        handle(.timePassed, at: seconds)
        drain(at: seconds)
    }

    mutating func receive(minor: UInt16 = TestGateway.bag.minor, at seconds: Double) {
        var beacon = TestGateway.bag
        beacon.minor = minor
        let data = BeaconFrame(format: .iBeacon, identity: beacon, measuredPower: MeasuredPower(dBm: -59))
            .advertisingData
        let address = DeviceAddress(bits: 0xC0_0000_0000_01, kind: .random)
        let advertisement = Advertisement(
            address: address, rssi: RSSI(dBm: -60), at: TestGateway.moment(seconds).instant)
        machine.driver.receive(advertisement, data.span.bytes)
        pass(to: seconds)
    }

    mutating func drain(at seconds: Double) {
        machine.run(at: TestGateway.moment(seconds)) { output, _ in
            switch output {
            case .publish(let message, let number, let event):
                published.append(message)
                guard let event else { break }
                events.append(event)
                unacknowledged.append((number, message.topic))
            case .log(let line): logged.append(line)
            case .proveRadio: break
            }
        }
    }

    /// The gateway receives the bag: an enter of it, and one of its region.
    mutating func enter(at seconds: Double) {
        handle(.radio([.state(.poweredOn, reason: "test")], interface: nil, address: nil), at: seconds)
        receive(at: seconds)
    }

    /// The broker accepts all events that it is given, but those on topics with `part`.
    mutating func respond(refusing part: String, at seconds: Double) {
        let rejection = BrokerRejection(reasonCode: 135, description: "not authorized (135)")
        while !unacknowledged.isEmpty {
            let (number, topic) = unacknowledged.removeFirst()
            take(topic.contains(part) ? .refused(number, rejection) : .acknowledged(number), at: seconds)
        }
    }

    func topics(_ part: String) -> [String] { published.map(\.topic).filter { $0.contains(part) } }

    /// The problems of the last `info`.
    var problems: [String]? {
        published.last { $0.topic.hasSuffix("/info") }.flatMap { try? GatewayInfo(parsing: $0.payload) }?.problems
    }
}

@Suite("A gateway's driver")
struct DriverTests {
    @Test func `a request for events that only the disk has gets its response at once, though nothing else happens`() {
        var former = DrivenGateway(boot: "1.aaaa")
        former.enter(at: 1)
        former.pass(to: 3)
        var gateway = DrivenGateway(boot: "2.bbbb", after: former)
        gateway.take(.connected, at: 10)
        let request = EventsRequest(boot: Boot("1.aaaa")!, seqs: SeqRange(from: 1, to: 9))
        gateway.take(
            .message(
                topic: "forgetmenot/gateways/kitchen/request/events", payload: Request.bytes(of: request),
                isRetained: false), at: 11)
        #expect(gateway.topics("/response/events").count == 1)
    }

    @Test func `an event is published once the disk has it, and not before`() {
        var gateway = DrivenGateway()
        gateway.take(.connected, at: 0)
        gateway.enter(at: 10)
        let first = gateway.events.count
        #expect(first > 0)
        // The next commit is a second later.
        gateway.receive(minor: 7, at: 10.3)
        #expect(gateway.driver.pipeline.log.unstored == 1 && gateway.events.count == first)
        gateway.pass(to: 11)
        #expect(gateway.driver.pipeline.log.unstored == 0 && gateway.events.count == first + 1)
    }

    @Test
    func `a subscription that the broker refuses is logged once, and is a problem in info until the broker grants it`()
    {
        var gateway = DrivenGateway()
        gateway.take(.connected, at: 0)
        let filter = "forgetmenot/registry"
        let rejection = BrokerRejection(reasonCode: 135, description: "not authorized")
        for second in [1.0, 2.0] {
            gateway.take(.subscriptionRefused(filter: filter, rejection), at: second)
        }
        let problem = "The broker does not let this gateway read \(filter): not authorized"
        #expect(gateway.problems == [problem])
        #expect(gateway.logged.count { $0 == problem } == 1)
        gateway.take(.subscribed(filter: filter), at: 3)
        #expect(gateway.problems == [])
        #expect(gateway.logged.contains("The broker lets this gateway read \(filter) again"))
    }

    @Test func `a gateway that another one throws out reports that for half an hour after the last time`() {
        var gateway = DrivenGateway()
        gateway.take(.connected, at: 0)
        let problem = SharedID.sentence("kitchen", ofGateway: true)
        for began in [0.0, 5000] {
            for thrownOut in [10.0, 1000] {
                gateway.take(.disconnected("another client connected as kitchen"), at: began + thrownOut)
                gateway.throwOut(at: began + thrownOut)
                #expect(gateway.driver.brokerProblem == "another client connected as kitchen")
                gateway.take(.connected, at: began + thrownOut + 300)
                #expect(gateway.problems == [problem])
                #expect(gateway.driver.brokerProblem == problem, "doctor finds it also while the gateway is connected")
            }
            gateway.pass(to: began + 2700)
            #expect(gateway.problems == [problem])
            gateway.pass(to: began + 2900)
            #expect(gateway.problems == [])
            #expect(gateway.driver.brokerProblem == nil)
        }
    }

    @Test func `a disk that fails holds up no event, and is reported`() {
        var gateway = DrivenGateway()
        gateway.take(.connected, at: 0)
        gateway.machine.disk.refusal = "the disk is full"
        gateway.enter(at: 10)
        #expect(!gateway.events.isEmpty && gateway.driver.pipeline.log.storedUpTo == 0)
        #expect(gateway.driver.pipeline.status.diskProblem == "the disk is full")
        gateway.machine.disk.refusal = nil
        gateway.pass(to: 16)
        #expect(gateway.driver.pipeline.log.storedUpTo > 0 && gateway.driver.pipeline.status.diskProblem == nil)
    }

    @Test func `messages that a full connection refuses are published when it has room, events first`() {
        var gateway = DrivenGateway()
        gateway.take(.connected, at: 0)
        gateway.machine.isFull = true
        gateway.enter(at: 10)
        let before = gateway.published.count
        #expect(gateway.events.isEmpty && gateway.driver.messenger.waiting > 0)
        gateway.machine.isFull = false
        gateway.pass(to: 11)
        #expect(!gateway.events.isEmpty && gateway.driver.messenger.waiting == 0)
        #expect(gateway.published[before].topic.contains("/event"))
    }

    @Test func `states that the broker refuses are published anew after a minute, and the reason is reported once`() {
        var gateway = DrivenGateway()
        gateway.take(.connected, at: 0)
        let rejection = BrokerRejection(reasonCode: 151, description: "quota exceeded")
        gateway.take(.refused(1, rejection), at: 0)
        for second in [5.0, 15] { gateway.pass(to: second) }
        let before = gateway.topics("/availability").count
        gateway.pass(to: 59)
        #expect(gateway.topics("/availability").count == before)
        gateway.pass(to: 60)
        #expect(gateway.topics("/availability").count == before + 1)
    }

    @Test func `a gateway with another id gives up events of the former one that the broker refuses, and goes on`() {
        var former = DrivenGateway(boot: "1.aaaa")
        former.enter(at: 1)
        for minor in 101...160 { former.receive(minor: UInt16(minor), at: 2) }
        former.pass(to: 5)
        let count = former.driver.undelivered
        #expect(count > EventPublisher.window * 2)
        for (boot, events, newcomer) in [("2.bbbb", count, 201), ("3.cccc", 0, 202)] {
            var gateway = DrivenGateway(boot: boot, id: "hall", after: former)
            gateway.take(.connected, at: 10)
            gateway.enter(at: 11)
            gateway.receive(minor: UInt16(newcomer), at: 11)
            gateway.pass(to: 15)
            gateway.respond(refusing: "/kitchen/event", at: 15)
            #expect(gateway.topics("/kitchen/event").count == events)
            #expect(!gateway.topics("/hall/event").isEmpty && !gateway.topics("/hall/state").isEmpty)
            #expect(gateway.driver.undelivered == 0)
            #expect(gateway.logged.count { $0.contains("/kitchen/event") } == (events > 0 ? 1 : 0))
            #expect(gateway.problems == [])
            let request = EventsRequest(boot: Boot("1.aaaa")!, seqs: SeqRange(from: 1, to: 9))
            gateway.take(
                .message(
                    topic: "forgetmenot/gateways/hall/request/events", payload: Request.bytes(of: request),
                    isRetained: false), at: 16)
            let response = gateway.published.last { $0.topic.hasSuffix("/response/events") }
            #expect(response.map { String(decoding: $0.payload, as: UTF8.self).contains("1.aaaa-9") } == true)
            former = gateway
        }
    }

    @Test func `a region that goes while the gateway is off leaves Home Assistant at the next start, each time`() {
        let without = "[home_assistant]\ndiscovery = true\n"
        var former: DrivenGateway?
        for (number, toml) in [
            without + TestGateway.bagRegion, without, without, without + TestGateway.bagRegion, without,
        ].enumerated() {
            var gateway = DrivenGateway(boot: "\(number + 1).aaaa", toml, after: former)
            gateway.take(.connected, at: 1)
            gateway.pass(to: 2)
            let texts = gateway.published.filter { $0.topic.hasSuffix("/config") }
                .map { String(decoding: $0.payload, as: UTF8.self) }
            let removals = texts.map { $0.contains("\"region:bags\":{\"p\":\"binary_sensor\"}") }
            #expect(removals == ([1, 4].contains(number) ? [true, false] : [false]), "start \(number)")
            #expect(texts.last?.contains("region:bags") == (toml != without))
            former = gateway
        }
    }

    @Test func `the entities of a gateway that had another id are nothing to remove by name`() {
        let on = "[home_assistant]\ndiscovery = true\n"
        var former = DrivenGateway(boot: "1.aaaa", on + TestGateway.bagRegion)
        former.take(.connected, at: 1)
        former.pass(to: 2)
        var gateway = DrivenGateway(boot: "2.bbbb", id: "hall", on, after: former)
        gateway.take(.connected, at: 1)
        gateway.pass(to: 2)
        let messages = gateway.published.filter { $0.topic.hasSuffix("/config") }
        #expect(messages.map(\.payload.isEmpty) == [true, false], "the device of the former id is cleared")
        let last = String(decoding: messages.last?.payload ?? [], as: UTF8.self)
        #expect(!last.contains("bags"))
    }

    @Test func `events of a former run that the broker refuses for a while are published once it permits them`() {
        var former = DrivenGateway(boot: "1.aaaa")
        former.enter(at: 1)
        former.pass(to: 3)
        let count = former.driver.undelivered
        var gateway = DrivenGateway(boot: "2.bbbb", after: former)
        for second in [10.0, 50] {
            gateway.take(.connected, at: second)
            gateway.respond(refusing: "/kitchen/event", at: second)
            #expect(gateway.driver.undelivered == count && gateway.problems?.count == 1)
            gateway.take(.disconnected("the broker restarts"), at: second + 1)
        }
        gateway.take(.connected, at: 100)
        gateway.respond(refusing: "nothing", at: 100)
        #expect(gateway.driver.undelivered == 0 && gateway.problems == [])
        #expect(gateway.topics("/kitchen/event").count == 3 * count)
    }

    @Test func `a disk that was full for hours is no problem any more as soon as it has room`() {
        var gateway = DrivenGateway()
        gateway.enter(at: 1)
        for began in [10.0, 20_000] {
            gateway.machine.disk.refusal = "the disk is full"
            for second in stride(from: began, to: began + 10_000, by: 5) { gateway.pass(to: second) }
            #expect(gateway.driver.pipeline.status.diskProblem == "the disk is full")
            gateway.machine.disk.refusal = nil
            for second in stride(from: began + 10_000, to: began + 10_010, by: 1) { gateway.pass(to: second) }
            #expect(gateway.driver.pipeline.status.diskProblem == nil)
        }
    }

    @Test func `what is cleared while the broker is away is cleared there when it is back`() {
        var gateway = DrivenGateway()
        gateway.take(.connected, at: 0)
        gateway.enter(at: 10)
        for second in 11...15 { gateway.receive(at: Double(second)) }
        gateway.respond(refusing: "nothing", at: 16)
        gateway.take(.disconnected("the broker restarts"), at: 20)
        let none = DrivenGateway("").driver.configuration
        _ = gateway.machine.driver.reload(none, at: TestGateway.moment(21))
        gateway.pass(to: 21)
        for (second, expected) in [(30.0, ["proximity", "state"]), (50.0, [])] {
            let before = gateway.published.count
            gateway.take(.connected, at: second)
            gateway.pass(to: second + 1)
            let cleared = gateway.published[before...].filter(\.payload.isEmpty)
            #expect(cleared.map { String($0.topic.split(separator: "/").last!) }.sorted() == expected)
            gateway.take(.disconnected("the broker restarts"), at: second + 10)
        }
    }

    @Test func `the states on disk are complete once the gateway has stopped, and not before`() throws {
        var gateway = DrivenGateway()
        gateway.enter(at: 1)
        gateway.pass(to: 10)
        #expect(try gateway.states().isComplete == false)
        _ = gateway.machine.driver.stop(at: TestGateway.moment(20))
        gateway.drain(at: 20)
        #expect(try gateway.states().isComplete)
    }

    @Test func `the status counts the beacons of the last minute`() {
        var gateway = DrivenGateway()
        gateway.enter(at: 1)
        for minor in 101...103 { gateway.receive(minor: UInt16(minor), at: 30) }
        #expect(gateway.driver.status.hasPrefix("Receives 4 beacons in"), "\(gateway.driver.status)")
        gateway.pass(to: 62)
        #expect(gateway.driver.status.hasPrefix("Receives 3 beacons in"), "\(gateway.driver.status)")
        gateway.pass(to: 91)
        #expect(gateway.driver.status.hasPrefix("Receives 0 beacons in"), "\(gateway.driver.status)")
    }
}
