import Beacons
import EventLogs
import Messages
import Ranging

/// The states and silences that survive a restart.
extension GatewayPipeline {
    /// Returns the states for this gateway's disk, as of the last moment of scanning.
    ///
    /// Before the radio has scanned, the result is `nil`, because the states on disk are better.
    ///
    /// - Parameter machine: identifies the machine's start.
    package func storedStates(machine: String) -> StoredStates? {
        guard let lastScannedAt else { return nil }
        var snapshot = monitor.snapshot(at: lastScannedAt.instant)
        for index in snapshot.beacons.indices { snapshot.beacons[index].learned = [] }
        return StoredStates(
            boot: boot, seq: log.upcoming - 1, uptime: .zero + (lastScannedAt.instant - startedAt), machine: machine,
            machineTime: lastScannedAt.instant, at: lastScannedAt.wall,
            isClockSynchronised: lastScannedAt.isSynchronised,
            snapshot: snapshot)
    }

    /// The learned silences, for this gateway's disk.
    package var storedSilences: StoredSilences {
        var learned: [BeaconIdentity: [Double]] = [:]
        for beacon in monitor.snapshot(at: now.instant).beacons where !beacon.learned.isEmpty {
            learned[beacon.identity] = beacon.learned
        }
        return StoredSilences(learned: learned)
    }

    /// Restores the states of a former process. Call this after the registry is restored and before the radio scans.
    ///
    /// - Parameters:
    ///   - events: the events in the log after the states; without states, all events.
    ///   - machine: identifies the machine's start.
    package mutating func restore(
        _ stored: StoredStates?, _ silences: StoredSilences?, events: [LoggedEvent], machine: String
    ) {
        var snapshot = stored?.snapshot ?? MonitorSnapshot(beacons: [], regions: [])
        storedRegionIDs = Set(snapshot.regions.filter { !$0.isImplicit }.map(\.id))
        if storeRegionIDs() { setRegions() }
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
        restore(snapshot, age: age)
    }

    /// Dates the restored states once the wall clock is right. A machine without a clock battery gets the time from the network, some
    /// seconds after its start.
    mutating func dateIfKnown() {
        guard now.isSynchronised, let states = undated else { return }
        undated = nil
        if let downtime = states.downtime(by: now) { monitor.date(downtime: downtime) }
    }

    /// Returns the events after the states, or all events without states; `read` returns those that are only on disk.
    package func events(after states: StoredStates?, read: (EventSpan, Catalogue) -> [Entry]?) -> [LoggedEvent] {
        let later = states.map { Self.spans(log.spans, after: $0.boot, $0.seq) } ?? log.spans
        // The states that follow from the last ten thousand events are right. All events may need more memory than there is.
        return Self.last(10_000, of: later.suffix(100)).flatMap { read($0, log.catalogue) ?? [] }
            .compactMap { try? LoggedEvent(parsing: $0.payload) }
    }

    /// The part of a log's spans that follows an event of a run. The log's order decides: a counter of starts that was lost begins again at 1.
    static func spans(_ spans: [EventSpan], after boot: Boot, _ seq: UInt64) -> [EventSpan] {
        let place = spans.lastIndex { Boot($0.boot) == boot }
        return spans.enumerated().compactMap { index, span in
            guard let run = Boot(span.boot) else { return span }
            guard run == boot else {
                // A run without events has no place in the log.
                return place.map { index > $0 } ?? (run.epoch > boot.epoch) ? span : nil
            }
            guard span.seqs.upperBound > seq else { return nil }
            return EventSpan(boot: span.boot, seqs: max(span.seqs.lowerBound, seq + 1)...span.seqs.upperBound)
        }
    }

    /// The last events of some spans, as spans.
    static func last(_ most: UInt64, of spans: some BidirectionalCollection<EventSpan>) -> [EventSpan] {
        var missing = most
        var last: [EventSpan] = []
        for span in spans.reversed() where missing > 0 {
            let (from, to) = (span.seqs.lowerBound, span.seqs.upperBound)
            let first = to - from < missing ? from : to - missing + 1
            last.append(EventSpan(boot: span.boot, seqs: first...to))
            missing -= to - first + 1
        }
        return last.reversed()
    }

    private mutating func restore(_ snapshot: MonitorSnapshot, age: Interval?) {
        let within = configuration.monitoring.restoreWithin
        var (young, old) = (snapshot, MonitorSnapshot(beacons: [], regions: []))
        if let age, age <= within {
            // A beacon that was not received for this time was unknown already, or its exit is due. A quick restart does not change that.
            let isOld = { (beacon: MonitorSnapshot.Beacon) in (beacon.lastSeenAge ?? within) + age > within }
            young.beacons.removeAll(where: isOld)
            old.beacons = snapshot.beacons.filter(isOld)
        }
        monitor.restore(young, downtime: age, restoreWithin: within, at: now.instant)
        guard let age, !old.beacons.isEmpty else { return }
        let beyond = within + .milliseconds(1)
        for index in old.beacons.indices {
            old.beacons[index].lastSeenAge = old.beacons[index].lastSeenAge.map { max(.zero, $0 + age - beyond) }
        }
        monitor.restore(old, downtime: beyond, restoreWithin: within, at: now.instant)
    }
}
