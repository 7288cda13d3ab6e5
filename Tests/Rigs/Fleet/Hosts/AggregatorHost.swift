import SiteCore
import Beacons
import Delivery
import EventLogs
import Messages
import Simulation
import SiteTestSupport

/// The machine with the real aggregator on it: disk, clocks, and a process that may not be running.
struct AggregatorHost {
    let configuration: AggregatorConfiguration
    private var driver: SiteDriver?
    var clock: HostClock
    var witness: SiteWitness
    private var requests = RequestWitness()
    private var disk = VirtualDisk()
    /// When the driver, by its own clock, wants to be told that time has passed; `nil`: no process runs.
    private var driverAt: Instant?
    /// Counts the publications, over all processes.
    private var publications: UInt64 = 0
    private var isConnected = false
    private var random: Xoshiro256
    private let bug: PlantedBug?
    private var forged: UInt64 = 0
    private(set) var steps = 0

    init(in scenario: Scenario, bug: PlantedBug?) {
        configuration = scenario.aggregatorConfiguration
        self.bug = bug
        random = Xoshiro256(seed: scenario.seed &* 31 &+ 1000)
        clock = HostClock(lead: .seconds(random.uniform(in: 1...1e6)))
        witness = SiteWitness()
    }

    var isRunning: Bool { driver != nil }

    var nextDeadline: Instant? { driverAt.map(clock.virtual) }

    // MARK: The process

    mutating func start(at now: Instant) -> [Effect] {
        disk.boots += 1
        let boot = Boot(epoch: disk.boots, using: &random)
        let stored = disk.files[SiteFile.site.rawValue].flatMap { try? StoredSite(parsing: $0) }
            .map { $0.applying(log: disk.files[SiteFile.changes.rawValue] ?? []).site }
        driver = SiteDriver(configuration, boot: boot, stored: stored, at: clock.moment(at: now))
        isConnected = false
        witness.begins(boot, at: now)
        return collect(at: now)
    }

    mutating func kill() {
        driver = nil
        driverAt = nil
        isConnected = false
        requests.ended()
    }

    mutating func stop(at now: Instant) -> [Packet] {
        guard driver != nil else { return [] }
        let farewell = driver!.stop(at: clock.moment(at: now)).map { Packet($0) }
        let sent = collect(at: now).compactMap(\.packet) + farewell
        witness.take(farewell, at: now)
        let wasConnected = isConnected
        isConnected = false
        driver!.end()
        _ = collect(at: now)
        kill()
        return wasConnected ? sent : []
    }

    // MARK: What comes in

    mutating func wake(at now: Instant) -> [Effect] {
        guard driver != nil else { return [] }
        return collect(at: now)
    }

    /// The connection reports something.
    mutating func take(_ event: BrokerEvent, at now: Instant) -> [Effect] {
        guard driver != nil else { return [] }
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
        guard driver != nil else { return [] }
        witness.delivered(packet, at: now)
        requests.delivered(packet, at: now)
        if bug == .takesSilenceForAnExit, let exit = forgedExit(packet) { handle(.broker(exit.message), at: now) }
        handle(.broker(packet.message), at: now)
        return collect(at: now)
    }

    private mutating func handle(_ input: SiteDriver.Input, at now: Instant) {
        driver!.handle(input, at: clock.moment(at: now))
    }

    /// The planted bug: what a gateway no longer says of a beacon would be the beacon's exit.
    private mutating func forgedExit(_ packet: Packet) -> Packet? {
        guard packet.payload.isEmpty,
            case .proximity(let beacon, let gateway)? = Topic(named: packet.topic, under: .standard)
        else { return nil }
        forged += 1
        let stamp = Stamp(at: Scenario.start, boot: Boot("1.bugs")!, uptime: .zero)
        let event = BeaconEvent(
            .exit, seq: forged, stamp: stamp, gateway: gateway, beacon: beacon, regions: [])
        return Packet(Message(.beaconEvent(beacon, gateway: gateway), event))
    }

    // MARK: What comes out

    /// Lets time pass, and carries out what was decided, as live.
    private mutating func collect(at now: Instant) -> [Effect] {
        steps += 1
        handle(.timePassed, at: now)
        var sent: [Packet] = []
        while let action = driver!.nextAction(at: clock.moment(at: now).instant) {
            switch action {
            case .write(let step): handle(.wrote(disk.perform(step)), at: now)
            case .read(let reading): driver!.read(reading, by: disk.read)
            case .publish(let message, let event):
                publications += 1
                sent.append(Packet(message, publication: publications, event: event))
                handle(.published(publications), at: now)
            case .replace(let file, let bytes):
                disk.files[file.rawValue] = bytes
                handle(.replaced(file, problem: nil), at: now)
            case .append(let file, let bytes):
                disk.files[file.rawValue]! += bytes
                handle(.replaced(file, problem: nil), at: now)
            // A run is too short to learn from, and no Home Assistant is there.
            case .fetch, .learn, .notify, .log, .publishOnOwnConnection, .claimSeat, .releaseSeat: break
            }
        }
        if bug == .guessesRooms { sent = sent.map { $0.withRoom("Nowhere") } }
        look(at: sent, at: now)
        driverAt = driver!.nextDeadline
        return isConnected ? sent.map { .send($0) } : []
    }

    private mutating func look(at sent: [Packet], at now: Instant) {
        witness.take(events: newEvents(), at: now, clock: clock)
        witness.take(sent, at: now)
        witness.committed(upTo: driver!.pipeline.log.storedUpTo, at: now)
        witness.check(tables: driver!.pipeline.tables, at: now)
        for packet in sent { requests.sent(packet) }
        if let late = requests.late(at: now) { witness.violate(.requestsGetResponses, "aggregator", late, at: now) }
    }

    private mutating func newEvents() -> [ItemEvent] {
        let log = driver!.pipeline.log
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
