import Beacons
import Glibc
import Linux
import Messages
import Ranging
import Text

/// Shows what is heard here, strongest first: `forgetmenot-gateway scan`.
///
/// A live radio goes on until interrupted. A recording that is played as fast as it goes ends, and then all that was in it is shown.
public func scan(_ configuration: GatewayConfiguration, asJSON: Bool) throws(Failure) -> ExitStatus {
    let signals: Signals
    do throws(SystemError) { signals = try Signals([SIGINT, SIGTERM]) } catch {
        throw Failure(.unavailable, "\(error)")
    }
    var scan = try Scan(configuration, signals: signals)
    return configuration.radio.isVirtual ? scan.toTheEnd(asJSON: asJSON) : scan.live(asJSON: asJSON)
}

/// A radio that is listened to without a broker: everything is ranged, nothing is monitored.
struct Scan {
    static let period = Interval.seconds(1)

    private let configuration: GatewayConfiguration
    private let signals: Signals
    private var time: Timekeeper
    private var radio: any Radio
    private var ears: Ears
    private var ranged: [BeaconIdentity: RangedBeacon] = [:]
    private var state = RadioState.unknown
    private var reason = ""
    private var hasEnded = false

    init(_ configuration: GatewayConfiguration, signals: Signals) throws(Failure) {
        self.configuration = configuration
        self.signals = signals
        let start = Clock.moment
        time = configuration.radio.isVirtual ? .virtual(began: start, now: start.instant) : .live
        radio = try makeRadio(configuration, at: start)
        // A recording is shown whole, so that all of its beacons have to find room.
        let capacity = configuration.radio.isVirtual ? 100_000 : NearbyTable.capacity
        ears = Ears(ranger: Ranger(configuration.ranging.ranger), nearby: NearbyTable(capacity: capacity))
    }

    mutating func toTheEnd(asJSON: Bool) -> ExitStatus {
        while !hasEnded, signals.next() == nil {
            listen()
            guard let next = radio.nextDeadline else { break }
            time.jump(to: next)
        }
        // Of a whole recording the best moment of each beacon says more than its last.
        let heard = beacons(since: .zero).map { heard in
            var beacon = heard.beacon
            beacon.rssi = heard.strongest
            return beacon
        }.sorted { ($0.rssi ?? -.infinity, $1.beacon) > ($1.rssi ?? -.infinity, $0.beacon) }
        if asJSON {
            printLine(jsonLines(heard))
        } else {
            for line in ScanTable(heard, at: time.moment.wall).lines(width: terminalWidth()) {
                printLine(line)
            }
        }
        return .right
    }

    mutating func live(asJSON: Bool) -> ExitStatus {
        let screen = asJSON ? nil : terminalWidth().map { _ in LiveScreen() }
        defer {
            radio.stop()
            screen?.end()
        }
        var nextShow = Clock.now + Self.period
        while !hasEnded {
            if signals.next() != nil { break }
            listen()
            if Clock.now >= nextShow {
                nextShow = Clock.now + Self.period
                show(on: screen, asJSON: asJSON)
            }
            let next = [radio.nextDeadline, ears.ranger.nextDeadline].compactMap { $0 }.reduce(nextShow, min)
            _ = wait(for: [signals.number] + radio.descriptors, until: next)
        }
        show(on: screen, asJSON: asJSON)
        return state == .poweredOn || hasEnded ? .right : .unavailable
    }

    private mutating func listen() {
        let moment = time.moment
        let notices = radio.advance(to: moment.instant) { ears.hear($0, $1) }
        let windows = ears.ranger.advance(to: moment.instant)
        if !windows.isEmpty { ranged = Dictionary(windows.map { ($0.identity, $0) }) { _, later in later } }
        for notice in notices {
            switch notice {
            case .state(let state, let reason):
                (self.state, self.reason) = (state, reason)
                if state != .poweredOn, !hasEnded, !configuration.radio.isVirtual {
                    printError("forgetmenot-gateway: the radio is \(state.rawValue): \(reason)")
                }
            case .ended: hasEnded = true
            case .proven, .lost: break
            }
        }
    }

    private func beacons(since earliest: Instant) -> [(beacon: HeardBeacon, strongest: Double?)] {
        let moment = time.moment
        return ears.nearby.heard(since: earliest).map { beacon, entry in
            let ranged = ranged[beacon]
            let heard = HeardBeacon(
                beacon, name: entry.name, rssi: entry.rssi, measuredPower: entry.measuredPower,
                accuracy: ranged?.accuracyMetres, proximity: ranged?.proximity ?? .unknown, address: entry.address,
                addresses: ranged?.addresses ?? 1, sightings: Int(clamping: entry.sightings),
                lastSeenAt: moment.wall(at: entry.lastSeen))
            return (heard, entry.strongest.map { Double($0.dBm) })
        }
    }

    private func show(on screen: LiveScreen?, asJSON: Bool) {
        let moment = time.moment
        let heard = beacons(since: moment.instant - NearbyTable.memory).map(\.beacon)
        if asJSON {
            for beacon in heard where moment.wall - beacon.lastSeenAt < Self.period {
                printLine(jsonLine(beacon))
            }
            return
        }
        let lines = ScanTable(heard, at: moment.wall).lines(width: terminalWidth())
        let adverts = ears.reader.counters.adverts
        let foot = "\(heard.count) beacons, \(adverts) advertisements; the radio is \(state.rawValue)   (Ctrl-C ends)"
        guard let screen else { return lines.forEach(printLine) }
        screen.draw(lines + ["", truncated(foot, to: terminalWidth() ?? 80)])
    }
}

/// What hears: everything is ranged, so that every uuid is a region; of a flood of uuids the first thousand.
private struct Ears {
    var reader = SightingReader()
    var ranger: Ranger
    var nearby: NearbyTable
    private var uuids: Set<BeaconUUID> = []

    init(ranger: Ranger, nearby: NearbyTable) {
        self.ranger = ranger
        self.nearby = nearby
    }

    mutating func hear(_ advertisement: Advertisement, _ data: RawSpan) {
        guard let sighting = reader.read(advertisement, data) else { return }
        nearby.hear(sighting)
        if uuids.count < 1000, uuids.insert(sighting.beacon.uuid).inserted {
            ranger.setRegions(uuids.map { Region(id: "\($0)", identifier: "\($0)", scope: .uuid($0)) })
        }
        ranger.hear(sighting)
        if let name = LocalName(in: data) { nearby.name(sighting.beacon, name.text) }
    }
}

private func jsonLine(_ beacon: HeardBeacon) -> String {
    var json = JSONWriter()
    beacon.write(to: &json)
    return String(decoding: json.bytes, as: UTF8.self)
}

private func jsonLines(_ beacons: [HeardBeacon]) -> String {
    beacons.isEmpty ? "[]" : "[\n" + beacons.map(jsonLine).joined(separator: ",\n") + "\n]"
}
