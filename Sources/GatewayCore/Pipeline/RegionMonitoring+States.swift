import Beacons
import EventLogs
import Messages
import Ranging

/// The states and silences that survive a restart.
extension RegionMonitoring {
    /// Returns the states for this gateway's disk, as of the last moment of scanning.
    ///
    /// Before the radio has scanned, the result is `nil`, because the states on disk are better.
    ///
    /// - Parameter machine: identifies the machine's start.
    func storedStates(machine: String, _ effects: GatewayEffects) -> StoredStates? {
        guard let lastScannedAt else { return nil }
        var snapshot = monitor.snapshot(at: lastScannedAt.instant)
        for index in snapshot.beacons.indices { snapshot.beacons[index].learned = [] }
        return StoredStates(
            boot: effects.boot, seq: effects.events.log.upcoming - 1,
            uptime: effects.uptime(at: lastScannedAt.instant), machine: machine, machineTime: lastScannedAt.instant,
            at: lastScannedAt.wall,
            isClockSynchronised: lastScannedAt.isSynchronised,
            snapshot: snapshot)
    }

    /// The learned silences, for this gateway's disk.
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
        _ stored: StoredStates?, _ silences: StoredSilences?, events: [LoggedEvent], machine: String, at now: Moment
    ) {
        var snapshot = stored?.snapshot ?? MonitorSnapshot(beacons: [], regions: [])
        let events = events.compactMap { event in if case .beacon(let event) = event { event } else { nil } }
        // The clocks of two runs cannot be compared, so only the order of the events counts.
        let isOneBoot = stored != nil && events.allSatisfy { $0.stamp.boot == stored?.boot }
        let later = snapshot.follow(
            events, regions: monitor.regionStatuses.map(\.region), since: isOneBoot ? stored?.uptime : nil)
        let age = isOneBoot ? stored?.age(at: now, machine: machine).map { max(.zero, $0 - later) } : nil
        if isOneBoot, age == nil, let stored { undated = UndatedStates(stored, later: later, restoredAt: now.instant) }
        for index in snapshot.beacons.indices {
            snapshot.beacons[index].learned = silences?.learned[snapshot.beacons[index].identity] ?? []
        }
        restore(snapshot, age: age, at: now.instant)
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
