import Beacons
import Messages

/// The gateways' numbered events, and the time after an absence in which they are put into order.
extension ItemLocations {
    /// What the absence of a report means.
    enum Phase: Sendable {
        /// Reports of the past are being collected: nothing is decided.
        case collecting
        /// Events of the past are being applied: the absence of a report means nothing.
        case past
        case present
    }

    /// How long an enter counts without a ranged state. The first ranged state follows within a second or two and states how long it is valid.
    static let firstWord = Interval.seconds(25)
    /// How far a gateway's clock may be from the aggregator's before it counts as wrong. The offset of a run is known to within the time that its
    /// messages take, which is seconds on a slow network.
    static let clockTolerance = Interval.seconds(60)

    /// Applies an event of an item's beacon, unless a later one of the gateway was applied.
    ///
    /// - Parameters:
    ///   - happened: when the event happened, if that is known better than by the gateway's clock.
    ///   - isContested: whether a gateway of another room received the item at about the same time.
    mutating func apply(
        _ event: BeaconEvent, of id: String, at gateway: String, happened: Instant?, isContested: Bool,
        _ gateways: inout Gateways,
        _ effects: inout SiteEffects
    ) {
        guard let place = table.place(of: id) else { return }
        if let newest = table[place].newest[gateway]?.id, gateways[gateway]?.events.isBefore(event.id, newest) == true {
            return
        }
        gateways[gateway]?.note(item: id)
        effects.unwritten.states.insert(id)
        let at = happened ?? gateways.instant(of: event.stamp, at: gateway, now: effects.now.instant)
        let assumed =
            at ?? gateways.instantByWall(of: event.stamp, at: gateway, now: effects.now) ?? effects.now.instant
        var record = table.borrow(from: place)
        record.newest[gateway] = (event.id, event.stamp)
        switch event.transition {
        case .enter:
            // The first ranged state follows within a second or two and states how long it is valid.
            record.presenceByGateway.entered(
                gateway, at: assumed, until: effects.now.instant + Self.firstWord, now: effects.now.instant)
        case .exit:
            record.silent(gateway)
            record.exited(from: gateways.room(of: gateway) ?? event.room)
            let lasted = event.lastSeenAt.map { event.stamp.at - $0 } ?? .zero
            let silence = at.flatMap { lasted > .zero ? $0 - lasted..<$0 : nil }
            // Before the item had a record, other gateways may have received it: the first exit alone does not prove that it left the site, until
            // they had the time to report it.
            if record.wasLocated || record.presenceByGateway.words[gateway] != nil {
                record.presenceByGateway.exited(at: gateway, when: assumed, silence: silence)
            }
            if record.followsDeparture, let rssi = event.lastRSSI, let seen = event.lastSeenAt, let at {
                let lastSeen = at - max(.zero, event.stamp.at - seen)
                record.sleep.exited(gateway, rssi: rssi, lastSeen: lastSeen)
            }
        }
        if let at { record.goBack(to: at) }
        // Nothing was ranged in the past: there the item is in the room of the gateway that received it first.
        let isEnter = event.transition == .enter
        let entering =
            isEnter
            ? Entering(
                room: gateways.room(of: gateway) ?? event.room,
                at: Self.date(event.stamp, of: gateway, at: assumed, gateways, now: effects.now),
                cause: ItemEvent.Cause(event.id, at: gateway),
                rssi: event.lastRSSI, isContested: isContested)
            : nil
        judge(&record, entering: entering, gateways, &effects)
        // It is no longer away since then, and where it is cannot be known.
        if isEnter, record.presence == .unknown, record.lastKnown == .away { record.since = nil }
        table.put(record, to: place)
        // Past events are published, but not the states of the past.
        if phase != .past { publishIfDue(id, &effects) }
        deadlines.set(id, at: effects.now.instant)
    }

    /// Applies the last exit of an item that was added, and that no gateway has reported since, once all gateways had the time to report it.
    func applyFirstExit(of record: inout ItemRecord, _ gateways: borrowing Gateways, at now: Instant) {
        guard record.hasOnlyExited, gateways.ids.allSatisfy({ surroundings.isScanning($0) }) else { return }
        var last: (gateway: String, at: Instant)?
        for (gateway, event) in record.newest {
            guard let at = gateways.instant(of: event.stamp, at: gateway, now: now) else { continue }
            if last.map({ ($0.at, $0.gateway) < (at, gateway) }) ?? true { last = (gateway, at) }
        }
        guard let last, now - last.at >= Self.firstWord else { return }
        record.presenceByGateway.exited(at: last.gateway, when: last.at)
    }

    /// When an event of a gateway happened, for people: by the gateway's clock, or by the aggregator's if the gateway's was never set or is wrong. Of a run
    /// that this aggregator has not met, only the gateway's clock is known.
    static func date(
        _ stamp: Stamp, of gateway: String, at instant: Instant, _ gateways: borrowing Gateways, now: Moment
    ) -> WallTime {
        let own = now.wall(at: instant)
        guard stamp.isClockSynchronised else { return own }
        // Either clock may be wrong by years.
        let isComparable = now.isSynchronised && gateways.instant(of: stamp, at: gateway, now: now.instant) != nil
        return isComparable && max(stamp.at - own, own - stamp.at) > clockTolerance ? own : stamp.at
    }

    /// When an item exited at a gateway, for people.
    ///
    /// A gateway that was killed dates the exit by what it had stored, and may have published later sightings. Those were before its run began, and
    /// so is the exit's instant: a run has no earlier one.
    static func date(
        of exit: (gateway: String, at: Instant), _ record: borrowing ItemRecord, _ gateways: borrowing Gateways,
        now: Moment
    ) -> WallTime {
        let own = now.wall(at: exit.at)
        guard let stamp = record.newest[exit.gateway]?.stamp else { return own }
        let isBeforeRun = stamp.uptime == .zero && stamp.isClockSynchronised && stamp.at < own
        let date = isBeforeRun ? stamp.at : date(stamp, of: exit.gateway, at: exit.at, gateways, now: now)
        guard let seen = record.lastSeenAt, isBeforeRun || own - date <= clockTolerance else { return date }
        return max(date, min(seen, own))
    }

    /// Adds the events that former processes published after the site was last written, oldest first.
    mutating func recall(_ published: [ItemEvent]) {
        events.recall(published)
        for (id, room) in events.alreadyPublished.lastRooms where table[id]?.presence == .home {
            table[id]?.room = room
        }
    }

    /// Writes the event of an item that has left or returned, and begins its notification.
    ///
    /// - Parameter at: when that happened, if it was noticed later.
    mutating func append(
        _ change: ItemEvent.Change, of record: inout ItemRecord, after cause: ItemEvent.Cause?,
        at happened: Instant? = nil, _ effects: inout SiteEffects
    ) {
        let event = events.append(
            change, of: record.item, at: record.since, after: cause, probably: record.probableCause,
            isPast: phase == .past, effects)
        // A former process may have published it, and dated it otherwise.
        record.since = event.stamp.at
        notify(of: event, to: &record, at: happened, &effects)
    }

    // MARK: After an absence

    /// Collects what happened during the absence, if there are gateways whose events were followed before.
    mutating func beginCatchingUp(with gateways: Gateways, at now: Instant) {
        guard gateways.count > 0 else { return }
        // A gateway that was down before is not awaited. After a start, that is known of none.
        let awaited = gateways.all.filter { $0.isTakenAs.alive || $0.info == nil }
        catchUp = CatchUp(began: now, awaiting: awaited.map(\.id))
        phase = .collecting
    }

    mutating func stopCatchingUp() { (catchUp, phase) = (nil, .present) }

    /// Begins to apply the past, if everything has arrived; returns the reports of the present, which follow the past's events.
    mutating func beginPast(_ gateways: Gateways, _ effects: inout SiteEffects) -> CatchUp? {
        guard let catchUp,
            catchUp.isOver(gateways.all, at: effects.now.instant, settled: effects.now.instant >= settlesAt)
        else { return nil }
        self.catchUp = nil
        phase = .past
        // For a gateway whose events are incomplete, its last report counts: what it had inside has not left.
        let silent = Set(
            gateways.all.filter { !$0.isAlive(at: effects.now.instant) || !$0.events.isComplete }.map(\.id))
        for (id, words) in catchUp.words {
            for case (let gateway, let word?) in words where silent.contains(gateway) {
                table[id]?.presenceByGateway.inside(at: gateway, until: word.report.until)
            }
        }
        return catchUp
    }

    /// The past is applied: applies the reports that arrived meanwhile.
    mutating func endPast(_ catchUp: CatchUp, _ gateways: Gateways, _ effects: inout SiteEffects) {
        phase = .present
        events.pastIsApplied()
        for id in table.keys {
            let words = catchUp.words[id] ?? [:]
            for case (let gateway, let word?) in words
            where word.stamp.boot == gateways.boot(of: gateway)
                && table[id]?.isOvertaken(word.stamp, from: gateway) != true
            {
                // The report is of the gateway's present run, and no exit followed.
                table[id]?.presenceByGateway.note(word.report, at: gateway)
            }
            table[id]?.presenceByGateway.expire(at: effects.now.instant)
            // A gateway that has restarted has not ranged the item yet: an item at home stays so for as long as an enter counts.
            let tookBack = words.filter { $0.value == nil }
            if table[id]?.presence == .home {
                table[id]?.presenceByGateway.believe(until: effects.now.instant + Self.firstWord) {
                    tookBack[$0] == nil
                }
            }
        }
        lookAtAll(at: effects.now.instant)
    }
}
