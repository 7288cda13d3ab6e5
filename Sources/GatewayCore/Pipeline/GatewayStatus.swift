import Beacons
import Delivery
import Messages

/// What a gateway publishes about itself: that it is online, its `info` with the problems, and telemetry.
struct GatewayStatus: Sendable {
    private static let infoPeriod = Interval.seconds(30)
    private static let telemetryPeriod = Interval.seconds(60)
    /// The shortest time between two telemetry messages, however often Home Assistant starts.
    private static let shortestTelemetryPeriod = Interval.seconds(10)

    var radio = RadioReport()
    private(set) var isConnected = false
    private(set) var diskProblem: String?
    /// The problems in `info`, such as a region that cannot be monitored.
    private var problems: [String] = []
    private var machine = GatewayInfo.Machine()
    private var onlineAgain = OnlineAgain()
    private var meter: TelemetryMeter
    private var nextInfo: Instant
    private var nextTelemetry: Instant
    private var lastTelemetry: Instant

    init(at start: Instant) {
        meter = TelemetryMeter(at: start)
        nextInfo = start + Self.infoPeriod
        nextTelemetry = start + Self.telemetryPeriod
        lastTelemetry = start
    }

    var nextDeadline: Instant {
        min(nextInfo, nextTelemetry, onlineAgain.nextDeadline ?? nextInfo)
    }

    // MARK: Whether it is online

    mutating func connected(at now: Instant) {
        isConnected = true
        onlineAgain.connected(at: now)
    }

    mutating func disconnected() {
        isConnected = false
        onlineAgain.disconnected()
    }

    /// Whether it is to be repeated that the gateway is online, which counts as done then.
    mutating func takeOnlineDue(at now: Instant) -> Bool { onlineAgain.takeDue(at: now) }

    // MARK: Its info

    func isInfoDue(at now: Instant) -> Bool { now >= nextInfo }

    /// Reports `new` among the problems in the place of `old`, with the next `info`.
    mutating func replace(problem old: String?, by new: String?) {
        problems.removeAll { $0 == old }
        if let new { problems.append(new) }
    }

    private static let undervoltage =
        "the machine's power supply is too weak (undervoltage), which disturbs its radios and may damage its card: use another supply or cable"

    /// Records what was measured of the machine; returns whether its power supply has become too weak or strong enough, which is logged.
    mutating func note(_ machine: GatewayInfo.Machine, _ effects: inout GatewayEffects) -> Bool {
        let (wasWeak, isWeak) = (self.machine.isUndervolted == true, machine.isUndervolted == true)
        self.machine = machine
        guard isWeak != wasWeak else { return false }
        replace(problem: wasWeak ? Self.undervoltage : nil, by: isWeak ? Self.undervoltage : nil)
        effects.note(isWeak ? Self.undervoltage : "The machine's power supply is strong enough again")
        return true
    }

    /// Records a problem of the disk, or its end; returns whether that is a change, which is logged.
    mutating func note(diskProblem problem: String?, _ effects: inout GatewayEffects) -> Bool {
        guard problem != diskProblem else { return false }
        diskProblem = problem
        effects.note(problem ?? "The disk can be written again")
        return true
    }

    /// Publishes `info`.
    ///
    /// - Parameters:
    ///   - others: the problems of others, behind its own.
    ///   - regions: how many regions are monitored.
    ///   - revision: the revision of the registry that the gateway follows.
    mutating func publishInfo(
        of configuration: GatewayConfiguration, problems others: [String], regions: Int, revision: UInt64,
        _ effects: inout GatewayEffects
    ) {
        nextInfo = effects.now.instant + Self.infoPeriod
        let info = GatewayInfo(
            gateway: configuration.id, room: configuration.room, host: configuration.host,
            rssiOffset: configuration.ranging.rssiOffset == 0 ? nil : configuration.ranging.rssiOffset,
            version: version, stamp: effects.stamp(of: effects.now.instant),
            radio: GatewayInfo.Radio(
                source: "\(configuration.radio.source)", interface: radio.interface, address: radio.address,
                state: radio.state, reason: radio.reason),
            beacon: configuration.beacon.map { .init(identity: $0.identity, measuredPower: $0.measuredPower) },
            machine: machine == GatewayInfo.Machine() ? nil : machine, log: effects.events.log.ranges,
            problems: problems + [diskProblem].compactMap { $0 } + others,
            regions: regions, revision: revision)
        effects.publish(.gatewayInfo(gateway: configuration.id), info)
    }

    // MARK: Telemetry

    mutating func lostInKernel(_ count: UInt64) { meter.lostInKernel += count }

    /// Publishes telemetry at `instant` if it is not due before, and not too soon after the last one.
    mutating func requestTelemetry(at instant: Instant) {
        nextTelemetry = min(nextTelemetry, max(instant, lastTelemetry + Self.shortestTelemetryPeriod))
    }

    /// Whether telemetry is due, which counts as done then.
    mutating func takeTelemetryDue(at now: Instant) -> Bool {
        guard now >= nextTelemetry else { return false }
        (nextTelemetry, lastTelemetry) = (now + Self.telemetryPeriod, now)
        return true
    }

    /// Publishes telemetry from the counters and from `readings`, which the shell measures.
    ///
    /// - Parameters:
    ///   - counters: what was received since the start.
    ///   - beacons: how many beacons were received lately, those of monitored regions and all others.
    mutating func publishTelemetry(
        _ readings: TelemetryMeter.Readings, _ counters: ScanCounters, beacons: (known: Int, unknown: Int),
        _ effects: inout GatewayEffects
    ) {
        let now = effects.now.instant
        let rates = meter.rates(adverts: counters.adverts, processorTime: readings.processorTime, at: now)
        var refused: [String: UInt64] = [:]
        for refusal in AdvertisementRefusal.allCases where counters[refused: refusal] > 0 {
            refused[refusal.rawValue] = counters[refused: refusal]
        }
        effects.publish(
            .gatewayTelemetry(gateway: effects.gateway),
            Telemetry(
                boot: effects.boot, uptime: effects.uptime(at: now), advertsPerSecond: rates.advertsPerSecond,
                adverts: counters.adverts, sightings: counters.sightings, refused: refused,
                lostInKernel: meter.lostInKernel, beacons: beacons.known, unknownBeacons: beacons.unknown,
                outbox: readings.outbox, reconnects: readings.reconnects, cpuPercent: rates.processorPercent,
                rssBytes: UInt64(max(0, readings.residentBytes))))
    }
}

/// The last report of the radio about its state.
struct RadioReport: Sendable {
    var state = RadioState.unknown
    var reason = "the radio has not responded yet"
    /// The kernel's interface, if there is one, and the adapter's address.
    var interface: String?
    var address: DeviceAddress?
    /// Whether a recording is over.
    var hasEnded = false

    /// Whether the radio scans, so that silence counts.
    var isScanning: Bool { state == .poweredOn }
}
