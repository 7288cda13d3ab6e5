import Beacons
import Ranging
import Simulation
import SimulationTestSupport

/// Monitoring alone, for days on end: one gateway's monitor, sightings straight from the channels of some tags, outages and restarts, and
/// the rules after every transition. A hundred times quicker than a fleet, so that what is rare is met.
package struct MonitoringRun {
    private static let tags = 8
    /// By then the driver has found out that its adapter is dead.
    private static let watch = Interval.seconds(14)

    private let settings: Monitor.Settings
    private let beacons: [BeaconIdentity]
    private var channels: [TagChannel] = []
    private var upcoming: [TagChannel.Event] = []
    private var monitor: Monitor
    private var now = Instant.zero
    private var random: Xoshiro256
    private let bug: PlantedBug?
    private let hours: Double

    private var scanningSince: Instant?
    private var isDead = false
    private var provesAt: Instant?
    private var lives: [Life]
    private var outcome: FleetRun.Outcome

    /// What is known of one tag.
    private struct Life {
        var isInside = false
        var lastReceived: Instant?
        var leftAt: Instant?
        /// For how long the radio really received since the last sighting, up to when it last changed.
        var receivedFor = Interval.zero
        var receivedSince: Instant?
    }

    private init(seed: UInt64, hours: Double, bug: PlantedBug?) {
        var random = Xoshiro256(seed: seed)
        settings = Monitor.Settings(
            exitAfter: random.chance(0.7)
                ? .auto(falseExitsPerDay: 0.05) : .fixed(.seconds(random.uniform(in: 5...120))))
        beacons = (0..<Self.tags).map { BeaconIdentity(uuid: House.uuid, major: 1, minor: UInt16($0)) }
        lives = Array(repeating: Life(), count: Self.tags)
        monitor = Monitor(settings, at: .zero)
        outcome = FleetRun.Outcome(seed: seed)
        self.bug = bug
        self.hours = hours
        for index in 0..<Self.tags {
            channels.append(TagChannel(Self.conditions(&random), seed: seed &* 64 &+ UInt64(index)))
        }
        self.random = random
        for index in channels.indices { upcoming.append(channels[index].next()) }
    }

    /// A hundred milliseconds to ten seconds, near or far, often disturbed or hardly.
    private static func conditions(_ random: inout Xoshiro256) -> TagChannel.Conditions {
        let interval = Interval.seconds([0.1, 0.2, 0.5, 1, 1, 1, 2, 5, 10].randomElement(using: &random)!)
        var conditions = TagChannel.Conditions(interval: interval, reception: random.uniform(in: 0.3...0.95))
        if random.chance(0.7) {
            conditions.bursts = Bursts(
                share: random.uniform(in: 0.01...0.15), meanLength: .seconds(random.uniform(in: 2...30)),
                loss: random.uniform(in: 0.8...1))
        }
        if random.chance(0.3) {
            conditions.body = .init(pause: .seconds(600), length: .seconds(5) ... .seconds(60))
        }
        if random.chance(0.3) { conditions.drift = .init(depth: 0.7, time: .seconds(1800)) }
        conditions.absences = .perDay(random.uniform(in: 2...20), length: .seconds(300) ... .seconds(3600))
        return conditions
    }

    /// Runs a day, or less.
    package static func run(seed: UInt64, hours: Double = 24, bug: PlantedBug? = nil) -> FleetRun.Outcome {
        var run = MonitoringRun(seed: seed, hours: hours, bug: bug)
        run.run()
        return run.outcome
    }

    private mutating func run() {
        take(monitor.setRegions([Region(id: "all", identifier: "All", scope: .uuid(House.uuid))], at: .zero))
        listen()
        let end = Instant.zero + .seconds(hours * 3600)
        var trouble = Instant.zero + random.exponential(mean: .seconds(3600))
        while now < end {
            let index = earliest
            let next = min(upcoming[index].at, trouble, provesAt ?? end, end)
            if let deadline = monitor.nextDeadline, deadline < next {
                now = max(now, deadline)
                take(monitor.advance(to: now))
            } else if let provesAt, provesAt == next {
                now = next
                prove()
            } else if trouble == next {
                now = next
                befall()
                trouble = now + random.exponential(mean: .seconds(3600))
            } else if next < end {
                now = next
                happen(to: index)
            } else {
                now = end
            }
        }
        outcome.beaconHours = hours * Double(Self.tags)
        if case .auto = settings.exitAfter { outcome.learnedHours = outcome.beaconHours }
    }

    // MARK: What the monitor is given

    /// The tag of the next happening.
    private var earliest: Int {
        var (first, least) = (0, upcoming[0].at)
        for index in 1..<Self.tags where upcoming[index].at < least { (first, least) = (index, upcoming[index].at) }
        return first
    }

    private mutating func happen(to index: Int) {
        switch upcoming[index] {
        case .received(let rssi, _) where !isDead: receive(index, rssi)
        case .received, .returned: break
        case .left: lives[index].leftAt = now
        }
        upcoming[index] = channels[index].next()
    }

    private mutating func receive(_ index: Int, _ rssi: RSSI) {
        outcome.adverts += 1
        lives[index].lastReceived = now
        lives[index].receivedFor = .zero
        lives[index].receivedSince = scanningSince == nil ? nil : now
        if bug == .missesAdvertisements, now.milliseconds % 600_000 < 200_000 { return }
        let sighting = Sighting(
            beacon: beacons[index], rssi: rssi, measuredPower: MeasuredPower(dBm: -59),
            address: DeviceAddress(bits: UInt64(index), kind: .random), at: now)
        if let transitions = monitor.receive(sighting), !transitions.isEmpty { take(transitions) }
    }

    private mutating func prove() {
        provesAt = nil
        if isDead { return goDeaf() }
        take(monitor.proven(at: now))
    }

    /// An outage that is reported, one that is found out, a restart; each from a second to ten minutes.
    private mutating func befall() {
        let length = Interval.seconds(600 * random.uniform() * random.uniform() + 1)
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            note("radio off")
            goDeaf()
            pass(length)
            listen()
        case 1 where !isDead:
            note("radio silently dead")
            isDead = true
            silence()
            pass(min(length, Self.watch))
            if length > Self.watch { goDeaf() }
            pass(max(.zero, length - Self.watch))
            isDead = false
            if scanningSince == nil { listen() } else { revive() }
        default: restart(length)
        }
    }

    private mutating func note(_ fault: String) { outcome.faults[fault, default: 0] += 1 }

    /// Lets time pass while nothing is received.
    private mutating func pass(_ length: Interval) {
        let end = now + length
        while let deadline = [monitor.nextDeadline, provesAt].compactMap({ $0 }).min(), deadline < end {
            now = max(now, deadline)
            if let provesAt, provesAt <= now { prove() } else { take(monitor.advance(to: now)) }
        }
        now = end
        for index in upcoming.indices {
            while upcoming[index].at <= now {
                if case .left(let at) = upcoming[index] { lives[index].leftAt = at }
                upcoming[index] = channels[index].next()
            }
        }
    }

    private mutating func goDeaf() {
        guard scanningSince != nil, bug != .ignoresTheRadio else {
            silence()
            scanningSince = nil
            return
        }
        let transitions = monitor.radio(scanning: false, at: now)
        take(transitions)
        silence()
        scanningSince = nil
        provesAt = nil
        for status in monitor.regionStatuses where status.state != .unknown {
            violate(.blindKnowsNothing, "the region is \(status.state) while deaf")
        }
    }

    private mutating func listen() {
        scanningSince = now
        take(monitor.radio(scanning: true, at: now))
        revive()
    }

    private mutating func silence() {
        for index in lives.indices {
            guard let since = lives[index].receivedSince else { continue }
            lives[index].receivedFor = lives[index].receivedFor + (now - since)
            lives[index].receivedSince = nil
        }
    }

    private mutating func revive() {
        for index in lives.indices { lives[index].receivedSince = now }
    }

    private mutating func restart(_ length: Interval) {
        note("restart")
        take(monitor.advance(to: now))
        let snapshot = monitor.snapshot(at: now)
        silence()
        scanningSince = nil
        provesAt = nil
        monitor = Monitor(settings, at: now)
        pass(length)
        monitor = Monitor(settings, at: now)
        take(monitor.setRegions([Region(id: "all", identifier: "All", scope: .uuid(House.uuid))], at: now))
        if bug != .forgetsOverRestarts {
            let isKnown = random.chance(0.8)
            monitor.restore(
                snapshot, downtime: isKnown ? length : nil, restoreWithin: .seconds(300), at: now)
        }
        listen()
    }

    // MARK: What the monitor reports

    private mutating func take(_ transitions: [MonitorOutput]) {
        outcome.steps += 1
        for transition in transitions {
            switch transition {
            case .beacon(let change): take(change)
            case .region(let change):
                outcome.transitions += 1
                if change.state != .unknown, scanningSince == nil {
                    violate(.blindKnowsNothing, "the region is \(change.state) while deaf")
                }
            case .proofRequested: provesAt = provesAt ?? now + .milliseconds(isDead ? 2000 : 80)
            }
        }
    }

    private mutating func take(_ change: BeaconTransition) {
        guard let event = change.event else { return }
        outcome.transitions += 1
        let index = Int(change.identity.minor)
        if scanningSince == nil { violate(.blindKnowsNothing, "\(event) while deaf") }
        if lives[index].isInside == (event == .enter) {
            violate(.enterAndExitAlternate, "\(event) of \(index) again")
            if outcome.faults["restart"] != nil { violate(.restartIsNoEvent, "\(event) of \(index) again") }
        }
        lives[index].isInside = event == .enter
        if event == .exit { judge(change, index) }
    }

    private mutating func judge(_ change: BeaconTransition, _ index: Int) {
        guard let lastReceived = lives[index].lastReceived, let scanningSince else { return }
        var least = SilenceModel.floor
        if case .fixed(let silence) = settings.exitAfter { least = silence }
        let required = change.lastSeen.map { max(least, change.at - $0) } ?? least
        if now - max(lastReceived, scanningSince) < required {
            violate(.exitNeedsSilence, "of \(index) after \((now - max(lastReceived, scanningSince)).seconds) s")
        }
        let received = lives[index].receivedFor + (lives[index].receivedSince.map { now - $0 } ?? .zero)
        if received < required - .seconds(max(15, required.seconds / 4)) {
            violate(.exitNeedsSilence, "of \(index) when it really heard for \(received.seconds) s")
        }
        if let lastSeen = change.lastSeen, lastSeen != lastReceived || change.at > now {
            violate(.datedWhenItHappened, "\(index) was seen \(lastReceived), told \(lastSeen), exit \(change.at)")
        }
        guard case .auto = settings.exitAfter else { return }
        if channels[index].isPresent, lives[index].leftAt.map({ $0 < lastReceived }) ?? true { outcome.falseExits += 1 }
    }

    private mutating func violate(_ invariant: Invariant, _ detail: String) {
        guard outcome.violations.count < 50 else { return }
        outcome.violations.append(
            Violation(invariant: invariant, subject: "monitor", detail: detail, at: now))
    }
}

extension TagChannel.Event {
    var at: Instant {
        switch self {
        case .received(_, let at), .left(let at), .returned(let at): at
        }
    }
}
