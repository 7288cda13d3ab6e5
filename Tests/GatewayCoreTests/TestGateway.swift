import Beacons
import Messages
import Settings

@testable import GatewayCore

/// A gateway without radio and broker, driven by a test: seconds of its clock go in, messages come out.
struct TestGateway {
    static let bag = BeaconIdentity(uuid: BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!, major: 1, minor: 2)
    /// What every test's clock shows at the start.
    static let start = WallTime("2026-11-21T05:40:00Z")!

    var pipeline: GatewayPipeline
    private(set) var outputs: [GatewayOutput] = []

    /// - Parameter restore: what is restored before the radio scans.
    init(
        _ toml: String = TestGateway.bagRegion, boot: String = "17.kfqx", at seconds: Double = 0,
        restore: (inout GatewayPipeline) -> Void = { _ in }
    ) {
        let text = "id = \"kitchen\"\nroom = \"Kitchen\"\n" + toml
        let reading = readSettings(Array(text.utf8), file: "test.toml") { GatewayConfiguration($0, hostName: "host") }
        precondition(reading.problems.isEmpty, "\(reading.problems)")
        pipeline = GatewayPipeline(reading.configuration!, boot: Boot(boot)!, at: Self.moment(seconds))
        restore(&pipeline)
        pipeline.handle(.state(.poweredOn, reason: "test"), at: Self.moment(seconds))
    }

    static let bagRegion = """
        [monitoring]
        exit_after = "10s"
        [[region]]
        identifier = "Bags"
        uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
        """

    static func moment(_ seconds: Double) -> Moment {
        Moment(instant: .zero + .seconds(1000 + seconds), wall: start + .seconds(seconds), isSynchronised: true)
    }

    mutating func connect(at seconds: Double = 0) {
        pipeline.connected(at: Self.moment(seconds))
    }

    mutating func receive(_ beacon: BeaconIdentity = bag, rssi: Int8 = -60, at seconds: Double) {
        receive(beacon, rssi: rssi, instant: Self.moment(seconds).instant)
    }

    mutating func receive(_ beacon: BeaconIdentity = bag, rssi: Int8 = -60, instant: Instant) {
        let data = BeaconFrame(format: .iBeacon, identity: beacon, measuredPower: MeasuredPower(dBm: -59))
            .advertisingData
        let address = DeviceAddress(bits: 0xC0_0000_0000_01, kind: .random)
        let advertisement = Advertisement(address: address, rssi: RSSI(dBm: rssi), at: instant)
        pipeline.receive(advertisement, data.span.bytes)
    }

    /// Receives the bag once a second from `first` to `last`, and lets time pass between.
    mutating func receive(from first: Double, to last: Double, rssi: Int8 = -60) {
        for second in stride(from: first, through: last, by: 1) {
            receive(rssi: rssi, at: second)
            advance(to: second)
        }
    }

    /// Receives an advertisement of no beacon once a second: the radio scans, and the bag is not in range.
    mutating func receiveOthers(from first: Double, to last: Double) {
        let nonsense: [UInt8] = [2, 1, 6]
        for second in stride(from: first, through: last, by: 1) {
            let address = DeviceAddress(bits: 1, kind: .public)
            let other = Advertisement(address: address, rssi: RSSI(dBm: -70), at: Self.moment(second).instant)
            pipeline.receive(other, nonsense.span.bytes)
            advance(to: second)
        }
    }

    mutating func advance(to seconds: Double) { advance(to: Self.moment(seconds)) }

    mutating func advance(to moment: Moment) {
        pipeline.advance(to: moment)
        outputs += pipeline.drainOutputs()
    }

    /// What was published so far is no matter of the test's.
    mutating func forgetOutputs() { outputs = [] }

    mutating func ask(_ what: String, _ json: String = "", retained: Bool = false, at seconds: Double) {
        pipeline.receive(
            topic: "forgetmenot/gateways/kitchen/request/\(what)", payload: Array(json.utf8), isRetained: retained,
            at: Self.moment(seconds))
        advance(to: seconds)
    }

    mutating func registry(_ path: String, _ payload: some Payload, at seconds: Double) {
        pipeline.receive(
            topic: "forgetmenot/registry/\(path)", payload: payload.bytes, isRetained: true, at: Self.moment(seconds))
        advance(to: seconds)
    }

    /// The payloads that were published on `topic`, as text, oldest first.
    func published(on topic: Topic) -> [String] {
        outputs.compactMap { output in
            guard case .publish(let message) = output, message.topic == topic else { return nil }
            return String(decoding: message.payload, as: UTF8.self)
        }
    }

    func states<State: Payload>(on topic: Topic, _: State.Type = State.self) -> [State] {
        published(on: topic).compactMap { try? State(parsing: Array($0.utf8), on: topic) }
    }

    /// The events of the log.
    var events: [LoggedEvent] {
        pipeline.log.entries(in: 1...10_000, most: 10_000).entries.compactMap { try? LoggedEvent(parsing: $0.payload) }
    }

    /// How long each beacon was inside that exited, in seconds, as the events have it.
    var insideFor: [Double?] {
        events.compactMap { event in
            guard case .beacon(let event) = event, event.transition == .exit else { return nil }
            return event.insideForSeconds
        }
    }

    /// The events in short: `enter 1/2`, `exit bags`.
    var story: [String] {
        events.map { event in
            switch event {
            case .beacon(let event): "\(event.transition) \(event.beacon.major)/\(event.beacon.minor)"
            case .region(let event): "\(event.transition) \(event.region)"
            case .item(let event): "\(event.change)"
            }
        }
    }
}

/// The next process on the same machine: it has what the last one wrote, and the events that its log has besides.
func restarted(
    from states: StoredStates?, _ silences: StoredSilences? = nil, events: [LoggedEvent] = [], at seconds: Double,
    machine: String = "m", toml: String = TestGateway.bagRegion
) throws -> TestGateway {
    let states = try states.map { try StoredStates(parsing: $0.bytes) }
    let silences = try silences.map { try StoredSilences(parsing: $0.bytes) }
    return TestGateway(toml, boot: "18.abcd", at: seconds) {
        $0.restore(states, silences, events: events, machine: machine)
    }
}

/// Something else came than the test is about.
struct Unexpected: Error {}
