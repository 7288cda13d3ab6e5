import Beacons
import Messages
import Ranging

extension MonitorSnapshot {
    /// The last event of a region in the log. The age is that of the state since then; `nil` if unknown.
    private typealias LastEvent = (isInside: Bool, age: Interval?)

    /// Applies the events after the snapshot, so that an event in the log does not happen again.
    ///
    /// - Parameters:
    ///   - monitored: the monitored regions, which follow their own events and those of their beacons.
    ///   - moment: when the snapshot was taken, on the clock of its run; `nil` if the events are of another run.
    /// - Returns: the time from the snapshot to the last event. The ages of the snapshot count from that event.
    mutating func follow(_ events: [LoggedEvent], regions monitored: [Beacons.Region], since moment: Instant?)
        -> Interval
    {
        guard !events.isEmpty else { return .zero }
        let last = moment.map { moment in events.reduce(moment) { max($0, $1.stamp.uptime) } }
        let later = moment.flatMap { moment in last.map { $0 - moment } } ?? .zero
        var known: [BeaconIdentity: Beacon] = [:]
        for beacon in beacons { known[beacon.identity] = beacon.aged(by: later) }
        var changed: Set<BeaconIdentity> = []
        var appraised: [String: LastEvent] = [:]
        // The ages of exits before the events' run. Regions exit with a beacon.
        var early: [WallTime: Interval] = [:]
        for event in events {
            var age = last.map { max(.zero, $0 - event.stamp.uptime) } ?? .zero
            let isEarly = last != nil && event.transition == .exit && event.stamp.uptime == .zero
            switch event {
            case .beacon(let event):
                if isEarly, let exact = known[event.beacon]?.age(ofExit: event) {
                    age = max(age, exact)
                    early[event.stamp.at] = age
                }
                known[event.beacon] = Beacon(after: event, age: age, before: known[event.beacon])
                changed.insert(event.beacon)
            case .region(let event):
                appraised[event.region] = (event.transition == .enter, isEarly ? early[event.stamp.at] : age)
            case .item: break
            }
        }
        beacons = known.values.sorted { $0.identity < $1.identity }
        for index in regions.indices { regions[index].age = regions[index].age.map { $0 + later } }
        for region in monitored { follow(changed, appraised, in: region) }
        return later
    }

    private mutating func follow(
        _ changed: Set<BeaconIdentity>, _ appraised: [String: LastEvent], in region: Beacons.Region
    ) {
        let event = region.isImplicit ? nil : appraised[region.id]
        let isChanged = changed.contains(where: region.scope.contains)
        guard isChanged || event != nil else { return }
        let members = beacons.filter { region.scope.contains($0.identity) && $0.isInside }
        let isInside = !members.isEmpty
        let place = regions.firstIndex { $0.isState(of: region) }
        let age: Interval?
        // An event that its beacons contradict is of a region with the same id that had other beacons.
        if let event, event.isInside == isInside {
            age = event.age
        } else {
            guard isChanged, place.map({ regions[$0].isInside != isInside }) ?? true else { return }
            let areDated = members.allSatisfy { $0.lastSeenAge != nil && $0.insideFor != nil }
            age = areDated ? members.map(\.enteredAge).max() ?? .zero : nil
        }
        let now = Region(region, isInside: isInside, age: age)
        if let place { regions[place] = now } else { regions.append(now) }
    }
}

extension MonitorSnapshot.Beacon {
    fileprivate func aged(by later: Interval) -> Self {
        var aged = self
        aged.enteredAge = enteredAge + later
        aged.lastSeenAge = lastSeenAge.map { $0 + later }
        return aged
    }

    /// Returns the age of the beacon's exit by that of the last sighting, because the clock of a run does not go back before its begin, and the
    /// wall clock may have been set since; `nil` if it is unknown.
    fileprivate func age(ofExit event: BeaconEvent) -> Interval? {
        guard let lastSeenAge, let lastSeenAt = event.lastSeenAt else { return nil }
        return lastSeenAge - max(.zero, event.stamp.at - lastSeenAt)
    }

    /// Creates the state of a beacon after its last event, `age` ago.
    fileprivate init(after event: BeaconEvent, age: Interval, before: Self?) {
        let learned = before?.learned ?? []
        let rssi = event.lastRSSI.flatMap { RSSI(dBm: Int8(max(-127, min(20, $0.rounded())))) }
        guard event.transition == .exit else {
            self.init(
                identity: event.beacon, isInside: true, enteredAge: age, lastSeenAge: age, insideFor: .zero,
                lastRSSI: rssi, learned: learned)
            isHeld = event.isByAlias
            return
        }
        let silence = event.lastSeenAt.map { max(.zero, event.stamp.at - $0) }
        let inside = Interval.seconds(event.insideForSeconds ?? 0)
        self.init(
            identity: event.beacon, isInside: false, enteredAge: age + (silence ?? .zero) + inside,
            lastSeenAge: silence.map { age + $0 }, insideFor: inside, lastRSSI: rssi, learned: learned)
    }
}
