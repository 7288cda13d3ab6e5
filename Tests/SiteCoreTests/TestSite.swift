import Beacons
import EventLogs
import Messages
import Settings
import Text

@testable import SiteCore

/// An aggregator without a broker, driven by a test: messages of gateways go in, decisions come out.
struct TestSite {
    static let bag = BeaconIdentity(uuid: BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!, major: 1, minor: 2)
    static let start = WallTime("2026-11-21T05:40:00Z")!
    static let bagItem = """
        [[item]]
        name = "Laptop bag"
        uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
        major = 1
        minor = 2
        """

    var pipeline: SitePipeline
    private(set) var outputs: [SiteOutput] = []
    private var seqs: [String: UInt64] = [:]
    private(set) var now: Double
    /// By how many seconds the aggregator's clock is ahead while nobody has set it; `nil`: it is synchronised.
    var unsetClock: Double?
    /// The gateways' run.
    var run = Boot("17.kfqx")!
    /// No gateway responds by itself.
    var isMute = false

    /// - Parameters:
    ///   - retained: what the broker keeps when the aggregator connects.
    ///   - settling: whether it is past the time after the connect in which nothing is concluded.
    ///   - page: the address of the page.
    ///   - second: when it begins.
    init(
        _ toml: String = TestSite.bagItem, stored: StoredSite? = nil, retained: [Message] = [], settling: Bool = true,
        page: String? = nil, in texts: Texts = .english, at second: Double = 0
    ) {
        now = second
        let reading = readSettings(Array(toml.utf8), file: "test.toml") { AggregatorConfiguration($0) }
        precondition(reading.problems.isEmpty, "\(reading.problems)")
        var configuration = reading.configuration!
        configuration.pageURL = page
        configuration.site.texts = texts
        pipeline = SitePipeline(
            configuration, boot: Boot("3.aggr")!, stored: stored, random: SplitMix64(seed: 1),
            at: Self.moment(second))
        pipeline.connected(at: Self.moment(second))
        for message in retained { deliver(message.topic, message.payload, retained: true) }
        if settling { advance(to: second + 5) }
    }

    var moment: Moment {
        var moment = Self.moment(now)
        if let unsetClock { (moment.wall, moment.isSynchronised) = (moment.wall + .seconds(unsetClock), false) }
        return moment
    }

    mutating func forgetOutputs() { outputs = [] }

    static func moment(_ seconds: Double) -> Moment {
        Moment(instant: .zero + .seconds(1000 + seconds), wall: start + .seconds(seconds), isSynchronised: true)
    }

    /// A gateway's clocks: its run began 500 s before the test.
    func stamp(at seconds: Double, clock: Double = 0) -> Stamp {
        Stamp(
            at: Self.start + .seconds(seconds + clock), boot: run, uptime: .zero + .seconds(500 + seconds))
    }

    /// The gateways' clock when they respond.
    private var clock: EventsResponse.Uptime {
        EventsResponse.Uptime(boot: stamp(at: now).boot, uptime: stamp(at: now).uptime)
    }

    mutating func advance(to seconds: Double) {
        while now < seconds {
            now = min(now + 1, seconds)
            pipeline.advance(to: moment)
            collect()
        }
    }

    mutating func deliver(_ topic: Topic, _ payload: [UInt8], retained: Bool = false) {
        pipeline.receive(
            topic: topic.name(under: .standard), payload: payload, isRetained: retained, at: moment)
        collect()
    }

    /// A gateway comes, publishes its state, and goes on doing so.
    mutating func gateway(_ id: String, room: String, radio: RadioState = .poweredOn) {
        deliver(.gatewayAvailability(gateway: id), Availability.online.bytes)
        heartbeat(id, room: room, radio: radio)
    }

    mutating func heartbeat(
        _ id: String, room: String, radio: RadioState = .poweredOn, revision: UInt64? = nil, clock: Double = 0
    ) {
        let info = GatewayInfo(
            gateway: id, room: room, version: "1", stamp: stamp(at: now, clock: clock),
            radio: GatewayInfo.Radio(source: "test", state: radio),
            regions: 1, revision: revision)
        deliver(.gatewayInfo(gateway: id), info.bytes)
    }

    /// The broker is gone for so many seconds.
    mutating func reconnect(after seconds: Double) {
        pipeline.disconnected(at: Self.moment(now))
        advance(to: now + seconds)
        pipeline.connected(at: Self.moment(now))
        collect()
    }

    /// The process stands still for so many seconds; the connection lasts.
    mutating func sleep(for seconds: Double) {
        now += seconds
        pipeline.slept(until: moment)
        collect()
    }

    /// Returns what was decided. A gateway that is asked for more events responds that there are none.
    mutating func collect() {
        let decided = pipeline.drainOutputs()
        outputs += decided
        for case .publish(let message) in decided {
            guard case .gatewayRequest(let gateway, "events") = message.topic, !isMute else { continue }
            let request = Request(parsing: message.payload)
            guard let requested: EventsRequest = try? request.body(), requested.seqs.to - requested.seqs.from == 99
            else {
                continue
            }
            let response = Response(.done(EventsResponse(events: [], now: clock)), transaction: request.transaction)
            deliver(.gatewayResponse(gateway: gateway, what: "events"), response.bytes)
        }
    }

    /// A gateway responds to the last request for its events.
    mutating func respond(_ gateway: String, _ events: [BeaconEvent], forgotten: [SeqRange] = []) {
        let asked = published(on: .gatewayRequest(gateway: gateway, what: "events")).last ?? ""
        let request = Request(parsing: Array(asked.utf8))
        let body = EventsResponse(events: events.map { .beacon($0) }, forgotten: forgotten, now: clock)
        let response = Response(.done(body), transaction: request.transaction)
        deliver(.gatewayResponse(gateway: gateway, what: "events"), response.bytes)
    }

    /// A gateway stops itself, or the broker publishes its will.
    mutating func offline(_ id: String, isWill: Bool = false) {
        if !isWill, var info = pipeline.reports.gateways[id]?.info {
            info.radio.state = .unknown
            deliver(.gatewayInfo(gateway: id), info.bytes)
        }
        deliver(.gatewayAvailability(gateway: id), Availability.offline.bytes)
    }

    mutating func event(
        _ transition: Transition, at gateway: String, when: Double? = nil, clock: Double = 0, seq: UInt64? = nil,
        lastSeen: Double? = nil, rssi: Double? = nil
    ) {
        seqs[gateway, default: 0] += 1
        let event = BeaconEvent(
            transition, seq: seq ?? seqs[gateway]!, stamp: stamp(at: when ?? now, clock: clock), gateway: gateway,
            beacon: Self.bag, regions: ["laptop-bag"], lastSeenAt: lastSeen.map { Self.start + .seconds($0 + clock) },
            lastRSSI: rssi)
        deliver(.beaconEvent(Self.bag, gateway: gateway), event.bytes)
    }

    mutating func ranged(
        at gateway: String, rssi: Double? = -60, currentRSSI: Double? = nil, proximity: Proximity = .near,
        when: Double? = nil,
        retained: Bool = false, validFor: UInt32 = 25, sightings: Int = 9, accuracy: Double = 1.5,
        interval: Double? = nil, readings: TagReadings = TagReadings(), batteryAge: UInt32? = nil
    ) {
        let state = RangedState(
            gateway: gateway, proximity: proximity, accuracy: accuracy, rssi: rssi,
            current: currentRSSI.map { .init(rssi: $0, sightings: sightings) },
            sightings: sightings, addresses: 1, interval: interval, readings: readings, batteryAge: batteryAge,
            stamp: stamp(at: when ?? now),
            validFor: validFor)
        deliver(.proximity(Self.bag, gateway: gateway), state.bytes, retained: retained)
    }

    /// A gateway that has the bag inside reports that it has not received it since `since`.
    mutating func silent(at gateway: String, since: Double, perDay: Double?) {
        let state = RangedState(
            gateway: gateway, proximity: .unknown, sightings: 0, addresses: 1,
            silence: perDay.map { RangedState.Silence(seconds: now - since, perDay: $0) }, stamp: stamp(at: now),
            validFor: 25)
        deliver(.proximity(Self.bag, gateway: gateway), state.bytes)
    }

    mutating func cleared(at gateway: String) {
        deliver(.proximity(Self.bag, gateway: gateway), [])
    }

    mutating func ask(_ what: String, _ json: String) -> String {
        deliver(.aggregatorRequest(what: what), Array(json.utf8))
        return published(on: .aggregatorResponse(what: what)).last ?? ""
    }

    /// The lines that were logged as notices.
    var notes: [String] {
        outputs.compactMap { if case .perform(.log(.notice, let line)) = $0 { line } else { nil } }
    }

    func published(on topic: Topic) -> [String] {
        outputs.compactMap { output in
            switch output {
            case .publish(let message) where message.topic == topic: String(decoding: message.payload, as: UTF8.self)
            case .info(let info) where topic == .aggregatorInfo: String(decoding: info.bytes, as: UTF8.self)
            default: nil
            }
        }
    }

    /// The last reported room of the bag.
    var location: ItemLocation? { location(of: "laptop-bag") }

    func location(of item: String) -> ItemLocation? {
        published(on: .itemLocation(item: item)).last.flatMap { try? ItemLocation(parsing: Array($0.utf8)) }
    }

    /// The items' events in short: `left Hall`, `moved Hall Kitchen`.
    var story: [String] {
        events.map { event in
            switch event.change {
            case .moved(let from, let to): "moved \(from) \(to)"
            case .left(let from): "left \(from ?? "-")"
            case .returned(let to): "returned \(to ?? "-")"
            case .forgotten(let room, _): "forgotten \(room ?? "-")"
            case .taken(let from): "taken \(from ?? "-")"
            case .alone(let room): "alone \(room ?? "-")"
            case .low(let battery): "low \(battery.batteryLevel ?? "-")"
            }
        }
    }

    var events: [ItemEvent] {
        pipeline.log.entries(in: 1...10_000, most: 10_000).entries.compactMap { try? ItemEvent(parsing: $0.payload) }
    }
}
