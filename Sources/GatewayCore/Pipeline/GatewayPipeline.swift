import Beacons
import Delivery
import EventLogs
import Messages
import Ranging

/// One gateway without its adapters: receives advertisements, messages and the time, and returns messages. It uses no socket, clock or log.
///
/// Three drivers use the same pipeline: the live one, a recording at any speed, and tests.
package struct GatewayPipeline: Sendable {
    static let infoPeriod = Interval.seconds(30)
    static let telemetryPeriod = Interval.seconds(60)

    var configuration: GatewayConfiguration
    /// The prefix of each topic.
    let prefix: TopicPrefix
    let boot: Boot
    let startedAt: Instant

    var reader = SightingReader()
    package var monitor: Monitor
    var ranger: Ranger
    var nearby = NearbyTable()
    var board: ProximityBoard
    package var registry = RegistryReplica()
    /// How often the pipeline checks for entries of the registry that did not arrive.
    static let tendingPeriod = Interval.seconds(1)
    var nextTending: Instant
    /// The problem that `info` reports if entries of the registry do not arrive.
    var registryProblem: String?
    /// The ids of regions that a former process wrote to disk.
    var storedRegionIDs: Set<String> = []
    package var log: EventLog
    var radio = RadioReport()
    /// The last moment at which the radio scanned.
    var lastScannedAt: Moment?
    /// The restored states whose age is unknown, because the wall clock was not right yet.
    var undated: UndatedStates?
    var meter: TelemetryMeter
    /// The problems in `info`, such as a region that cannot be monitored.
    var problems: [String] = []
    /// Whether more beacons are in range than have a place.
    var crowding = Crowding()
    /// The problem of the disk; `nil` if there is none.
    var diskProblem: String?
    /// The numbers of messages with an invalid payload, by reason.
    var refusedMessages: [String: UInt64] = [:]

    var outputs: [GatewayOutput] = []
    var json = JSONWriter(reserving: 1024)
    var now: Moment
    private(set) var isConnected = false
    /// When the gateway was last announced to Home Assistant, and when it is announced again after Home Assistant has started.
    var announcedAt: Instant?
    var birthDueAt: Instant?
    /// The moment until which events wait, while Home Assistant processes the discovery.
    var eventsWaitUntil = Instant.zero
    var nextInfo: Instant
    private var onlineAgain = OnlineAgain()
    private var nextTelemetry: Instant
    private var lastTelemetry: Instant

    package init(_ configuration: GatewayConfiguration, boot: Boot, at start: Moment) {
        self.configuration = configuration
        prefix = configuration.prefix
        self.boot = boot
        startedAt = start.instant
        now = start
        monitor = Monitor(configuration.monitoring.monitor, at: start.instant)
        ranger = Ranger(configuration.ranging.ranger)
        board = ProximityBoard(heartbeat: configuration.ranging.heartbeat)
        log = EventLog(boot: boot.description)
        meter = TelemetryMeter(at: start.instant)
        nextInfo = start.instant + Self.infoPeriod
        nextTending = start.instant + Self.tendingPeriod
        nextTelemetry = start.instant + Self.telemetryPeriod
        lastTelemetry = start.instant
        setRegions()
    }

    // MARK: What comes in

    /// Sets the time before advertisements are received, so that an enter is not dated by a wall clock that was set since.
    package mutating func wake(at moment: Moment) { now = moment }

    /// Receives one advertisement. This is the hot path: it allocates nothing and writes nothing.
    package mutating func receive(_ advertisement: Advertisement, _ data: RawSpan) {
        monitor.receivedSomething(at: advertisement.at)
        guard let sighting = reader.read(advertisement, data) else { return }
        nearby.receive(sighting)
        guard let transitions = monitor.receive(sighting) else { return }
        if !transitions.isEmpty { publish(transitions) }
        if monitor.state(of: sighting.beacon) == .inside { ranger.receive(sighting) }
    }

    /// Handles a report of the radio about its state.
    package mutating func handle(_ notice: RadioNotice, at moment: Moment) {
        now = moment
        switch notice {
        case .state(let state, let reason):
            guard radio.state != state || radio.reason != reason else { return }
            let wasScanning = radio.isScanning
            radio.state = state
            radio.reason = reason
            outputs.append(.note("The radio is \(state.rawValue): \(reason)"))
            if wasScanning || radio.isScanning { lastScannedAt = moment }
            if radio.isScanning != wasScanning {
                publish(monitor.radio(scanning: radio.isScanning, at: moment.instant))
            }
            publishInfo()
        case .proven:
            publish(monitor.proven(at: moment.instant))
        case .lost(let count):
            meter.lostInKernel += count
        case .ended:
            radio.hasEnded = true
        }
    }

    /// Lets time pass: exits fall due, windows end, heartbeats are published.
    package mutating func advance(to moment: Moment) {
        now = moment
        if radio.isScanning { lastScannedAt = moment }
        dateIfKnown()
        publish(monitor.advance(to: moment.instant))
        for ranged in ranger.advance(to: moment.instant) {
            if let posting = board.update(with: ranged) { publish(posting) }
        }
        if isConnected { tendRegistry() }
        noteCrowding()
        noteOutage()
        if moment.instant >= nextInfo { publishInfo() }
        if onlineAgain.takeDue(at: moment.instant) {
            publish(Message(.gatewayAvailability(gateway: configuration.id), .online))
        }
        respondToBirth()
        if moment.instant >= nextTelemetry {
            nextTelemetry = moment.instant + Self.telemetryPeriod
            lastTelemetry = moment.instant
            outputs.append(.telemetryIsDue)
        }
    }

    /// When to call `advance(to:)` and `drainOutputs()` next if nothing is received before; at once while outputs wait.
    package var nextDeadline: Instant {
        // A driver that makes outputs while it carries others out must not sleep before they are done: one may be a response.
        if !outputs.isEmpty { return now.instant }
        let tending = isConnected && registry.isMissingEntries ? nextTending : nil
        return [monitor.nextDeadline, ranger.nextDeadline, tending, birthDueAt, onlineAgain.nextDeadline].compactMap {
            $0
        }
        .reduce(min(nextInfo, nextTelemetry), min)
    }

    /// Publishes telemetry at `instant` if it is not due before, and no earlier than `pause` after the last one.
    mutating func requestTelemetry(at instant: Instant, after pause: Interval) {
        nextTelemetry = min(nextTelemetry, max(instant, lastTelemetry + pause))
    }

    /// Removes and returns the outputs since the last call.
    package mutating func drainOutputs() -> [GatewayOutput] {
        defer { outputs.removeAll(keepingCapacity: true) }
        return outputs
    }

    // MARK: The broker

    /// Handles a new connection to the broker, which may have lost all retained messages.
    package mutating func connected(at moment: Moment) {
        now = moment
        isConnected = true
        onlineAgain.connected(at: moment.instant)
        announce()
        publishStates()
    }

    /// Publishes all present states again.
    mutating func publishStates() {
        publish(Message(.gatewayAvailability(gateway: configuration.id), .online))
        publishInfo()
        board.postAnew()
    }

    /// Handles the end of the connection. The states are published again with the next one.
    package mutating func disconnected(at moment: Moment) {
        now = moment
        isConnected = false
        onlineAgain.disconnected()
        registry.connectionLost()
    }

    /// Returns the last messages of a gateway that stops: each beacon becomes unknown, without an exit.
    package mutating func farewell(at moment: Moment) -> [Message] {
        now = moment
        if radio.isScanning { lastScannedAt = moment }
        radio.state = .unknown
        radio.reason = "the gateway was stopped"
        publish(monitor.radio(scanning: false, at: moment.instant))
        publishInfo()
        publish(Message(.gatewayAvailability(gateway: configuration.id), .offline))
        return drainOutputs().compactMap { if case .publish(let message) = $0 { message } else { nil } }
    }

    // MARK: Transitions

    mutating func publish(_ transitions: [MonitorOutput]) {
        for transition in transitions {
            switch transition {
            case .beacon(let change): publish(change)
            case .region(let change): publish(change)
            case .proofRequested: outputs.append(.proveRadio)
            }
        }
    }

    private mutating func publish(_ change: BeaconTransition) {
        if let event = change.event.flatMap({ Messages.Transition(rawValue: $0.rawValue) }) {
            append(
                BeaconEvent(
                    event, seq: log.upcoming, stamp: stamp(of: change.at), gateway: configuration.id,
                    room: configuration.room, beacon: change.identity, regions: change.regions,
                    insideForSeconds: change.insideFor?.seconds, lastSeenAt: change.lastSeen.map { now.wall(at: $0) },
                    lastRSSI: change.lastRSSI.map { Double($0.dBm) }),
                on: .beaconEvent(change.identity, gateway: configuration.id))
        }
        switch change.state {
        case .inside: break
        case .outside: clear(change.identity)
        case .unknown:
            publishUnknown(of: change.identity)
            clear(change.identity)
        }
    }

    private mutating func publish(_ change: RegionTransition) {
        if change.isNotified, let event = change.event.flatMap({ Messages.Transition(rawValue: $0.rawValue) }) {
            append(
                RegionEvent(
                    event, seq: log.upcoming, stamp: stamp(of: change.at), region: change.region.id,
                    gateway: configuration.id, room: configuration.room,
                    message: event == .enter ? change.region.entryText : change.region.exitText),
                on: .regionEvent(region: change.region.id, gateway: configuration.id))
        }
        if let status = monitor.regionStatuses.first(where: { $0.region == change.region }) { publish(status) }
    }

    private mutating func append(_ event: some Payload, on topic: Topic) {
        log.append(topic: topic.name(under: prefix), payload: event.bytes)
    }
}
