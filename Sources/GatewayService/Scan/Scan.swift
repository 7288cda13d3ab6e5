import GatewayCore
import Beacons
import Glibc
import Linux
import Messages
import Ranging
import Text

/// Shows the beacons in range, strongest first: `forgetmenot-gateway scan`.
///
/// With a live radio it runs until interrupted, and throws if the radio does not work at the start. For a recording that plays as fast as
/// possible, it shows all beacons of the recording and ends.
///
/// - Parameter all: whether to show other devices as well.
package func scan(_ configuration: GatewayConfiguration, all: Bool, asJSON: Bool) throws(Failure) -> ExitStatus {
    let signals = try endingSignals()
    var scan = try Scan(configuration, all: all, signals: signals)
    return try configuration.radio.isVirtual ? scan.toTheEnd(asJSON: asJSON) : scan.live(asJSON: asJSON)
}

/// A radio without a broker: all beacons are ranged, none is monitored.
struct Scan {
    static let period = Interval.seconds(1)

    private let signals: Signals
    private var time: Timekeeper
    private var radio: any Radio
    private var reception: ScanReception
    private var ranged: [BeaconIdentity: RangedBeacon] = [:]
    private var beaconRates = RateMeter<BeaconIdentity>()
    private var strangerRates = RateMeter<DeviceAddress>()
    private var state = RadioState.unknown
    private var hasStarted = false
    private var hasEnded = false
    /// Why the recording could not be read to its end.
    private var problem: String?

    init(_ configuration: GatewayConfiguration, all: Bool, signals: Signals) throws(Failure) {
        self.signals = signals
        let start = Clock.moment
        time = configuration.radio.isVirtual ? .virtual(began: start, now: start.instant) : .live
        radio = try makeRadio(configuration, at: start)
        // A recording is shown as a whole, so that the table needs room for all of its beacons.
        let capacity = configuration.radio.isVirtual ? 100_000 : NearbyTable.capacity
        reception = ScanReception(
            ranger: Ranger(configuration.ranging.ranger), nearby: NearbyTable(capacity: capacity),
            phones: try identityKeys(configuration.radio), receivesAll: all, capacity: capacity)
    }

    mutating func toTheEnd(asJSON: Bool) throws(Failure) -> ExitStatus {
        while !hasEnded, signals.next() == nil {
            try receiveAdvertisements()
            guard let next = radio.nextDeadline else { break }
            time.jump(to: next)
        }
        // For a whole recording, each beacon's strongest RSSI is more useful than its last.
        let received = beacons(since: .zero).map { received in
            var beacon = received.beacon
            beacon.rssi = received.strongest
            return beacon
        }.sorted { ($0.rssi ?? -.infinity, $1.beacon) > ($1.rssi ?? -.infinity, $0.beacon) }
        let others = strangers(since: .zero)
        if asJSON {
            let lines = received.map(jsonLine) + others.map { jsonLine($0, at: time.moment) }
            printJSON(lines.isEmpty ? "[]" : "[\n" + lines.joined(separator: ",\n") + "\n]")
        } else {
            for line in ScanTable(received, others, at: time.moment).styledLines(width: terminalWidth()) {
                printLine(line)
            }
        }
        return ending
    }

    /// The end of a recording: one that is cut or damaged is reported behind what could be read.
    private var ending: ExitStatus {
        guard let problem else { return .right }
        printError("forgetmenot-gateway: \(problem)")
        return .noInput
    }

    mutating func live(asJSON: Bool) throws(Failure) -> ExitStatus {
        defer { radio.stop() }
        let screen = asJSON ? nil : terminalWidth().map { _ in LiveScreen() }
        defer { screen?.end() }
        var nextShow = Clock.now + Self.period
        while !hasEnded, signals.next() == nil {
            try receiveAdvertisements()
            if Clock.now >= nextShow {
                nextShow = Clock.now + Self.period
                guard show(on: screen, asJSON: asJSON) else { return .right }
            }
            let next = [radio.nextDeadline, reception.ranger.nextDeadline].compactMap { $0 }.reduce(nextShow, min)
            _ = wait(for: [signals.number] + radio.descriptors, until: next)
        }
        show(on: screen, asJSON: asJSON)
        screen?.end()
        return ending
    }

    private mutating func receiveAdvertisements() throws(Failure) {
        let moment = time.moment
        let notices = radio.advance(to: moment.instant) { reception.receive($0, $1) }
        let windows = reception.ranger.advance(to: moment.instant)
        if !windows.isEmpty { ranged = Dictionary(windows.map { ($0.identity, $0) }) { _, later in later } }
        for case .ended(let problem) in notices { (hasEnded, self.problem) = (true, problem) }
        for case .state(let state, let reason) in notices where !hasEnded {
            self.state = state
            if state == .poweredOn {
                hasStarted = true
            } else if hasStarted || state == .resetting || state == .unknown {
                printError("forgetmenot-gateway: the radio is \(state.rawValue): \(reason)")
            } else {
                throw Failure(.unavailable, reason)
            }
        }
    }

    /// The beacons received since `earliest`, strongest first.
    private func beacons(since earliest: Instant) -> [(beacon: ReceivedBeacon, strongest: Double?)] {
        let moment = time.moment
        return reception.nearby.received(since: earliest).map { beacon, entry in
            let ranged = ranged[beacon]
            var received = ReceivedBeacon(
                beacon, name: entry.name, rssi: entry.rssi, measuredPower: entry.measuredPower,
                accuracy: ranged?.accuracyMetres, proximity: ranged?.proximity ?? .unknown, address: entry.address,
                addresses: ranged?.addresses ?? 1, sightings: Int(clamping: entry.sightings),
                lastSeenAt: moment.wall(at: entry.lastSeen))
            let now = time.isLive ? moment.instant : entry.lastSeen
            received.rate = beaconRates.rate(of: beacon, entry.sightings, since: entry.firstSeen, at: now)
            return (received, entry.strongest.map { Double($0.dBm) })
        }
    }

    private func strangers(since earliest: Instant) -> [(stranger: Stranger, rate: Double?)] {
        guard let strangers = reception.strangers else { return [] }
        let received = strangers.entries.map(\.value).filter { $0.lastSeen >= earliest }
        let sorted = received.sorted {
            ($0.rssi ?? -.infinity, $1.address.bits) > ($1.rssi ?? -.infinity, $0.address.bits)
        }
        return sorted.map { stranger in
            let now = time.isLive ? time.moment.instant : stranger.lastSeen
            return (
                stranger, strangerRates.rate(of: stranger.address, stranger.count, since: stranger.firstSeen, at: now)
            )
        }
    }

    private mutating func noteRates(at now: Instant) {
        beaconRates.note(
            Dictionary(
                uniqueKeysWithValues: reception.nearby.received(since: .zero).map { ($0.beacon, $0.entry.sightings) }),
            at: now)
        guard let strangers = reception.strangers else { return }
        strangerRates.note(
            Dictionary(uniqueKeysWithValues: strangers.entries.map { ($0.key, $0.value.count) }), at: now)
    }

    /// Shows the present table; returns whether anybody can still read it.
    @discardableResult
    private mutating func show(on screen: LiveScreen?, asJSON: Bool) -> Bool {
        let moment = time.moment
        defer { noteRates(at: moment.instant) }
        let earliest = moment.instant - NearbyTable.memory
        let (received, others) = (beacons(since: earliest).map(\.beacon), strangers(since: earliest))
        if asJSON {
            let lines =
                received.filter { moment.wall - $0.lastSeenAt < Self.period }.map(jsonLine)
                + others.filter { moment.instant - $0.stranger.lastSeen < Self.period }.map { jsonLine($0, at: moment) }
            return lines.allSatisfy { printJSON($0) }
        }
        let lines = ScanTable(received, others, at: moment).styledLines(width: terminalWidth())
        guard let screen else { return lines.allSatisfy { printLine($0) } }
        let rest = others.isEmpty ? "" : ", \(others.count) others"
        let foot =
            "\(received.count) beacons\(rest), \(reception.reader.counters.adverts) advertisements; the radio is \(state.rawValue)   (Ctrl-C ends)"
        return screen.draw(lines + ["", truncated(foot, to: terminalWidth() ?? 80)].map { StyledLine($0) })
    }
}

private func jsonLine(_ beacon: ReceivedBeacon) -> String {
    var json = JSONWriter()
    beacon.write(to: &json)
    return String(decoding: json.bytes, as: UTF8.self)
}

private func jsonLine(_ received: (stranger: Stranger, rate: Double?), at moment: Moment) -> String {
    var json = JSONWriter()
    received.stranger.write(to: &json, rate: received.rate, at: moment)
    return String(decoding: json.bytes, as: UTF8.self)
}
