import Beacons
import Messages

/// Compares what one gateway received with what it published. It knows nothing of how the gateway decides.
struct GatewayWitness: Sendable {
    let gateway: String
    /// The fixed exit time; `nil`: learned.
    let exitAfter: Interval?
    let enterSightings: Int
    private(set) var violations: [Violation] = []
    /// The number of the next event of this run.
    private(set) var nextSeq: UInt64 = 1
    /// Enters and exits of beacons, in the run's time.
    private(set) var story: [Published] = []
    /// How many transitions of beacons and regions were published.
    private(set) var transitions = 0

    /// One enter or exit, whatever any wall clock reads.
    struct Published: Hashable, Sendable, CustomStringConvertible {
        var at: Instant
        var gateway: String
        var beacon: BeaconIdentity
        var transition: Transition

        var text: String { "\(gateway): \(transition) of \(beacon.major)/\(beacon.minor)" }
        var description: String { "\(at.milliseconds) ms \(text)" }
    }

    private(set) var boot: Boot?
    private var bootedAt = Instant.zero
    /// When its machine last lost its power: only a wall clock can show how long ago the events before that were.
    private var lostPowerAt = Instant.zero
    /// Whether this run was given what the run before had stored.
    private var remembers = false
    /// Since when the radio reports that it scans.
    private var scanningSince: Instant?
    /// When the radio really received, whatever it reported; the last span is open where `isScanning`.
    private var receiving: [Range<Instant>] = []
    private var isScanning = false
    private var lives: [BeaconIdentity: Life] = [:]
    /// What happened and is not on the disk yet: a reader receives it once it is.
    private var pending: [LoggedEvent] = []
    private var regionsInside: [String: Bool] = [:]
    /// The last state of each region, and the beacons that are reported as ranged.
    private var states: [String: MonitoringState] = [:]
    private var ranged: Set<String> = []
    /// The number of each region's last event of this run, and of the last event that went to the broker.
    private var regionSeqs: [String: UInt64] = [:]
    private var sentSeq: UInt64 = 0

    /// What is known of one beacon.
    private struct Life {
        var lastReceived: Instant?
        /// As its events have it; `nil`: nothing is known, after a restart without memory.
        var isInside: Bool? = false
        /// Whether a restart without memory came since its last event.
        var isForgotten = false
        var enteredAt: Instant?
        var exitedAt: Instant?
    }

    /// The least silence that a learned exit may require: the floor that is documented.
    private static let floor = Interval.seconds(11)
    private static let rounding = Interval.milliseconds(2)

    init(gateway: String, exitAfter: Interval?, enterSightings: Int) {
        self.gateway = gateway
        self.exitAfter = exitAfter
        self.enterSightings = enterSightings
    }

    mutating func violate(_ invariant: Invariant, _ detail: String, at now: Instant) {
        // One violation of a kind is worth as much as a thousand.
        guard violations.count < 50 else { return }
        violations.append(Violation(invariant: invariant, subject: gateway, detail: detail, at: now))
    }

    /// Whether this gateway ever received a beacon.
    func hasReceived(_ beacon: BeaconIdentity) -> Bool { lastReceived(beacon) != nil }

    /// When this gateway last received a beacon.
    func lastReceived(_ beacon: BeaconIdentity) -> Instant? { lives[beacon]?.lastReceived }

    /// Whether the last transition of a beacon was an enter.
    func hasInside(_ beacon: BeaconIdentity) -> Bool { lives[beacon]?.isInside ?? false }

    /// Whether it had a beacon inside before a restart over which nothing was stored, and has reported nothing of it since.
    func hasForgotten(_ beacon: BeaconIdentity) -> Bool { lives[beacon]?.isForgotten ?? false }

    // MARK: What the gateway is given

    mutating func begins(_ boot: Boot, at now: Instant, remembers: Bool) {
        self.boot = boot
        bootedAt = now
        self.remembers = remembers
        nextSeq = 1
        pending = []
        scanningSince = nil
        states = [:]
        ranged = []
        (regionSeqs, sentSeq) = ([:], 0)
        guard !remembers else { return }
        for beacon in lives.keys {
            lives[beacon]!.isInside = lives[beacon]!.isInside == false ? false : nil
            lives[beacon]!.isForgotten = true
        }
        for region in regionsInside.keys where regionsInside[region] == true { regionsInside[region] = nil }
    }

    mutating func ends(at now: Instant) {
        receives(false, at: now)
        scanningSince = nil
    }

    mutating func losesPower(at now: Instant) { lostPowerAt = now }

    mutating func received(_ beacon: BeaconIdentity, at now: Instant) {
        lives[beacon, default: Life()].lastReceived = now
    }

    mutating func reported(scanning: Bool, at now: Instant) {
        if scanning != (scanningSince != nil) { scanningSince = scanning ? now : nil }
    }

    mutating func receives(_ receives: Bool, at now: Instant) {
        guard receives != isScanning else { return }
        isScanning = receives
        if receives {
            receiving.append(now..<Instant(nanoseconds: .max))
        } else if let last = receiving.popLast() {
            receiving.append(last.lowerBound..<max(last.lowerBound, now))
        }
    }

    /// For how long the radio really received since then.
    private func receivedFor(since start: Instant, until now: Instant) -> Interval {
        receiving.reduce(Interval.zero) { sum, range in
            let (from, to) = (max(range.lowerBound, start), min(range.upperBound, now))
            return from < to ? sum + (to - from) : sum
        }
    }

    // MARK: What the gateway publishes

    mutating func take(events: [LoggedEvent], at now: Instant, clock: HostClock) {
        pending += events
        for event in events {
            transitions += 1
            if event.id.boot != boot || event.id.seq != nextSeq {
                violate(.numbersHaveNoHoles, "\(event.id) where \(nextSeq) of this boot was next", at: now)
            }
            nextSeq = event.id.seq + 1
            if scanningSince == nil { violate(.blindKnowsNothing, "\(event.id) while it does not listen", at: now) }
            switch event {
            case .beacon(let event): take(event, at: now, clock: clock)
            case .region(let event): regionSeqs[event.region] = event.seq
            case .item: violate(.eventsAreReadable, "a gateway speaks of items", at: now)
            }
        }
    }

    /// What happened up to that number is on the disk: it has been published, and no restart takes it back.
    mutating func committed(upTo seq: UInt64, at now: Instant) {
        while let event = pending.first, event.id.seq <= seq {
            pending.removeFirst()
            let (name, was, isEnter) = note(event)
            guard was == isEnter else { continue }
            if remembers { violate(.restartIsNoEvent, "\(isEnter ? "enter" : "exit") of \(name) again", at: now) }
            violate(.enterAndExitAlternate, "\(isEnter ? "enter" : "exit") of \(name) again", at: now)
        }
    }

    /// Whether it was inside before an event, as those before had it, and whether it is now.
    private mutating func note(_ event: LoggedEvent) -> (name: String, was: Bool?, isEnter: Bool) {
        switch event {
        case .beacon(let event):
            let was = lives[event.beacon, default: Life()].isInside
            lives[event.beacon, default: Life()].isInside = event.transition == .enter
            return ("\(event.beacon.major)/\(event.beacon.minor)", was, event.transition == .enter)
        case .region(let event):
            let was = regionsInside.updateValue(event.transition == .enter, forKey: event.region)
            return ("region \(event.region)", was, event.transition == .enter)
        case .item: return ("", nil, false)
        }
    }

    private mutating func take(_ event: BeaconEvent, at now: Instant, clock: HostClock) {
        let at = bootedAt + (event.stamp.uptime - .zero)
        let life = lives[event.beacon] ?? Life()
        // An exit of a beacon that was last received before a power cut is dated by a wall clock, and not checked.
        let isDatable = event.transition == .enter || life.lastReceived.map { $0 >= lostPowerAt } ?? true
        story.append(
            Published(
                at: isDatable ? at : lostPowerAt, gateway: gateway, beacon: event.beacon, transition: event.transition))
        let name = "\(event.transition) of \(event.beacon.major)/\(event.beacon.minor)"
        guard let lastReceived = life.lastReceived else {
            return violate(.exitNeedsSilence, "\(name), which was never heard", at: now)
        }
        if at > now + Self.rounding {
            violate(.datedWhenItHappened, "\(name) is of \(seconds(at - now)) ahead", at: now)
        }
        let wall = clock.moment(at: at).wall
        if abs((event.stamp.at - wall).milliseconds) > 2, scanningSince.map({ $0 <= at }) ?? false {
            violate(.datedWhenItHappened, "\(name) has \(event.stamp.at), the clock \(wall)", at: now)
        }
        switch event.transition {
        case .enter: enter(event, life, name, at: at, lastReceived: lastReceived, now: now)
        case .exit: exit(event, life, name, at: at, lastReceived: lastReceived, now: now, clock: clock)
        }
    }

    private mutating func enter(
        _ event: BeaconEvent, _ life: Life, _ name: String, at: Instant, lastReceived: Instant, now: Instant
    ) {
        lives[event.beacon]!.enteredAt = at
        lives[event.beacon]!.isForgotten = false
        let earliest = enterSightings == 1 ? lastReceived : lastReceived - .seconds(60 * Double(enterSightings))
        if at < earliest - Self.rounding || at > lastReceived + Self.rounding {
            violate(.datedWhenItHappened, "\(name) is dated \(seconds(lastReceived - at)) before its sighting", at: now)
        }
        if let exitedAt = life.exitedAt, at <= exitedAt {
            violate(.nothingFlaps, "\(name), \(seconds(exitedAt - at)) before it was said to exit", at: now)
        }
    }

    private mutating func exit(
        _ event: BeaconEvent, _ life: Life, _ name: String, at: Instant, lastReceived: Instant, now: Instant,
        clock: HostClock
    ) {
        lives[event.beacon]!.exitedAt = now
        lives[event.beacon]!.isForgotten = false
        // The silence that the gateway reports as required; after a restart it may leave out a sighting that it cannot date.
        let claimed = at - lastReceived
        let least = exitAfter ?? Self.floor
        // Not received since the process began: its last sighting is known as the disk had it.
        let isOfDisk = lastReceived < bootedAt
        let required = event.lastSeenAt == nil || isOfDisk ? least : max(least, exitAfter ?? claimed)
        if isOfDisk, let lastSeen = event.lastSeenAt, event.stamp.at < lastSeen {
            violate(.datedWhenItHappened, "\(name) is dated before last_seen_at \(lastSeen)", at: now)
        }
        if event.lastSeenAt != nil, !isOfDisk {
            // A fixed time is longer by up to one interval of the beacon, as the gateway knows it: hardly longer than that time.
            let most = exitAfter.map { .seconds(2.1 * $0.seconds) } ?? claimed
            if claimed < least - Self.rounding || claimed > most + Self.rounding {
                violate(.datedWhenItHappened, "\(name) is dated \(seconds(claimed)) after its last sighting", at: now)
            }
            if scanningSince.map({ $0 <= lastReceived }) ?? false, let lastSeen = event.lastSeenAt,
                abs((event.stamp.at - lastSeen - claimed).milliseconds) > 2
            {
                violate(.datedWhenItHappened, "\(name) has last_seen_at \(lastSeen)", at: now)
            }
        } else if event.lastSeenAt == nil, !remembers {
            violate(.datedWhenItHappened, "\(name) without last_seen_at", at: now)
        }
        let scannedSeconds = now - max(lastReceived, scanningSince ?? now)
        if scannedSeconds < required - Self.rounding {
            violate(.exitNeedsSilence, "\(name) after \(seconds(scannedSeconds)) of \(seconds(required))", at: now)
        }
        let received = receivedFor(since: lastReceived, until: now)
        // The radio's own watch notices within 15 s that nothing comes, the monitor by a quarter of the silence.
        let doubt = Interval.seconds(max(15, required.seconds / 4))
        if received < required - doubt - Self.rounding {
            violate(.exitNeedsSilence, "\(name) when it really heard for \(seconds(received))", at: now)
        }
        // Over a power cut only the wall clock shows the time, and it may have been set meanwhile.
        if !isOfDisk, let enteredAt = life.enteredAt, life.isInside != nil, let inside = event.insideForSeconds,
            enteredAt >= bootedAt || clock.error == .zero, abs(inside - (lastReceived - enteredAt).seconds) > 0.1
        {
            violate(.datedWhenItHappened, "\(name) has inside_for_s \(inside)", at: now)
        }
        if event.insideForSeconds == nil, let enteredAt = life.enteredAt, enteredAt >= bootedAt {
            violate(.datedWhenItHappened, "\(name) has no inside_for_s", at: now)
        }
    }

    /// Takes what it publishes besides events, in order.
    mutating func take(_ packets: [Packet], at now: Instant) {
        for packet in packets {
            switch Topic(named: packet.topic, under: .standard) {
            case .regionState(let region, _):
                guard let state = try? RegionState(parsing: packet.payload) else {
                    states[region] = nil
                    continue
                }
                if state.state != .unknown { transitions += states[region] == state.state ? 0 : 1 }
                states[region] = state.state
                judge(region, state.state, at: now)
            case .proximity:
                let isPublished = !packet.payload.isEmpty
                if isPublished { ranged.insert(packet.topic) } else { ranged.remove(packet.topic) }
            default: break
            }
        }
        guard scanningSince == nil else { return }
        for (region, state) in states where state != .unknown {
            violate(.blindKnowsNothing, "\(region) is \(state) while it does not listen", at: now)
        }
        for topic in ranged { violate(.blindKnowsNothing, "\(topic) stands while it does not listen", at: now) }
    }

    /// Takes what goes to the broker, in order.
    mutating func take(sent packets: [Packet], at now: Instant) {
        for packet in packets {
            if let event = packet.event, event.boot == boot?.description { sentSeq = max(sentSeq, event.seq) }
            guard case .regionState(let region, _) = Topic(named: packet.topic, under: .standard),
                let seq = regionSeqs[region], seq > sentSeq,
                let state = try? RegionState(parsing: packet.payload), state.state != .unknown
            else { continue }
            violate(.statesFollowEvents, "\(region) is \(state.state) before its event \(seq)", at: now)
        }
    }

    private mutating func judge(_ region: String, _ state: MonitoringState, at now: Instant) {
        guard state == .outside, !remembers, regionsInside[region] == nil, let scanningSince,
            now - scanningSince < (exitAfter ?? Self.floor) - Self.rounding
        else { return }
        violate(.blindKnowsNothing, "\(region) is outside after \(seconds(now - scanningSince)) of listening", at: now)
    }

    mutating func check(tables: [(name: String, count: Int, limit: Int)], at now: Instant) {
        for table in tables where table.count > table.limit {
            violate(.tablesAreBounded, "\(table.name): \(table.count) of \(table.limit)", at: now)
        }
    }

    private func seconds(_ interval: Interval) -> String { "\(Double(interval.milliseconds) / 1000) s" }
}
