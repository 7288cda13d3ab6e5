import Beacons
import Delivery
import GatewayCore
import EventLogs
import Messages
import Simulation
import SimulationTestSupport
import SiteTestSupport

/// One machine with the real gateway pipeline on it: adapter, disk, clocks, and a process that may not be running.
struct GatewayHost {
    let configuration: GatewayConfiguration
    private var machine: GatewayMachine?
    /// Counts the processes; what was meant for a former one is void.
    private(set) var process = 0
    /// The word of the process before this one.
    private(set) var formerBoot: Boot?
    var clock: HostClock
    var radio = SimulatedRadio()
    var witness: GatewayWitness
    private var requests = RequestWitness()
    private var receiver: GatewayReceiver
    /// The disk while no process runs.
    private var disk = VirtualDisk()
    /// Why its disk takes nothing at present; `nil`: it takes all.
    var diskRefusal: String? {
        didSet {
            disk.refusal = diskRefusal
            machine?.disk.refusal = diskRefusal
        }
    }
    /// Whether its connection takes nothing at present.
    var isFull = false {
        didSet {
            machine?.isFull = isFull
            requests.ended()
        }
    }
    /// The id of the machine's present start.
    private var machineBoot = "machine-0"
    /// When the driver, by its own clock, wants `timePassed`; `nil`: no process runs.
    private var driverAt: Instant?
    /// The publications of former processes.
    private var publications: UInt64 = 0
    private var isConnected = false
    /// The planted bug: it carries nothing out before.
    private var sleepsUntil = Instant.zero
    private var random: Xoshiro256
    private let bug: PlantedBug?
    private let scenario: Scenario
    /// How many advertisements its processes were given.
    private(set) var received = 0
    /// Moments that went in.
    private(set) var steps = 0

    init(_ gateway: House.Gateway, number: Int, in scenario: Scenario, bug: PlantedBug?) {
        configuration = scenario.gatewayConfiguration(gateway)
        self.scenario = scenario
        self.bug = bug
        random = Xoshiro256(seed: scenario.seed &* 31 &+ UInt64(number))
        clock = HostClock(lead: .seconds(random.uniform(in: 1...1e6)))
        receiver = GatewayReceiver(house: scenario.house, gateway: gateway)
        witness = GatewayWitness(
            gateway: gateway.id, exitAfter: scenario.exitAfter, enterSightings: scenario.enterSightings)
    }

    var id: String { configuration.id }

    var isRunning: Bool { machine != nil }

    /// When it wants to be woken; `nil`: it does not run.
    var nextDeadline: Instant? {
        guard let own = driverAt.map(virtual) else { return nil }
        return max(sleepsUntil, radio.receives ? min(own, receiver.nextDeadline) : own)
    }

    // MARK: The process

    mutating func start(at now: Instant) -> [Effect] {
        process += 1
        disk.boots += 1
        formerBoot = witness.boot
        let boot = Boot(epoch: disk.boots, using: &random)
        let moment = moment(at: now)
        let driver = GatewayDriver(
            configuration, boot: boot,
            stored: GatewayDriver.StoredFiles(
                registry: stored(.registry), states: stored(.states), silences: stored(.silences)),
            machine: machineBoot, isLive: bug != .forgetsOverRestarts, at: moment, machineTime: moment.instant)
        machine = GatewayMachine(driver, disk: disk, publications: publications)
        machine!.isFull = isFull
        machine!.driver.decided = []
        isConnected = false
        witness.begins(boot, at: now, remembers: true)
        // What was in the air while it did not run is over.
        while receiver.next(upTo: now) != nil {}
        return radio.start() + collect(at: now)
    }

    private func stored<Stored: Payload>(_ file: GatewayFile) -> Stored? {
        disk.files[file.rawValue].flatMap { try? Stored(parsing: $0) }
    }

    /// It dies without a word.
    mutating func kill(at now: Instant) {
        if let machine { (disk, publications) = (machine.disk, machine.publications) }
        machine = nil
        driverAt = nil
        radio.stop()
        isConnected = false
        sleepsUntil = .zero
        requests.ended()
        witness.ends(at: now)
    }

    /// Its power fails, too: the monotonic clock begins anew.
    mutating func losePower(at now: Instant) {
        if let pipeline = machine?.driver.pipeline {
            machine!.disk.tear(pipeline.log, writtenAt: pipeline.writtenAt, share: random.uniform())
        }
        kill(at: now)
        witness.losesPower(at: now)
        machineBoot = "machine-\(process)"
        // Every other machine is up for longer than the power was away: then its wall clock cannot be right, and nobody knows for how long.
        clock.reboot(lead: .seconds(random.chance(0.5) ? 0 : random.uniform(in: 1...100)) - (now - .zero))
    }

    /// The gateway is stopped, and publishes its last messages.
    mutating func stop(at now: Instant) -> [Packet] {
        guard machine != nil else { return [] }
        let farewell = machine!.driver.stop(at: moment(at: now)).map { Packet($0) }
        witness.take(events: newEvents(), at: now, clock: clock)
        witness.reported(scanning: false, at: now)
        witness.take(farewell, at: now)
        let sent = drain(at: now).compactMap(\.packet) + farewell
        let wasConnected = isConnected
        isConnected = false
        machine!.driver.end()
        _ = drain(at: now)
        kill(at: now)
        return wasConnected ? sent : []
    }

    // MARK: What comes in

    /// Receives everything that arrived, and lets time pass.
    mutating func wake(at now: Instant) -> [Effect] {
        guard machine != nil else { return [] }
        machine!.driver.wake(at: moment(at: now))
        listen(upTo: now)
        return collect(at: now)
    }

    private mutating func listen(upTo now: Instant) {
        while let received = receiver.next(upTo: now) {
            guard radio.receives else { continue }
            if let tag = received.tag, !scenario.isPresent(tag: tag, at: received.at) { continue }
            hand(received)
        }
    }

    private mutating func hand(_ received: GatewayReceiver.Received) {
        self.received += 1
        let beacon = received.tag.map { scenario.house.tags[$0].beacon }
        if let beacon { witness.received(beacon, at: received.at) }
        // The planted bug: for the last third of each two minutes it does not look at what it is given.
        if bug == .missesAdvertisements, received.at.milliseconds % 120_000 > 60_000 { return }
        let advertisement = Advertisement(
            address: received.address, rssi: received.rssi, at: moment(at: received.at).instant)
        machine!.driver.receive(advertisement, received.data.span.bytes)
    }

    /// A crowd of identities of the wildcard's, all at once.
    mutating func flood(_ count: Int, at now: Instant) -> [Effect] {
        guard machine != nil, radio.receives else { return [] }
        for number in 0..<count {
            let beacon = BeaconIdentity(
                uuid: House.uuid, major: UInt16(1000 + number >> 8), minor: UInt16(truncatingIfNeeded: random.next()))
            let frame = BeaconFrame(format: .iBeacon, identity: beacon, measuredPower: MeasuredPower(dBm: -59))
            witness.received(beacon, at: now)
            let advertisement = Advertisement(
                address: DeviceAddress(bits: random.next() & 0xFFFF_FFFF_FFFF, kind: .random), rssi: RSSI(dBm: -70),
                at: moment(at: now).instant)
            machine!.driver.receive(advertisement, frame.advertisingData.span.bytes)
        }
        return wake(at: now)
    }

    /// The radio reports something.
    mutating func take(_ notice: RadioNotice, at now: Instant) -> [Effect] {
        guard machine != nil else { return [] }
        var effects = wake(at: now)
        let notice = radio.reporting(notice)
        if bug == .ignoresTheRadio, case .state(let state, _) = notice, state != .poweredOn {
            witness.reported(scanning: false, at: now)
            return effects
        }
        handle(.radio([notice], interface: nil, address: nil), at: now)
        let events = newEvents()
        witness.take(events: events, at: now, clock: clock)
        witness.reported(scanning: radio.reportsScanning, at: now)
        effects += collect(at: now)
        return effects
    }

    /// The adapter changes; what was on the air until now was received, or not, according to its former state.
    mutating func turn(at now: Instant, _ change: (inout SimulatedRadio) -> [Effect]) -> [Effect] {
        let effects = wake(at: now)
        return effects + change(&radio)
    }

    /// The world's truth has changed: from now on advertisements come through, or not.
    mutating func noteReceiving(at now: Instant) { witness.receives(radio.receives && machine != nil, at: now) }

    /// The connection reports something.
    mutating func take(_ event: BrokerEvent, at now: Instant) -> [Effect] {
        guard machine != nil else { return [] }
        switch event {
        case .connected: isConnected = true
        case .disconnected:
            isConnected = false
            requests.ended()
        default: break
        }
        handle(.broker(event), at: now)
        return wake(at: now)
    }

    mutating func take(_ packet: Packet, at now: Instant) -> [Effect] {
        guard machine != nil else { return [] }
        if !isFull { requests.delivered(packet, at: now) }
        if bug == .delaysResponses, case .gatewayRequest? = Topic(named: packet.topic, under: .standard) {
            sleepsUntil = now + .seconds(2)
        }
        return take(packet.message, at: now)
    }

    private mutating func handle(_ input: GatewayDriver.Input, at now: Instant) {
        machine!.handle(input, at: moment(at: now))
    }

    // MARK: What comes out

    /// Lets time pass, and carries out what was decided, as live.
    private mutating func collect(at now: Instant) -> [Effect] {
        steps += 1
        handle(.timePassed, at: now)
        return drain(at: now)
    }

    private mutating func drain(at now: Instant) -> [Effect] {
        guard now >= sleepsUntil else { return [] }
        var effects: [Effect] = []
        var sent: [Packet] = []
        machine!.run(at: moment(at: now)) { output, _ in
            switch output {
            case .publish(let message, let number, let event):
                sent.append(Packet(message, publication: number, event: event))
            case .proveRadio: effects += radio.prove()
            case .log: break
            }
        }
        if bug == .statesRunAhead { sent = sent.filter { $0.event == nil } + sent.filter { $0.event != nil } }
        look(at: sent, at: now)
        if isConnected { effects += sent.map { .send($0) } }
        if bug == .losesExits { effects.removeAll { $0.isExit } }
        driverAt = machine!.driver.nextDeadline
        return effects
    }

    private mutating func look(at sent: [Packet], at now: Instant) {
        witness.take(events: newEvents(), at: now, clock: clock)
        witness.committed(upTo: machine!.driver.pipeline.log.storedUpTo, at: now)
        witness.take((machine!.driver.decided ?? []).map { Packet($0) }, at: now)
        machine!.driver.decided = []
        witness.check(
            tables: bug == .growsWithoutLimit ? [("beacons", 3, 2)] : machine!.driver.tables, at: now)
        witness.take(sent: sent, at: now)
        if let late = requests.late(at: now) { witness.violate(.requestsGetResponses, late, at: now) }
        for packet in sent { requests.sent(packet) }
    }

    /// What the log has that the witness has not seen, as its readers will read it.
    private mutating func newEvents() -> [LoggedEvent] {
        let log = machine!.driver.pipeline.log
        guard witness.nextSeq < log.upcoming else { return [] }
        let entries = log.entries(in: witness.nextSeq...log.upcoming - 1, most: .max).entries
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
        moment.instant = moment.instant + wallError
        return moment
    }

    private func virtual(_ instant: Instant) -> Instant { clock.virtual(instant) - wallError }

    /// By how much the pipeline's monotonic clock is wrong: by none, unless the planted bug has it follow the wall clock.
    ///
    /// A pipeline handles every deadline that passes, some each few seconds. A step of decades would be hundreds of millions of deadlines at
    /// once, and would need all memory. So the planted bug follows steps of at most an hour.
    private var wallError: Interval {
        guard bug == .livesByTheWall else { return .zero }
        return max(.seconds(-3600), min(.seconds(3600), clock.error))
    }
}
