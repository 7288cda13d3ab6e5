import Beacons

/// Region monitoring at one gateway: which beacons are in range, which enter, which exit.
///
/// The monitor reads no clock: sightings carry their instant, and the caller passes the time to `advance(to:)`. Pass all sightings up to a
/// moment before that moment. Before `radio(scanning: true, at:)` all states are `unknown`.
/// An exit needs a full silence while the radio scans. While it does not, all states are `unknown` (RulesOfTruth in the reference, 1 to 7).
package struct Monitor: Sendable {
    /// The limits and times of the decisions.
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
    var lastReceived: Instant
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
        var earliest = leases.first?.at
        guard isScanning else { return earliest }
        if let exit = exits.first?.at, exit < earliest ?? .distantFuture { earliest = exit }
        if let settlement = nextSettlement, settlement < earliest ?? .distantFuture { earliest = settlement }
        return earliest
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
}

extension Instant {
    /// Later than anything.
    fileprivate static let distantFuture = Instant(nanoseconds: .max)
}
