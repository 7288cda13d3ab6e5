import SiteCore
import Beacons
import Delivery
import EventLogs
import Messages
import Simulation
import SimulationTestSupport
import SiteTestSupport

/// The machine with the real aggregator on it: disk, clocks, and a process that may not be running.
struct AggregatorHost {
    let configuration: AggregatorConfiguration
    private var machine: AggregatorMachine?
    var clock: HostClock
    var witness: SiteWitness
    private var requests = RequestWitness()
    /// The disk while no process runs.
    private var disk = TestDisk()
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
    /// When the driver, by its own clock, wants `timePassed`; `nil`: no process runs.
    private var driverAt: Instant?
    /// Until when the process does nothing; `nil`: it has never stood still.
    private(set) var standsStillUntil: Instant?
    /// Counts the publications, over all processes.
    private var publications: UInt64 = 0
    private var isConnected = false
    private var random: Xoshiro256
    private let bug: PlantedBug?
    private var forgeries: UInt64 = 0
    private(set) var steps = 0

    init(in scenario: Scenario, bug: PlantedBug?) {
        configuration = scenario.aggregatorConfiguration
        self.bug = bug
        random = Xoshiro256(seed: scenario.seed &* 31 &+ 1000)
        clock = HostClock(lead: .seconds(random.uniform(in: 1...1e6)))
        witness = SiteWitness()
    }

    var isRunning: Bool { machine != nil }

    var nextDeadline: Instant? { driverAt.map { max(clock.virtual($0), standsStillUntil ?? .zero) } }

    // MARK: The process

    mutating func start(at now: Instant) -> [Effect] {
        disk.boots += 1
        let boot = Boot(epoch: disk.boots, using: &random)
        let stored = try? TestDisk.stored(disk.files)
        machine = AggregatorMachine(
            AggregatorDriver(configuration, boot: boot, stored: stored, at: clock.moment(at: now)), disk: disk,
            publications: publications)
        machine!.isFull = isFull
        isConnected = false
        witness.begins(boot, at: now)
        return collect(at: now)
    }

    mutating func kill() {
        if let machine { (disk, publications) = (machine.disk, machine.publications) }
        machine = nil
        (driverAt, standsStillUntil) = (nil, nil)
        isConnected = false
        requests.ended()
    }

    mutating func stop(at now: Instant) -> [Packet] {
        guard machine != nil else { return [] }
        let farewell = machine!.driver.stop(at: clock.moment(at: now)).map { Packet($0) }
        let sent = collect(at: now).compactMap(\.packet) + farewell
        witness.take(farewell, at: now)
        let wasConnected = isConnected
        isConnected = false
        machine!.driver.site.end()
        _ = collect(at: now)
        kill()
        return wasConnected ? sent : []
    }

    /// The process does nothing until then.
    mutating func standStill(until end: Instant) {
        if isRunning { standsStillUntil = max(end, standsStillUntil ?? end) }
    }

    // MARK: What comes in

    mutating func wake(at now: Instant) -> [Effect] {
        guard machine != nil else { return [] }
        return collect(at: now)
    }

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
        return collect(at: now)
    }

    mutating func take(_ packet: Packet, at now: Instant) -> [Effect] {
        guard machine != nil else { return [] }
        witness.delivered(packet, at: now)
        if !isFull { requests.delivered(packet, at: now) }
        if bug == .takesSilenceForAnExit, let exit = forged(.exit, packet) { handle(.broker(exit.message), at: now) }
        if bug == .takesSilenceForAnEnter, let enter = forged(.enter, packet) {
            handle(.broker(enter.message), at: now)
        }
        handle(.broker(packet.message), at: now)
        return collect(at: now)
    }

    private mutating func handle(_ input: SiteDriver.Input, at now: Instant) {
        machine!.driver.handle(input, at: clock.moment(at: now))
    }

    /// The planted bugs: a beacon that a gateway no longer reports counts as exited, or as entered.
    private mutating func forged(_ transition: Transition, _ packet: Packet) -> Packet? {
        guard packet.payload.isEmpty,
            case .proximity(let beacon, let gateway)? = Topic(named: packet.topic, under: .standard)
        else { return nil }
        forgeries += 1
        // A clock that was never set dates nothing: it happened when it came.
        let stamp = Stamp(at: Scenario.start, boot: Boot("1.bugs")!, uptime: .zero, isClockSynchronised: false)
        let event = BeaconEvent(
            transition, seq: forgeries, stamp: stamp, gateway: gateway, beacon: beacon, regions: [])
        return Packet(Message(.beaconEvent(beacon, gateway: gateway), event))
    }

    // MARK: What comes out

    /// Lets time pass, and carries out what was decided, as live.
    private mutating func collect(at now: Instant) -> [Effect] {
        steps += 1
        handle(.timePassed, at: now)
        var sent: [Packet] = []
        let moment = clock.moment(at: now)
        machine!.run(at: moment) { output, machine in
            switch output {
            case .publish(let message, let number, let event):
                sent.append(Packet(message, publication: number, event: event))
            case .deliver(let delivery): machine.driver.handle(.delivered(delivery.number, .taken), at: moment)
            // The aggregator is the only one.
            case .publishOnOwnConnection, .claimSeat, .releaseSeat, .log: break
            }
        }
        if bug == .guessesRooms { sent = sent.map { $0.withRoom("Nowhere") } }
        look(at: sent, at: now)
        driverAt = machine!.driver.nextDeadline
        return isConnected ? sent.map { .send($0) } : []
    }

    private mutating func look(at sent: [Packet], at now: Instant) {
        witness.take(events: newEvents(), at: now, clock: clock)
        witness.take(sent, at: now)
        witness.committed(upTo: machine!.driver.site.pipeline.log.storedUpTo, at: now)
        witness.check(tables: machine!.driver.tables, at: now)
        for packet in sent { requests.sent(packet) }
        if let late = requests.late(at: now) { witness.violate(.requestsGetResponses, "aggregator", late, at: now) }
    }

    private mutating func newEvents() -> [ItemEvent] {
        let log = machine!.driver.site.pipeline.log
        guard witness.nextSeq < log.upcoming else { return [] }
        return log.entries(in: witness.nextSeq...log.upcoming - 1, most: .max).entries
            .compactMap { try? ItemEvent(parsing: $0.payload) }
            .flatMap { bug == .returnsTwice ? [$0, $0] : [$0] }
    }
}

extension Packet {
    /// The same, if it is a location with a room, with another.
    fileprivate func withRoom(_ room: String) -> Packet {
        guard case .itemLocation? = Topic(named: topic, under: .standard),
            var location = try? ItemLocation(parsing: payload), location.room != nil
        else { return self }
        location.room = room
        var packet = self
        packet.payload = location.bytes
        return packet
    }
}
