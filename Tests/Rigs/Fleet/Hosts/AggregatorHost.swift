import AggregatorService
import Beacons
import Journal
import Messages
import Simulation

/// The machine with the real aggregator on it: disk, clocks, and a process that may not be running.
struct AggregatorHost {
    /// The disk is written at most so often, as live.
    private static let keepPeriod = Interval.seconds(5)

    let configuration: AggregatorConfiguration
    private(set) var pipeline: SitePipeline?
    private(set) var process = 0
    var clock: HostClock
    var witness: SiteWitness
    private var boots: UInt32 = 0
    /// `site.json`.
    private var disk: [UInt8]?
    private var keepsAt: Instant?
    private var keptLast = Instant.zero
    /// When the pipeline, by its own clock, and the log want to be looked after; `nil`: it does not run, or has nothing to write.
    private var pipelineAt: Instant?
    private var commitAt: Instant?
    private var outbox = Outbox()
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

    var nextDeadline: Instant? {
        guard let pipelineAt else { return nil }
        let own = clock.trial(pipelineAt)
        return min(own, keepsAt ?? own, commitAt ?? own)
    }

    /// Notes what is asked for before every step: a look at the pipeline costs more.
    private mutating func noteDeadlines() {
        pipelineAt = pipeline?.nextDeadline
        commitAt = pipeline.flatMap { outbox.archive.nextDeadline($0.log) }
    }

    mutating func start(at now: Instant) -> [Wish] {
        process += 1
        boots += 1
        let boot = Boot(epoch: boots, using: &random)
        pipeline = SitePipeline(
            configuration, boot: boot, kept: disk.flatMap { try? KeptSite(parsing: $0) }, at: clock.moment(at: now))
        outbox.archive.open(&pipeline!.log)
        pipeline!.recallWhatWasTold(read: outbox.archive.read)
        (isConnected, keepsAt) = (false, nil)
        witness.begins(boot, at: now)
        return collect(at: now)
    }

    mutating func kill() {
        pipeline = nil
        noteDeadlines()
        outbox.processEnded()
        isConnected = false
    }

    mutating func stop(at now: Instant) -> [Packet] {
        guard pipeline != nil else { return [] }
        let packets = pipeline!.farewell(at: clock.moment(at: now)).map(Packet.init)
        witness.take(events: newEvents(), at: now, clock: clock)
        witness.take(packets, at: now)
        disk = pipeline!.kept.bytes
        outbox.archive.finish(&pipeline!.log, writtenAt: pipeline!.writtenAt)
        witness.committed(upTo: pipeline!.log.keptUpTo, at: now)
        defer { kill() }
        return isConnected ? outbox.take(from: &pipeline!.log) + packets : []
    }

    mutating func wake(at now: Instant) -> [Wish] {
        guard pipeline != nil else { return [] }
        pipeline!.advance(to: clock.moment(at: now))
        let wishes = collect(at: now)
        if let keepsAt, keepsAt <= now { keep(at: now) }
        return wishes
    }

    mutating func connected(at now: Instant) -> [Wish] {
        guard pipeline != nil else { return [] }
        isConnected = true
        pipeline!.connected(at: clock.moment(at: now))
        return collect(at: now)
    }

    mutating func disconnected(at now: Instant) -> [Wish] {
        guard pipeline != nil else { return [] }
        isConnected = false
        outbox.connectionLost(&pipeline!.log)
        pipeline!.disconnected(at: clock.moment(at: now))
        return collect(at: now)
    }

    mutating func acknowledged(_ event: Place) {
        guard pipeline != nil else { return }
        outbox.acknowledge(event, in: &pipeline!.log)
        noteDeadlines()
    }

    mutating func take(_ packet: Packet, at now: Instant) -> [Wish] {
        guard pipeline != nil else { return [] }
        witness.delivered(packet, at: now)
        if bug == .takesSilenceForAnExit, let exit = forgedExit(packet) { hand(exit, at: now) }
        hand(packet, at: now)
        return collect(at: now)
    }

    private mutating func hand(_ packet: Packet, at now: Instant) {
        pipeline!.take(
            topic: packet.topic, payload: packet.payload, isRetained: packet.retain, at: clock.moment(at: now))
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

    private mutating func collect(at now: Instant) -> [Wish] {
        steps += 1
        var wishes: [Wish] = []
        var packets: [Packet] = []
        while pipeline!.isReadingLog { pipeline!.readLog(outbox.archive.read) }
        var outputs = pipeline!.takeOutputs()[...]
        while let output = outputs.popFirst() {
            switch output {
            case .publish(let message): packets.append(Packet(message))
            case .keepNow: keep(at: now)
            case .keep: keepsAt = keepsAt ?? max(now, keptLast + Self.keepPeriod)
            // A trial is too short to learn from, and no Home Assistant is there.
            case .keepSurveys, .keepPast, .learn, .note, .notify, .publishElsewhere, .fetch: break
            }
        }
        if bug == .guessesRooms { packets = packets.map { $0.withRoom("Nowhere") } }
        witness.take(events: newEvents(), at: now, clock: clock)
        witness.take(packets, at: now)
        outbox.archive.keep(&pipeline!.log, writtenAt: pipeline!.writtenAt, at: now)
        witness.committed(upTo: pipeline!.log.keptUpTo, at: now)
        witness.check(tables: pipeline!.tables, at: now)
        if isConnected { wishes += (outbox.take(from: &pipeline!.log) + packets).map { .send($0) } }
        noteDeadlines()
        return wishes
    }

    private mutating func keep(at now: Instant) {
        disk = pipeline!.kept.bytes
        (keepsAt, keptLast) = (nil, now)
    }

    private mutating func newEvents() -> [ItemEvent] {
        let upcoming = pipeline!.log.upcoming
        guard witness.nextSeq < upcoming else { return [] }
        return pipeline!.log.entries(in: witness.nextSeq...upcoming - 1, most: .max).entries
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
