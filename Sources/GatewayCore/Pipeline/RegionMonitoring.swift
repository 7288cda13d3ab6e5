import Beacons
import EventLogs
import Messages
import Ranging

/// What a gateway makes of the advertisements that it receives: which beacons are in its regions, and how far they are away.
struct RegionMonitoring: Sendable {
    /// What a sender has reported, and when it reported its battery.
    struct Reported: Sendable {
        private(set) var readings = TagReadings()
        /// When the sender reported the percentage, or the voltage if it reports no percentage: that is what decides whether the battery is low.
        private(set) var batteryAt: Instant?

        mutating func update(with new: TagReadings, at instant: Instant) {
            readings.update(with: new)
            let hasBattery = readings.batteryPercent == nil ? new.hasBattery : new.batteryPercent != nil
            if hasBattery { batteryAt = instant }
        }
    }

    private(set) var reader = SightingReader()
    /// Recognises phones and watches.
    var phones = IdentityResolver()
    /// Recognises items whose tags send no beacon.
    var aliases = AliasTable()
    var monitor: Monitor
    private var ranger: Ranger
    private(set) var nearby = NearbyTable()
    /// What each address has reported about itself last. Telemetry has no identity, so the address relates it to a beacon.
    private(set) var readings = RecencyTable<DeviceAddress, Reported>(capacity: mostReadings)
    private(set) var board: ProximityBoard
    private var crowding = Crowding()
    private var isOutage = false
    private var silence = RadioSilence()
    /// For how many seconds a ranged state is valid.
    private let validFor: UInt32
    /// The age up to which states of a former process count.
    let restoreWithin: Interval
    private(set) var lastScannedAt: Moment?
    private var former = FormerRun()

    init(_ configuration: GatewayConfiguration, at start: Instant) {
        monitor = Monitor(configuration.monitoring.monitor, at: start)
        ranger = Ranger(configuration.ranging.ranger)
        board = ProximityBoard(heartbeat: configuration.ranging.heartbeat)
        validFor = Validity.rangedSeconds(heartbeat: configuration.ranging.heartbeat)
        restoreWithin = configuration.monitoring.restoreWithin
    }

    /// The bytes of a legacy advertisement. A beacon's frame leaves no room in it for readings; an extended one, or a scan response, may have them.
    private static let legacyBytes = 31
    /// The limit of addresses whose readings are stored, those of strangers included; the one received longest ago makes room.
    package static let mostReadings = 4096

    // MARK: What comes in

    /// Receives one advertisement. This is the hot path: it allocates nothing and writes nothing.
    mutating func receive(_ advertisement: Advertisement, _ data: RawSpan, _ effects: inout GatewayEffects) {
        // A controller that delivers nothing but empty advertisements is stuck.
        if data.byteCount > 0 { monitor.receivedSomething(at: advertisement.at) }
        let framed = reader.read(advertisement, data)
        var received = framed
        var transitions: [MonitorOutput]?
        var isByAlias = false
        if let framed { transitions = monitor.receive(framed) }
        // A phone or tag that is known by its address may send a beacon that belongs to no region.
        let phone = transitions == nil ? phones.sighting(of: advertisement) : nil
        if transitions == nil, let owner = phone ?? aliases.sighting(of: advertisement, data) {
            received = owner
            transitions = monitor.receive(owner)
            isByAlias = phone == nil
        }
        if let received, transitions != nil { aliases.ends.received(received.beacon, byAlias: isByAlias) }
        guard let sighting = received else { return note(TagReadings(in: data), from: advertisement) }
        nearby.receive(sighting)
        guard let transitions else { return }
        if !transitions.isEmpty { publish(transitions, &effects) }
        guard monitor.state(of: sighting.beacon) == .inside else { return }
        ranger.receive(sighting)
        if framed == nil || data.byteCount > Self.legacyBytes {
            note(TagReadings(in: data), from: advertisement)
        }
    }

    /// Stores what a sender reports about itself. Anonymous senders cannot be distinguished.
    private mutating func note(_ new: TagReadings?, from advertisement: Advertisement) {
        guard let new, advertisement.address.kind != .anonymous else { return }
        readings.touch(advertisement.address, default: Reported()) { $0.update(with: new, at: advertisement.at) }
    }

    /// What the sender of a beacon has reported about itself: the sender that is ranged, if there are several.
    private func readings(of beacon: BeaconIdentity) -> Reported {
        guard readings.count > 0, let address = ranger.address(of: beacon) else { return Reported() }
        return readings[address] ?? Reported()
    }

    mutating func radio(scanning: Bool, _ effects: inout GatewayEffects) {
        if !scanning { silence.interrupt() }
        publish(monitor.radio(scanning: scanning, at: effects.now.instant), &effects)
    }

    mutating func proven(_ effects: inout GatewayEffects) {
        publish(monitor.proven(at: effects.now.instant), &effects)
    }

    mutating func scans(at moment: Moment) { lastScannedAt = moment }

    /// Lets time pass: exits fall due, windows end.
    mutating func advance(_ effects: inout GatewayEffects) {
        let now = effects.now
        if now.isSynchronised, let downtime = former.undated.take()?.downtime(by: now) {
            monitor.date(downtime: downtime)
        }
        for (beacon, isMissed) in aliases.ends.changes(at: now.instant) {
            publish(monitor.set(beacon, isHeld: isMissed, at: now.instant), &effects)
        }
        publish(monitor.advance(to: now.instant), &effects)
        for ranged in ranger.advance(to: now.instant) {
            let silence = ranged.sightings == 0 ? monitor.longSilence(of: ranged.identity, at: now.instant) : nil
            if let posting = board.update(with: ranged, silence: silence) { publish(posting, &effects) }
        }
    }

    var nextDeadline: Instant? {
        .earliest(.earliest(monitor.nextDeadline, ranger.nextDeadline), aliases.ends.nextDeadline)
    }

    mutating func set(rssiOffset: Double) { ranger.rssiOffset = rssiOffset }

    /// Monitors these regions, and clears the published states of all others, without events.
    mutating func setRegions(_ regions: [Region], _ effects: inout GatewayEffects) {
        let former = Set(monitor.regionStatuses.filter { !$0.region.isImplicit }.map(\.region.id))
        publish(monitor.setRegions(regions, at: effects.now.instant), &effects)
        ranger.setRegions(regions)
        for region in former.subtracting(regions.filter { !$0.isImplicit }.map(\.id)).sorted() {
            effects.publish(.clearing(.regionState(region: region, gateway: effects.gateway)))
        }
        for beacon in self.former.posted.union(board.posted).sorted() where monitor.state(of: beacon) == nil {
            clear(beacon, &effects)
        }
    }

    // MARK: What is wrong

    /// The problem in `info` while the gateway receives nothing, or hardly anything, although the adapter responds.
    static let outageProblem =
        "the gateway suddenly receives nothing, or hardly anything, though its adapter responds: exits wait for up to 3 min, unless "
        + "exit_after is a fixed time; look for interference, or a bad antenna"

    /// The problem in `info` while a table of wildcard regions' members is full, because it explains why a beacon is missing.
    private var crowdingProblem: String {
        "more than \(monitor.settings.memberLimit) beacons of wildcard regions are in range, and those received least often are not "
            + "monitored: add the beacons that matter as items, or give the regions a major"
    }

    /// The problems that have begun or ended since the last call; both are logged, except for the end of a full table.
    mutating func changedProblems(_ effects: inout GatewayEffects) -> [(problem: String, hasBegun: Bool)] {
        let now = effects.now.instant
        var changed = aliases.ends.changedProblems()
        let missing = monitor.refusedMembers &+ monitor.displacedMembers &+ ranger.refusedMembers
        if let isFull = crowding.note(missing, at: now) {
            if isFull { effects.note("Too many beacons: \(crowdingProblem)") }
            changed.append((crowdingProblem, isFull))
        }
        if (monitor.outage(at: now) != nil) != isOutage {
            isOutage.toggle()
            effects.note(isOutage ? "Outage: \(Self.outageProblem)" : "The gateway receives advertisements again")
            changed.append((Self.outageProblem, isOutage))
        }
        let lastReceived = monitor.isScanning && !isOutage ? monitor.lastReceived : nil
        if let change = silence.note(lastReceived, hasReceived: reader.counters.adverts > 0, at: now) {
            effects.note(change.hasBegun ? "Silence: \(change.problem)" : "The silence is over")
            changed.append(change)
        }
        return changed
    }

    /// How many beacons were received in the last minute, those of monitored regions and all others.
    func receivedCounts(at now: Instant) -> (known: Int, unknown: Int) {
        let received = nearby.received(since: now - NearbyTable.memory)
        let known = received.count { monitor.state(of: $0.beacon) != nil }
        return (known, received.count - known)
    }

    // MARK: Transitions

    private mutating func publish(_ transitions: [MonitorOutput], _ effects: inout GatewayEffects) {
        for transition in transitions {
            switch transition {
            case .beacon(let change): publish(change, &effects)
            case .region(let change): publish(change, &effects)
            case .proofRequested: effects.perform(.proveRadio)
            }
        }
    }

    private mutating func publish(_ change: BeaconTransition, _ effects: inout GatewayEffects) {
        if let event = change.event.flatMap({ Messages.Transition(rawValue: $0.rawValue) }) {
            effects.append(
                BeaconEvent(
                    event, seq: effects.events.log.upcoming, stamp: effects.stamp(of: change.at),
                    gateway: effects.gateway, room: effects.room, beacon: change.identity, regions: change.regions,
                    isByAlias: event == .enter && aliases.ends.follows(change.identity),
                    insideForSeconds: former.isUncertain(change.lastSeen) ? nil : change.insideFor?.seconds,
                    lastSeenAt: change.lastSeen.map { effects.now.wall(at: $0) },
                    lastRSSI: change.lastRSSI.map { Double($0.dBm) }),
                on: .beaconEvent(change.identity, gateway: effects.gateway))
        }
        switch change.state {
        case .inside: break
        case .outside: clear(change.identity, &effects)
        case .unknown:
            publishUnknown(of: change.identity, &effects)
            clear(change.identity, &effects)
        }
    }

    private func publish(_ change: RegionTransition, _ effects: inout GatewayEffects) {
        if change.isNotified, let event = change.event.flatMap({ Messages.Transition(rawValue: $0.rawValue) }) {
            effects.append(
                RegionEvent(
                    event, seq: effects.events.log.upcoming, stamp: effects.stamp(of: change.at),
                    region: change.region.id, gateway: effects.gateway, room: effects.room,
                    message: event == .enter ? change.region.entryText : change.region.exitText),
                on: .regionEvent(region: change.region.id, gateway: effects.gateway))
        }
        if let status = monitor.regionStatuses.first(where: { $0.region == change.region }) {
            publish(status, &effects)
        }
    }

    // MARK: States

    func publishRegionStates(_ effects: inout GatewayEffects) {
        for status in monitor.regionStatuses where !status.region.isImplicit { publish(status, &effects) }
    }

    /// Publishes the state of each ranged beacon again, each with its next window.
    mutating func postAnew() { board.postAnew() }

    private func publish(_ status: RegionStatus, _ effects: inout GatewayEffects) {
        effects.publish(
            .regionState(region: status.region.id, gateway: effects.gateway),
            RegionState(
                state(of: status), since: status.since.map { effects.now.wall(at: $0) }, beacons: status.beacons,
                gateway: effects.gateway, stamp: effects.stamp(of: effects.now.instant)))
    }

    /// The state of a region, as it is published: a phone that the gateway cannot recognise may be there.
    func state(of status: RegionStatus) -> MonitoringState {
        status.state == .outside && phones.mayMiss(in: status.region.scope) ? .unknown : status.state
    }

    private func publish(_ posting: ProximityBoard.Posting, _ effects: inout GatewayEffects) {
        let ranged = posting.ranged
        let reported = readings(of: ranged.identity)
        effects.publish(
            .proximity(ranged.identity, gateway: effects.gateway),
            RangedState(
                gateway: effects.gateway, room: effects.room, proximity: ranged.proximity,
                accuracy: ranged.accuracyMetres, rssi: posting.rssi,
                current: posting.currentRSSI.map { RangedState.Current(rssi: $0, sightings: posting.currentSightings) },
                sightings: posting.sightings, measuredPower: ranged.measuredPower, addresses: ranged.addresses,
                silence: posting.silence.map {
                    RangedState.Silence(seconds: (ranged.at - $0.since).seconds, perDay: $0.perDay)
                },
                interval: monitor.interval(of: ranged.identity), readings: reported.readings,
                batteryAge: reported.batteryAt.map { UInt32(clamping: Int64((ranged.at - $0).seconds)) },
                stamp: effects.stamp(of: ranged.at), validFor: validFor))
    }

    /// Publishes that a beacon's proximity is unknown, if a state of it was published before.
    private func publishUnknown(of beacon: BeaconIdentity, _ effects: inout GatewayEffects) {
        if board.hasPosted(beacon) { publishUnreceived(beacon, validFor: validFor, &effects) }
    }

    /// Publishes the beacons that were inside before a restart and so still are, until this run has received them or they exit.
    func publishRestored(_ effects: inout GatewayEffects) {
        let unreceived = former.posted.filter { monitor.state(of: $0) == .inside && board.latest(of: $0) == nil }
        for beacon in unreceived.sorted() {
            publishUnreceived(beacon, validFor: Validity.heartbeatSeconds, &effects)
        }
    }

    private func publishUnreceived(_ beacon: BeaconIdentity, validFor: UInt32, _ effects: inout GatewayEffects) {
        effects.publish(
            .proximity(beacon, gateway: effects.gateway),
            RangedState(
                gateway: effects.gateway, room: effects.room, proximity: .unknown, sightings: 0, addresses: 0,
                stamp: effects.stamp(of: effects.now.instant), validFor: validFor))
    }

    private mutating func clear(_ beacon: BeaconIdentity, _ effects: inout GatewayEffects) {
        ranger.forget(beacon)
        guard board.remove(beacon) || former.posted.contains(beacon) else { return }
        former.posted.remove(beacon)
        effects.publish(.clearing(.proximity(beacon, gateway: effects.gateway)))
    }

    // MARK: The states and silences that survive a restart

    /// Returns the states for this gateway's disk, as of the last moment of scanning.
    ///
    /// Before the radio has scanned, the result is `nil`, because the states on disk are better.
    ///
    /// - Parameters:
    ///   - machine: identifies the machine's start.
    ///   - isFinal: whether the gateway has stopped.
    func storedStates(machine: String, isFinal: Bool, _ effects: GatewayEffects) -> StoredStates? {
        guard let lastScannedAt else { return nil }
        var snapshot = monitor.snapshot(at: lastScannedAt.instant)
        for index in snapshot.beacons.indices {
            snapshot.beacons[index].learned = []
            snapshot.beacons[index].isHeld = aliases.ends.follows(snapshot.beacons[index].identity)
            // The next process takes complete states for certain.
            let lastSeen = snapshot.beacons[index].lastSeenAge.map { lastScannedAt.instant - $0 }
            if isFinal, former.isUncertain(lastSeen) { snapshot.beacons[index].insideFor = nil }
        }
        let known = Set(snapshot.regions.filter { !$0.isImplicit }.map(\.id))
        let regions = monitor.regionStatuses.map(\.region).filter { !$0.isImplicit }.map(\.id)
        return StoredStates(
            boot: effects.boot, seq: effects.events.log.upcoming - 1,
            uptime: effects.uptime(at: lastScannedAt.instant), machine: machine, machineTime: lastScannedAt.instant,
            at: lastScannedAt.wall,
            isClockSynchronised: lastScannedAt.isSynchronised, isComplete: isFinal,
            snapshot: snapshot,
            unknownRegions: regions.filter { !known.contains($0) })
    }

    func storedSilences(at now: Instant) -> StoredSilences {
        var learned: [BeaconIdentity: [Double]] = [:]
        for beacon in monitor.snapshot(at: now).beacons where !beacon.learned.isEmpty {
            learned[beacon.identity] = beacon.learned
        }
        return StoredSilences(learned: learned)
    }

    /// Restores the states of a former process. Call this after the registry is restored and before the radio scans.
    ///
    /// - Parameters:
    ///   - events: the events in the log after the states; without states, all events.
    ///   - machine: identifies the machine's start.
    mutating func restore(
        _ stored: StoredStates?, _ silences: StoredSilences?, events: [LoggedEvent], machine: String,
        _ effects: inout GatewayEffects
    ) {
        let now = effects.now
        former.uncertainUntil = stored?.isComplete == false ? now.instant : nil
        var snapshot = stored?.snapshot ?? MonitorSnapshot(beacons: [], regions: [])
        // The clocks of two runs cannot be compared, so only the order of the events counts.
        let isOneBoot = stored != nil && events.allSatisfy { $0.stamp.boot == stored?.boot }
        let later = snapshot.follow(
            events, regions: monitor.regionStatuses.map(\.region), since: isOneBoot ? stored?.uptime : nil)
        let age = isOneBoot ? stored?.age(at: now, machine: machine).map { max(.zero, $0 - later) } : nil
        if isOneBoot, age == nil, let stored {
            former.undated = UndatedStates(stored, later: later, restoredAt: now.instant)
        }
        for index in snapshot.beacons.indices {
            let beacon = snapshot.beacons[index].identity
            snapshot.beacons[index].learned = silences?.learned[beacon] ?? []
            if snapshot.beacons[index].isHeld { aliases.ends.restore(beacon) }
            if phones.mayMiss(beacon) { snapshot.beacons[index].isHeld = true }
        }
        restore(snapshot, age: age, at: now.instant)
        clearLeftovers(of: stored, snapshot, events, &effects)
    }

    /// Clears the states that a former process may have published of regions and beacons that are not monitored now, and of beacons that have
    /// left. The state of a beacon that may be inside is cleared when it exits. With MQTT 3.1.1 a broker retains such states for ever.
    private mutating func clearLeftovers(
        of stored: StoredStates?, _ followed: MonitorSnapshot, _ events: [LoggedEvent],
        _ effects: inout GatewayEffects
    ) {
        let former = stored?.snapshot
        var regions = Set(former?.regions.filter { !$0.isImplicit }.map(\.id) ?? [])
        regions.formUnion(stored?.unknownRegions ?? [])
        let inside = Set(followed.beacons.filter(\.isInside).map(\.identity))
        var beacons = inside.union(former?.beacons.filter(\.isInside).map(\.identity) ?? [])
        for event in events {
            switch event {
            case .beacon(let event): beacons.insert(event.beacon)
            case .region(let event): regions.insert(event.region)
            case .item: break
            }
        }
        for region in monitor.regionStatuses.map(\.region) where !region.isImplicit { regions.remove(region.id) }
        for region in regions.sorted() {
            effects.publish(.clearing(.regionState(region: region, gateway: effects.gateway)))
        }
        for beacon in beacons.sorted() {
            if inside.contains(beacon), monitor.state(of: beacon) != nil {
                self.former.posted.insert(beacon)
            } else {
                effects.publish(.clearing(.proximity(beacon, gateway: effects.gateway)))
            }
        }
    }

    private mutating func restore(_ snapshot: MonitorSnapshot, age: Interval?, at now: Instant) {
        let within = restoreWithin
        var (young, old) = (snapshot, MonitorSnapshot(beacons: [], regions: []))
        if let age, age <= within {
            // A beacon that was not received for this time was unknown already, or its exit is due. A quick restart does not change that.
            let isOld = { (beacon: MonitorSnapshot.Beacon) in (beacon.lastSeenAge ?? within) + age > within }
            young.beacons.removeAll(where: isOld)
            old.beacons = snapshot.beacons.filter(isOld)
        }
        monitor.restore(young, downtime: age, restoreWithin: within, at: now)
        guard let age, !old.beacons.isEmpty else { return }
        let beyond = within + .milliseconds(1)
        for index in old.beacons.indices {
            old.beacons[index].lastSeenAge = old.beacons[index].lastSeenAge.map { max(.zero, $0 + age - beyond) }
        }
        monitor.restore(old, downtime: beyond, restoreWithin: within, at: now)
    }
}
