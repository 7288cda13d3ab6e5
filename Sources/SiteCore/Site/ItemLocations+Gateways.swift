import Beacons
import Locating
import Messages

/// What gateways report of the items, and what follows if a gateway comes, goes or has another room.
extension ItemLocations {
    /// How long a cleared state still counts: the exit may be on its way, because the broker acknowledges it.
    static let grace = Interval.seconds(2)

    // MARK: Ranged states

    /// Whether a ranged state is newer than what is known of the item at the gateway.
    ///
    /// - Parameter place: the place of the item's record.
    func accepts(_ state: RangedState, at place: Int, from gateway: String) -> Bool {
        !table[place].isOvertaken(state.stamp, from: gateway)
    }

    /// Applies a ranged state of the item at a place; returns whether the gateway did not range the item before.
    ///
    /// - Parameter isLive: whether the gateway published the state just now; `false` for a retained message.
    mutating func apply(
        _ state: RangedState, at place: Int, from gateway: String, isLive: Bool, _ gateways: Gateways,
        _ effects: inout SiteEffects
    ) -> Bool {
        var record = table.borrow(from: place)
        defer { table.put(record, to: place) }
        let at = gateways.instant(of: state.stamp, at: gateway, now: effects.now.instant) ?? effects.now.instant
        // The silence of an item that sleeps is no sign of a departure.
        let silence = record.item.sleeps ? nil : state.silence
        // A broker that was killed may retain a state of before the exit.
        let report = ItemPresence.Report(
            until: effects.now.instant + .seconds(Double(state.validFor)), isReceived: isLive && state.sightings > 0,
            silence: silence.map { ItemPresence.Silence(since: at - .seconds($0.seconds), perDay: $0.perDay) })
        if catchUp != nil {
            catchUp?.note(CatchUp.Word(stamp: state.stamp, report: report), of: gateway, on: record.item.id)
        } else if !record.presenceByGateway.note(report, at: gateway) {
            return false
        }
        let isNew = record.ranged[gateway] == nil
        if isNew { effects.unwritten.states.insert(record.item.id) }
        let former = record.ranged[gateway]?.proximity
        bringUpToDate(&record, gateways, at: effects.now.instant)
        record.apply(state, from: gateway, at: effects.now.instant, in: &surroundings)
        let nearest = record.strongestGateway
        // Before the site is settled, the health of a former process may be on its way.
        if record.error == nil, isSettled(at: effects.now.instant) {
            let measured = nearest ?? record.health?.meter?.nearest
            let isDue = gateway == measured && isLive && record.measure(state, from: gateway, at: effects.now)
            if isDue || state.readings.hasAny {
                let batteryAt = state.batteryAge.map { at - .seconds(Double($0)) }
                receive(state.readings, batteryAt: batteryAt, of: &record, isDue: isDue, &effects)
            }
        }
        if state.sightings > 0 {
            // The run of a retained state may have ended: its clock is not known.
            let seenAt =
                isLive
                ? effects.now.wall(at: at)
                : Self.date(state.stamp, of: gateway, at: at, gateways, now: effects.now)
            record.see(at: seenAt, now: effects.now.wall)
            if isLive {
                record.presenceByGateway.doubt.receive(sightings: state.sightings, at: effects.now.instant)
            }
            if isLive, surroundings.receives(gateway, nearest: nearest, at: effects.now.instant) {
                effects.note("\(gateway) receives beacons again")
            }
        }
        judge(&record, gateways, &effects)
        if former != state.proximity || record.isDirty {
            publishIfDue(&record, mindingConfidence: false, &effects)
        }
        return isNew
    }

    mutating func rangingEnded(of id: String, at gateway: String, _ gateways: Gateways, _ effects: inout SiteEffects) {
        table[id]?.silent(gateway)
        table[id]?.presenceByGateway.silent(at: gateway, from: effects.now.instant + Self.grace)
        catchUp?.note(nil, of: gateway, on: id)
        judge(id, gateways, &effects)
    }

    // MARK: What tags report

    /// Applies what a gateway received of an item's tag.
    ///
    /// - Parameter isDue: whether the reception is published now.
    mutating func receive(
        _ new: TagReadings, batteryAt: Instant?, of record: inout ItemRecord, isDue: Bool, _ effects: inout SiteEffects
    ) {
        let now = effects.now.instant
        let former = record.health ?? TagHealth()
        record.health = former
        record.health?.update(with: new, batteryAt: batteryAt)
        guard let readings = record.health?.readings else { return }
        var newer = ItemHealth(
            item: record.item.id, readings: readings,
            wasLow: former.discharge != nil || former.published?.isLow == true, stamp: effects.stamp(of: now))
        if !isDue, let published = former.published, let at = former.publishedAt, published.isLow == newer.isLow {
            guard published.readings != readings, now - at >= TagHealth.period else { return }
        }
        if let meter = former.meter { newer.reception = meter.reception }
        // The event comes first: another process that reads a low health takes the event for published.
        followBattery(newer, of: &record, &effects)
        effects.publish(.itemHealth(item: record.item.id), newer)
        record.follow(newer, &effects)
    }

    /// Reports that the battery has become low, once until it is good again; that ends the notification.
    private mutating func followBattery(
        _ health: ItemHealth, of record: inout ItemRecord, _ effects: inout SiteEffects
    ) {
        guard let isLow = health.isLow, isLow != (record.health?.discharge != nil) else { return }
        if isLow {
            let event = events.append(
                .low(health.readings), of: record.item, at: nil, after: nil, isPast: phase == .past, effects)
            record.begin(event, at: effects.now.instant)
        } else {
            if let notification = record.lowNotification { end(notification, of: &record, &effects) }
            record.health?.discharge = nil
        }
        effects.unwritten.states.insert(record.item.id)
        effects.add(.storeSite)
    }

    // MARK: Which gateways count

    /// Checks whether a gateway is alive and scans. If that has changed, the beliefs follow: one that does not scan is no evidence.
    mutating func weigh(_ gateway: String, _ gateways: inout Gateways, _ effects: inout SiteEffects) {
        guard let isScanning = gateways.weigh(gateway, at: effects.now.instant) else { return }
        if isScanning != surroundings.isScanning(gateway) {
            if isScanning {
                surroundings.scans(gateway, since: effects.now.instant)
            } else {
                surroundings.lost(gateway)
            }
            for id in ids(reportedBy: gateway, &gateways) {
                if !isScanning {
                    table[id]?.lost(gateway, at: effects.now.instant)
                    // After a longer heartbeat, its report may still hold when the gateway is back, which does not know yet what has left.
                    table[id]?.presenceByGateway.silent(at: gateway, from: effects.now.instant + Self.firstWord)
                }
                judge(id, gateways, &effects)
                deadlines.set(id, at: effects.now.instant)
            }
        }
        effects.infoChanged()
    }

    /// A gateway is in another run, as far as is known. What a killed one ranged before, the broker still has: it is no evidence.
    mutating func begins(_ run: Boot, of gateway: String, _ gateways: Gateways, at now: Instant) {
        for id in gateways[gateway]?.items ?? [] {
            guard let place = table.place(of: id), let state = table[place].ranged[gateway], state.stamp.boot != run
            else { continue }
            table[place].lost(gateway, at: now, isScanning: surroundings.isScanning(gateway))
            deadlines.set(id, at: now)
        }
    }

    /// A gateway has lost its state folder, and has received since what is there. It will never report that the others exited: they have.
    mutating func giveUp(silentAt gateway: String, _ gateways: inout Gateways, _ effects: inout SiteEffects) {
        for id in ids(reportedBy: gateway, &gateways) where table[id]?.presenceByGateway.words[gateway] == .silent {
            table[id]?.presenceByGateway.exited(at: gateway, when: nil)
            judge(id, gateways, &effects)
            deadlines.set(id, at: effects.now.instant)
        }
    }

    /// The silence of a gateway that receives nothing of any item stops counting.
    mutating func findDeafGateways(_ effects: inout SiteEffects) {
        for gateway in surroundings.findDeafGateways(at: effects.now.instant) {
            effects.note("\(gateway) scans but receives no beacon that others receive: its silence does not count")
        }
    }

    /// The gateway is gone for good.
    mutating func forget(gateway: String, _ gateways: inout Gateways, clearing: Bool, _ effects: inout SiteEffects) {
        let affected = ids(reportedBy: gateway, &gateways)
        gateways.remove(gateway, clearing: clearing, &effects)
        surroundings.forget(gateway)
        study.forget(gateway: gateway, &effects)
        for id in affected {
            table[id]?.presenceByGateway.forget(gateway)
            table[id]?.lost(gateway, at: effects.now.instant)
            judge(id, gateways, &effects)
            deadlines.set(id, at: effects.now.instant)
            effects.unwritten.states.insert(id)
        }
    }

    /// The items whose presence or room depends on a gateway.
    private func ids(reportedBy gateway: String, _ gateways: inout Gateways) -> Set<String> {
        gateways[gateway]?.forgetItems { id in
            guard let place = table.place(of: id) else { return false }
            return table[place].presenceByGateway.words[gateway] != nil || table[place].ranged[gateway] != nil
        }
        return gateways[gateway]?.items ?? []
    }

    // MARK: The model of the site

    /// Makes a new model if gateways or rooms differ from those of the present one. The beliefs continue with it.
    ///
    /// - Parameter former: the rooms of which `changes` are the changes.
    mutating func adopt(_ site: Site, _ changes: RoomChanges, formerly former: Site, _ effects: inout SiteEffects) {
        guard site != surroundings.model.site || changes != RoomChanges() else { return }
        study.follow(changes, formerly: former, &effects)
        rename(by: changes.heirs, &effects)
        if changes != RoomChanges() { effects.roomChanges.append(changes) }
        surroundings.model = LocatorModel(site: site, learned: study.learned)
        study.follow(offsetsOf: surroundings.model)
        // A sensor may have found its room.
        if !surroundings.sensors.isEmpty { effects.infoChanged() }
    }

    /// Items stay in a room that has another name now: that is no move.
    private mutating func rename(by names: [String: String], _ effects: inout SiteEffects) {
        guard !names.isEmpty else { return }
        surroundings.rename(by: names)
        for id in Array(table.keys) {
            guard let place = table.place(of: id), table[place].rename(by: names) else { continue }
            effects.located.insert(id)
            effects.unwritten.states.insert(id)
            deadlines.set(id, at: effects.now.instant)
        }
        effects.add(.storeSite)
    }

    mutating func adopt(_ learned: Learned?, of lesson: Lesson, at now: WallTime) {
        guard study.adopt(learned, of: lesson, at: now) else { return }
        surroundings.model = LocatorModel(site: surroundings.model.site, learned: study.learned)
    }

    mutating func forgetLearned(_ effects: inout SiteEffects) {
        study.forget()
        surroundings.model = LocatorModel(site: surroundings.model.site)
        effects.add(.storePast)
    }
}
