import Beacons

/// Region monitoring at one gateway: which beacons are in range, which enter, which exit.
///
/// The monitor reads no clock: sightings carry their instant, and the caller passes the time to `advance(to:)`. Pass all sightings up to a
/// moment before that moment. Before `radio(scanning: true, at:)` all states are `unknown`.
/// An exit needs a full silence while the radio scans. While it does not, all states are `unknown` (RulesOfTruth in the reference, 1 to 7).
package struct Monitor: Sendable {
    package let settings: Settings
    /// Whether the radio is known to scan.
    package internal(set) var isScanning = false
    /// How many sightings were refused because the table of members was full of beacons that are inside, and none could make room.
    package internal(set) var refusedMembers: UInt64 = 0
    /// How many members that were inside made room for a newcomer in a full table.
    package internal(set) var displacedMembers: UInt64 = 0

    var index = RegionIndex()
    var regions: [MonitorRegion] = []
    var records: [MonitorRecord] = []
    /// What was learned of each beacon, by slot. With a fixed exit time, only the interval counts.
    var models: [SilenceModel] = []
    var vacant: [Int] = []
    var slots: [BeaconIdentity: Int] = [:]
    /// Next look at each beacon that is inside, or was when the radio went deaf.
    var exits = DeadlineQueue()
    /// When each wildcard's member that is outside is forgotten.
    var leases = DeadlineQueue()
    /// How many beacons are remembered that only wildcard regions name.
    package internal(set) var members = 0
    var displacement = Displacement()
    var suspectCount = 0
    /// The last advertisement of a beacon or a stranger.
    package internal(set) var lastReceived: Instant
    /// When the radio last proved itself, or began to scan.
    var lastProven: Instant
    var reception: Reception
    /// The outage that lasts now: the gateway receives hardly any advertisement, and exits wait for the end of the outage.
    var outage: Outage?
    /// The last time when nothing was received any more, and how the beacons fell silent before it.
    var standstill: Standstill?
    /// The rare long losses that the beacons of this gateway share.
    var pool = SilencePool()
    var provenAt: Instant?
    var proofAskedAt: Instant?
    /// Until when the states of a snapshot count as recent; `nil` if no recent snapshot was restored.
    var trustedUntil: Instant?
    /// The earliest moment at which a region may become `outside` for the first time.
    var nextSettlement: Instant?

    /// Creates a monitor without regions, whose radio does not scan.
    package init(_ settings: Settings = Settings(), at now: Instant) {
        self.settings = settings
        lastReceived = now
        lastProven = now
        reception = Reception(at: now)
    }

    /// When to call `advance(to:)` next; `nil`: nothing is due.
    package var nextDeadline: Instant? {
        guard isScanning else { return leases.first?.at }
        return .earliest(leases.first?.at, .earliest(exits.first?.at, nextSettlement))
    }

    /// Whether any beacon is inside while the radio scans, and exits if it stays silent.
    package var awaitsExits: Bool { exits.first != nil }

    /// Records that the radio received an advertisement, of a beacon or of a stranger, and therefore scans.
    ///
    /// Call it once for each advertisement, before ``hear(_:)`` where it is a sighting. How many advertisements strangers send is learned
    /// from that: if theirs stop as well, silence does not count.
    package mutating func receivedSomething(at now: Instant) {
        if now > lastReceived { lastReceived = now }
        reception.note(at: now)
    }

    /// The last moment at which the radio surely scanned: it received an advertisement, or proved itself.
    var lastEvidence: Instant { max(lastReceived, lastProven) }

    /// Receives one sighting, after everything that fell due before it. Returns `nil` if its beacon belongs to no region or has no place,
    /// and nothing changed.
    package mutating func receive(_ sighting: Sighting) -> [MonitorOutput]? {
        var transitions: [MonitorOutput] = []
        guard var slot = slots[sighting.beacon] ?? settle(sighting.beacon, at: sighting.at, into: &transitions) else {
            return transitions.isEmpty ? nil : transitions
        }
        if let deadline = nextDeadline, deadline < sighting.at {
            transitions += advance(to: sighting.at)
            guard
                let still = slots[sighting.beacon] ?? settle(sighting.beacon, at: sighting.at, into: &transitions)
            else { return transitions }
            slot = still
        }
        if sighting.at > lastReceived { lastReceived = sighting.at }
        reception.noteMember(at: sighting.at)
        if let outage, records[slot].lastSeen <= outage.foundAt {
            records[slot].isContinuous = false
            if !isInOutage(at: sighting.at) { endOutage(at: sighting.at) }
        }
        let noted = records[slot].note(sighting.rssi, at: sighting.at, scanning: isScanning)
        if let noted {
            models[slot].learn(noted.gap, isFaded: noted.isFaded, slot: slot, pool: &pool, at: sighting.at)
            if sighting.at >= pool.nextCollection { collectTemplates(at: sighting.at) }
        }
        if !records[slot].silence.isFresh { refresh(slot) }
        guard isScanning else { return transitions }
        switch records[slot].presence {
        case .inside: break
        case .unsure: regain(slot, at: sighting.at, into: &transitions)
        case .outside:
            if let since = records[slot].confirms(settings) { enter(slot, since: since, into: &transitions) }
        }
        return transitions
    }

    /// Collects what the beacons showed of long losses, so that each knows those of the others.
    mutating func collectTemplates(at now: Instant) {
        guard isLearning else { return }
        pool.collect(slots.values.map { models[$0].template(slot: $0) }, at: now)
    }

    /// Lets time pass: what fell due up to `now` happens, in order.
    package mutating func advance(to now: Instant) -> [MonitorOutput] {
        var transitions: [MonitorOutput] = []
        while let lease = leases.first, lease.at <= now { renewOrForget(lease.slot, at: lease.at) }
        guard isScanning else { return transitions }
        while true {
            let exit = exits.first
            if let settlement = nextSettlement, settlement <= now, settlement <= exit?.at ?? settlement {
                settleRegions(at: settlement, into: &transitions)
            } else if let exit, exit.at <= now {
                look(at: exit.slot, due: exit.at, into: &transitions)
            } else {
                return transitions
            }
        }
    }

    // MARK: Regions

    /// Monitors these regions from now on, and no others.
    ///
    /// A region with the same id and scope keeps its state. A removed region makes no event. A new region that has a beacon inside enters.
    /// Ids are unique among regions and among implicit regions.
    package mutating func setRegions(_ requested: [Region], at now: Instant) -> [MonitorOutput] {
        var transitions = advance(to: now)
        var known: [Key: MonitorRegion] = [:]
        for region in regions { known[Key(region.region)] = region }
        index = RegionIndex(requested)
        regions = requested.map { region in
            var record = known[Key(region)] ?? newcomer(region, at: now)
            record.region = region
            record.inside = 0
            record.unsure = 0
            return record
        }
        for slot in records.indices where slots[records[slot].beacon] == slot { reassign(slot) }
        for number in regions.indices { appraise(number, at: now, into: &transitions) }
        planSettlement()
        return transitions
    }

    private struct Key: Hashable {
        var id: String
        var scope: Region.Scope
        var isImplicit: Bool

        init(_ region: Region) {
            id = region.id
            scope = region.scope
            isImplicit = region.isImplicit
        }
    }

    private func newcomer(_ region: Region, at now: Instant) -> MonitorRegion {
        var fresh = MonitorRegion(region, at: now)
        if isScanning { fresh.settlesAt = now + settings.exitAfter.initialSilence }
        return fresh
    }

    /// Determines a beacon's regions again, and forgets a beacon without any.
    private mutating func reassign(_ slot: Int) {
        let beacon = records[slot].beacon
        let numbers = index.regions(of: beacon)
        guard !numbers.isEmpty else { return forget(slot) }
        records[slot].regions = numbers
        let isConfigured = index.isConfigured(beacon)
        if isConfigured != records[slot].isConfigured {
            records[slot].isConfigured = isConfigured
            members += isConfigured ? -1 : 1
            if isConfigured {
                leases.remove(slot)
            } else if records[slot].isOutside {
                leases.set(slot, at: leaseEnd(of: slot))
            }
        }
        for number in numbers {
            switch records[slot].presence {
            case .outside: break
            case .inside: regions[number].inside += 1
            case .unsure: regions[number].unsure += 1
            }
        }
    }

    /// Determines a region's state again, and reports it if it changed.
    mutating func appraise(_ number: Int, at now: Instant, into transitions: inout [MonitorOutput]) {
        if let transition = regions[number].appraise(scanning: isScanning, at: now) { transitions.append(transition) }
    }

    /// The exit time of a region: that of its one beacon if it is known, otherwise that of an unknown beacon.
    func settlement(of number: Int) -> Interval {
        guard case .beacon(let beacon) = regions[number].region.scope, let slot = slots[beacon],
            records[slot].hasEntered
        else { return settings.exitAfter.initialSilence }
        return silence(of: slot)
    }

    /// Determines when the next region may become `outside` for the first time.
    mutating func planSettlement() {
        nextSettlement = regions.lazy.compactMap(\.settlesAt).min()
    }

    /// Lets the regions whose time has come become `outside` if none of their beacons was received.
    mutating func settleRegions(at now: Instant, into transitions: inout [MonitorOutput]) {
        for number in regions.indices {
            guard let settlesAt = regions[number].settlesAt, settlesAt <= now else { continue }
            regions[number].settlesAt = nil
            appraise(number, at: now, into: &transitions)
        }
        planSettlement()
    }

    // MARK: Outages

    /// While the gateway receives hardly any advertisement, exits wait for this time at most: after it, everybody has left.
    static let longestOutage = Interval.seconds(180)
    /// How often the monitor checks whether such an outage has ended.
    static let outageCheck = Interval.seconds(2)

    /// Since when the gateway has received hardly any advertisement, although it should; `nil` while it receives, or is known not to scan.
    ///
    /// If nothing is received at all, the outage lasts until the next advertisement, also after the exits that waited for its end.
    package func outage(at now: Instant) -> Instant? {
        guard isScanning, let outage else { return nil }
        let isSilent = lastReceived <= outage.foundAt
        return isSilent || now - outage.confirmedAt <= Self.outageCheck + Self.outageCheck ? outage.since : nil
    }

    /// Whether the gateway receives hardly any advertisement, of strangers included.
    mutating func isInOutage(at now: Instant) -> Bool {
        guard let since = reception.outage(at: now) ?? stopped(at: now) else { return false }
        // Where strangers are few, an outage is confirmed for seconds after all beacons are back, and then nobody ends it: this is another one.
        if let former = outage, since > former.confirmedAt { endOutage(at: now) }
        outage = Outage(since: outage?.since ?? since, foundAt: outage?.foundAt ?? now, confirmedAt: now)
        return true
    }

    /// Ends an outage, because strangers are received again: the outage does not count as silence, and is not learned. With a fixed exit time
    /// it counts as silence.
    mutating func endOutage(at now: Instant) {
        guard let ended = outage else { return }
        outage = nil
        let end = min(now, ended.confirmedAt + Self.outageCheck)
        guard isLearning, end - ended.since < Self.longestOutage else { return }
        for slot in records.indices where exits[slot] != nil && records[slot].lastSeen <= ended.foundAt {
            records[slot].isContinuous = false
            let silentSince = records[slot].silentSince
            records[slot].silentSince = silentSince + max(.zero, end - max(ended.since, silentSince))
        }
    }

    /// Since when nothing at all is received, if all beacons fell silent at one moment; `nil` where that is not so.
    ///
    /// The monitor decides once for each such silence, when the first exit is due.
    private mutating func stopped(at now: Instant) -> Instant? {
        guard isLearning, now - lastReceived > Standstill.shortest else { return nil }
        if let standstill, standstill.since == lastReceived { return standstill.isOutage ? lastReceived : nil }
        var found = Standstill(since: lastReceived)
        for slot in records.indices where exits[slot] != nil {
            found.note(
                silence: lastReceived - records[slot].lastSeen, every: models[slot].meanGap,
                isFaded: records[slot].isFaded)
        }
        standstill = found
        return found.isOutage ? lastReceived : nil
    }
}
