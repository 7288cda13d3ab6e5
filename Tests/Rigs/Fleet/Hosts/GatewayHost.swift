import Beacons
import GatewayService
import Journal
import Messages
import Simulation

/// One machine with the real gateway pipeline on it: adapter, disk, clocks, and a process that may not be running.
struct GatewayHost {
    let configuration: GatewayConfiguration
    private(set) var pipeline: GatewayPipeline?
    /// Counts the processes; what was meant for a former one is void.
    private(set) var process = 0
    var clock: HostClock
    var radio = SimulatedRadio()
    var witness: GatewayWitness
    private var ear: Ear
    private var disk = GatewayDisk()
    /// By what the machine's own boot is known.
    private var machine = "machine-0"
    /// When the states are written: soon after an event, else now and then, as live.
    private var statesAt = Instant.zero
    private var upcoming: UInt64 = 1
    private static let statesDelay = Interval.seconds(5)
    private static let statesPeriod = Interval.seconds(300)
    /// When the pipeline, by its own clock, and the log want to be looked after; `nil`: it does not run, or has nothing to write.
    private var pipelineAt: Instant?
    private var commitAt: Instant?
    private var outbox = Outbox()
    private var held = HeldStates()
    private var isConnected = false
    private var random: Xoshiro256
    private let bug: PlantedBug?
    private let scenario: Scenario
    /// How many advertisements its processes were given.
    private(set) var heard = 0
    /// Moments that went in.
    private(set) var steps = 0

    init(_ gateway: House.Gateway, number: Int, in scenario: Scenario, bug: PlantedBug?) {
        configuration = scenario.gatewayConfiguration(gateway)
        self.scenario = scenario
        self.bug = bug
        random = Xoshiro256(seed: scenario.seed &* 31 &+ UInt64(number))
        clock = HostClock(lead: .seconds(random.uniform(in: 1...1e6)))
        ear = Ear(house: scenario.house, gateway: gateway)
        witness = GatewayWitness(
            gateway: gateway.id, exitAfter: scenario.exitAfter, enterSightings: scenario.enterSightings)
    }

    var id: String { configuration.id }

    /// When it wants to be woken; `nil`: it does not run.
    var nextDeadline: Instant? {
        guard let pipelineAt else { return nil }
        let own = min(trial(pipelineAt), commitAt ?? scenario.end, statesAt)
        return radio.hears ? min(own, ear.nextDeadline) : own
    }

    /// Notes what is asked for before every step: a look at the pipeline costs more.
    private mutating func noteDeadlines() {
        pipelineAt = pipeline?.nextDeadline
        commitAt = pipeline.flatMap { outbox.archive.nextDeadline($0.log) }
    }

    // MARK: The process

    mutating func start(at now: Instant) -> [Wish] {
        process += 1
        disk.boots += 1
        let boot = Boot(epoch: disk.boots, using: &random)
        let moment = moment(at: now)
        var fresh = GatewayPipeline(configuration, boot: boot, at: moment)
        if let registry = disk.registry.flatMap({ try? KeptRegistry(parsing: $0) }) { fresh.restore(registry) }
        outbox.archive.open(&fresh.log)
        if bug != .forgetsOverRestarts {
            let states = disk.states.flatMap { try? KeptStates(parsing: $0) }
            let silences = disk.silences.flatMap { try? KeptSilences(parsing: $0) }
            let later = fresh.events(after: states) { outbox.archive.read($0, by: $1) }
            fresh.restore(states, silences, events: later, machine: machine)
        }
        pipeline = fresh
        (statesAt, upcoming) = (now, fresh.log.upcoming)
        (held, isConnected) = (HeldStates(), false)
        witness.begins(boot, at: now, remembers: true)
        // What was in the air while it did not run is over.
        while ear.next(upTo: now) != nil {}
        return radio.start() + collect(at: now)
    }

    /// It dies without a word.
    mutating func kill(at now: Instant) {
        pipeline = nil
        noteDeadlines()
        outbox.processEnded()
        radio.stop()
        isConnected = false
        witness.ends(at: now)
    }

    /// Its power fails, too: the monotonic clock begins anew.
    mutating func losePower(at now: Instant) {
        if let pipeline {
            outbox.archive.tear(pipeline.log, writtenAt: pipeline.writtenAt, share: random.uniform())
        }
        kill(at: now)
        witness.losesPower(at: now)
        machine = "machine-\(process)"
        // Every other machine is up for longer than the power was away: then its wall clock cannot be right, and nobody knows for how long.
        clock.reboot(lead: .seconds(random.chance(0.5) ? 0 : random.uniform(in: 1...100)) - (now - .zero))
    }

    /// It is told to stop, and says what is to be said last.
    mutating func stop(at now: Instant) -> [Packet] {
        guard pipeline != nil else { return [] }
        let packets = pipeline!.farewell(at: moment(at: now)).map(Packet.init)
        witness.take(events: newEvents(), at: now, clock: clock)
        witness.told(listening: false, at: now)
        witness.take(packets, at: now)
        keepStates()
        disk.silences = pipeline!.keptSilences.bytes
        witness.committed(upTo: pipeline!.log.keptUpTo, at: now)
        defer { kill(at: now) }
        return isConnected ? outbox.take(from: &pipeline!.log) + held.takeAll().map(Packet.init) + packets : []
    }

    // MARK: What comes in

    /// Hears all that came, and lets time pass.
    mutating func wake(at now: Instant) -> [Wish] {
        guard pipeline != nil else { return [] }
        pipeline!.wake(at: moment(at: now))
        listen(upTo: now)
        pipeline!.advance(to: moment(at: now))
        return collect(at: now)
    }

    private mutating func listen(upTo now: Instant) {
        while let heard = ear.next(upTo: now) {
            guard radio.hears else { continue }
            if let tag = heard.tag, !scenario.isPresent(tag: tag, at: heard.at) { continue }
            hand(heard)
        }
    }

    private mutating func hand(_ heard: Ear.Heard) {
        self.heard += 1
        let beacon = heard.tag.map { scenario.house.tags[$0].beacon }
        if let beacon { witness.heard(beacon, at: heard.at) }
        // The planted bug: for the last third of each two minutes it does not look at what it is given.
        if bug == .isHardOfHearing, heard.at.milliseconds % 120_000 > 60_000 { return }
        let advertisement = Advertisement(
            address: heard.address, rssi: heard.rssi, at: moment(at: heard.at).instant)
        pipeline!.hear(advertisement, heard.data.span.bytes)
    }

    /// A crowd of identities of the wildcard's, all at once.
    mutating func flood(_ count: Int, at now: Instant) -> [Wish] {
        guard pipeline != nil, radio.hears else { return [] }
        for number in 0..<count {
            let beacon = BeaconIdentity(
                uuid: House.uuid, major: UInt16(1000 + number >> 8), minor: UInt16(truncatingIfNeeded: random.next()))
            let frame = BeaconFrame(format: .iBeacon, identity: beacon, measuredPower: MeasuredPower(dBm: -59))
            witness.heard(beacon, at: now)
            let advertisement = Advertisement(
                address: DeviceAddress(bits: random.next() & 0xFFFF_FFFF_FFFF, kind: .random), rssi: RSSI(dBm: -70),
                at: moment(at: now).instant)
            pipeline!.hear(advertisement, frame.advertisingData.span.bytes)
        }
        return wake(at: now)
    }

    /// The radio says something.
    mutating func take(_ notice: RadioNotice, at now: Instant) -> [Wish] {
        guard pipeline != nil else { return [] }
        var wishes = wake(at: now)
        let notice = radio.saying(notice)
        if bug == .ignoresTheRadio, case .state(let state, _) = notice, state != .poweredOn {
            witness.told(listening: false, at: now)
            return wishes
        }
        pipeline!.take(notice, at: moment(at: now))
        let events = newEvents()
        witness.take(events: events, at: now, clock: clock)
        witness.told(listening: radio.saysItListens, at: now)
        wishes += collect(at: now)
        return wishes
    }

    /// The adapter changes; what was in the air until now was heard, or not, as it was until now.
    mutating func turn(at now: Instant, _ change: (inout SimulatedRadio) -> [Wish]) -> [Wish] {
        let wishes = wake(at: now)
        return wishes + change(&radio)
    }

    /// The world's truth has changed: from now on advertisements come through, or not.
    mutating func noteHearing(at now: Instant) { witness.hears(radio.hears && pipeline != nil, at: now) }

    mutating func connected(at now: Instant) -> [Wish] {
        guard pipeline != nil else { return [] }
        isConnected = true
        pipeline!.connected(at: moment(at: now))
        return collect(at: now)
    }

    mutating func disconnected(at now: Instant) -> [Wish] {
        guard pipeline != nil else { return [] }
        isConnected = false
        outbox.connectionLost(&pipeline!.log)
        pipeline!.disconnected(at: moment(at: now))
        return collect(at: now)
    }

    mutating func acknowledged(_ event: Place) {
        guard pipeline != nil else { return }
        outbox.acknowledge(event, in: &pipeline!.log)
        noteDeadlines()
    }

    mutating func take(_ packet: Packet, at now: Instant) -> [Wish] {
        guard pipeline != nil else { return [] }
        pipeline!.take(
            topic: packet.topic, payload: packet.payload, isRetained: packet.retain, at: moment(at: now))
        return wake(at: now)
    }

    // MARK: What comes out

    private mutating func collect(at now: Instant) -> [Wish] {
        steps += 1
        witness.take(events: newEvents(), at: now, clock: clock)
        outbox.archive.keep(&pipeline!.log, writtenAt: pipeline!.writtenAt, at: now)
        witness.committed(upTo: pipeline!.log.keptUpTo, at: now)
        // Events before states, as live.
        var sent = isConnected ? outbox.take(from: &pipeline!.log) : []
        sent += held.release(behind: pipeline!.log).map(Packet.init)
        var wishes: [Wish] = []
        var packets: [Packet] = []
        var outputs = pipeline!.takeOutputs()[...]
        while let output = outputs.popFirst() {
            switch output {
            case .publish(let message):
                packets.append(Packet(message))
                let passed = bug == .statesRunAhead ? message : held.pass(message, behind: pipeline!.log)
                if let passed { sent.append(Packet(passed)) }
            case .proveRadio, .restartRadio: wishes += radio.prove()
            case .keepRegistry: disk.registry = pipeline!.registry.kept.bytes
            case .answerEvents(let request):
                pipeline!.answerEvents(request, read: outbox.archive.read)
                outputs += pipeline!.takeOutputs()
            case .telemetryIsDue, .note, .publishElsewhere, .fetch: break
            }
        }
        if pipeline!.log.upcoming != upcoming {
            upcoming = pipeline!.log.upcoming
            statesAt = min(statesAt, now + Self.statesDelay)
        }
        if now >= statesAt {
            keepStates()
            witness.committed(upTo: pipeline!.log.keptUpTo, at: now)
            statesAt = now + Self.statesPeriod
        }
        witness.take(packets, at: now)
        witness.check(tables: bug == .growsWithoutLimit ? [("beacons", 3, 2)] : pipeline!.tables, at: now)
        if isConnected {
            witness.take(sent: sent, at: now)
            wishes += sent.map { .send($0) }
        }
        if bug == .losesExits { wishes.removeAll { $0.isExit } }
        noteDeadlines()
        return wishes
    }

    /// The log first: states that know of an event which the log does not have would swallow it.
    private mutating func keepStates() {
        outbox.archive.finish(&pipeline!.log, writtenAt: pipeline!.writtenAt)
        if let states = pipeline!.keptStates(machine: machine) { disk.states = states.bytes }
    }

    /// What the log has that the witness has not seen, as its readers will read it.
    private mutating func newEvents() -> [LoggedEvent] {
        let upcoming = pipeline!.log.upcoming
        guard witness.nextSeq < upcoming else { return [] }
        let entries = pipeline!.log.entries(in: witness.nextSeq...upcoming - 1, most: .max).entries
        return entries.flatMap { entry -> [LoggedEvent] in
            let payload = bug == .garblesEvents ? entry.payload.dropLast(5) : entry.payload[...]
            guard let event = try? LoggedEvent(parsing: Array(payload)) else {
                witness.violate(.eventsAreReadable, String(decoding: payload, as: UTF8.self), at: .zero)
                return []
            }
            return bug.map { $0.tamper(event) } ?? [event]
        }
    }

    private func moment(at now: Instant) -> Moment {
        var moment = clock.moment(at: now)
        if bug == .livesByTheWall { moment.instant = moment.instant + clock.error }
        return moment
    }

    private func trial(_ instant: Instant) -> Instant {
        bug == .livesByTheWall ? clock.trial(instant) - clock.error : clock.trial(instant)
    }
}

extension Wish {
    /// Whether it is a beacon's exit on its way to the broker, or may contain one.
    fileprivate var isExit: Bool {
        guard case .send(let packet) = self else { return false }
        if packet.topic.hasSuffix("/response/events") { return true }
        if case .beacon(let event)? = try? LoggedEvent(parsing: packet.payload) { return event.transition == .exit }
        return false
    }
}

/// What a gateway has committed to its disk: this alone is there after a kill.
struct GatewayDisk: Sendable {
    var boots: UInt32 = 0
    var registry: [UInt8]?
    var states: [UInt8]?
    var silences: [UInt8]?
}
