import Beacons
import Locating
import Messages

/// What gateways publish: availability, `info` and ranged states.
extension SitePipeline {
    /// Whether a gateway has a record; a new one gets one, unless there are too many.
    mutating func know(_ gateway: String) -> Bool {
        let admission = gateways.admit(gateway, &effects)
        if admission == .new { announcements.changed(gateway: gateway) }
        return admission != .ignored
    }

    mutating func take(availability payload: [UInt8], of gateway: String) {
        guard !payload.isEmpty else {
            gateways[gateway]?.availability = nil
            return
        }
        guard let availability = Availability(parsing: payload) else { return effects.refuse("availability") }
        guard know(gateway) else { return }
        gateways[gateway]?.availability = availability
        if availability == .offline { catchUp?.received(of: gateway) } else { gateways[gateway]?.events.mayAskAnew() }
        weigh(gateway)
    }

    mutating func take(info payload: [UInt8], of gateway: String, _ topic: Topic, isLive: Bool) throws(PayloadRefusal) {
        guard !payload.isEmpty else { return }
        let info = try GatewayInfo(parsing: payload, on: topic)
        guard know(gateway) else { return }
        // Right after a connect the broker delivers what it queued meanwhile: such an info can be as old as the absence was long.
        let isLive = isLive && effects.now.instant >= items.settlesAt
        let change = gateways.take(info, of: gateway, isLive: isLive, &effects)
        catchUp?.received(of: gateway)
        areRoomsStale = areRoomsStale || change.room || change.rssiOffset
        if change.room || change.version { announcements.changed(gateway: gateway) }
        weigh(gateway)
        applyReady(of: gateway)
        gateways.ask(gateway, isUrgent: catchUp != nil, &effects)
    }

    /// Checks whether a gateway is alive and scans. If that has changed, the beliefs follow: one that does not scan is no evidence.
    mutating func weigh(_ gateway: String) {
        guard let record = gateways[gateway] else { return }
        let seen = (
            alive: record.isAlive(at: effects.now.instant), isScanning: record.isScanning(at: effects.now.instant)
        )
        guard seen != record.isTakenAs else { return }
        gateways[gateway]?.isTakenAs = seen
        if seen.isScanning != items.surroundings.isScanning(gateway) {
            if seen.isScanning {
                items.surroundings.scans(gateway, since: effects.now.instant)
                reception.scans(gateway, since: effects.now.instant)
            } else {
                items.surroundings.lost(gateway)
                reception.lost(gateway)
            }
            for id in takeItems(of: gateway) {
                if !seen.isScanning { items[id]?.lost(gateway) }
                items.judge(id, gateways, &effects)
                items.makeDue(id, at: effects.now.instant)
            }
        }
        effects.infoChanged()
    }

    /// The items whose presence or room depends on a gateway.
    mutating func takeItems(of gateway: String) -> Set<String> {
        let items = items
        gateways[gateway]?.forgetItems { id in
            guard let place = items.place(of: id) else { return false }
            return items[place].presenceByGateway.words[gateway] != nil || items[place].ranged[gateway] != nil
        }
        return gateways[gateway]?.items ?? []
    }

    /// Makes a new model of the site from the present gateways and rooms. The beliefs continue with it.
    mutating func roomsChanged() {
        areRoomsStale = false
        let present = gateways.byID.filter { $0.value.info != nil }
        // A gateway's own offset takes precedence over the learned one, and `[[gateway]]` over both.
        let offsets = gateways.learnedOffsets.merging(present.compactMapValues { $0.info?.rssiOffset }) { $1 }
        let site = configuration.site.site(of: present.mapValues(\.room), offsets: offsets)
        guard site != items.surroundings.model.site else { return }
        study.siteChanged(from: items.surroundings.model.site, to: site)
        items.surroundings.model = LocatorModel(site: site, learned: study.learned)
        // A sensor may have found its room.
        if !items.surroundings.sensors.isEmpty { effects.infoChanged() }
    }

    mutating func take(
        proximity payload: [UInt8], of beacon: BeaconIdentity, from gateway: String, _ topic: Topic, isLive: Bool
    ) throws(PayloadRefusal) {
        guard let id = registry.item(of: beacon) else {
            if isLive { try gateways.take(proximity: payload, ofSender: beacon, at: gateway, topic) }
            return
        }
        guard let place = items.place(of: id) else { return }
        guard !payload.isEmpty else {
            items[id]?.silent(gateway)
            items[id]?.presenceByGateway.silent(at: gateway, from: effects.now.instant + Self.grace)
            catchUp?.take(nil, of: gateway, on: id)
            return items.judge(id, gateways, &effects)
        }
        let state = try RangedState(parsing: payload, on: topic)
        guard know(gateway) else { return }
        if isLive { gateways[gateway]?.learn(state.stamp, at: effects.now.instant) }
        // A retained state of an earlier run was never cleared: the gateway was killed.
        if !isLive, let boot = gateways[gateway]?.info?.stamp.boot, boot != state.stamp.boot { return }
        var record = items.take(from: place)
        defer { items.put(record, to: place) }
        guard !record.isOvertaken(state.stamp, from: gateway) else { return }
        if record.ranged[gateway] == nil {
            gateways[gateway]?.note(item: id)
            effects.unwritten.states.insert(id)
            announcements.receives(item: id, at: gateway, at: effects.now.instant)
        }
        let former = record.ranged[gateway]?.proximity
        let until = effects.now.instant + .seconds(Double(state.validFor))
        if areRoomsStale { roomsChanged() }
        items.follow(&record, gateways, at: effects.now.instant)
        record.take(state, from: gateway, at: effects.now.instant, in: &items.surroundings)
        if catchUp == nil { record.presenceByGateway.inside(at: gateway, until: until) }
        catchUp?.take(CatchUp.Word(stamp: state.stamp, until: until), of: gateway, on: id)
        if state.sightings > 0 {
            let at = gateways.instant(of: state.stamp, at: gateway, now: effects.now.instant) ?? effects.now.instant
            record.see(at: effects.now.wall(at: at))
            if isLive { receive(&record, at: gateway) }
        }
        items.judge(&record, gateways, &effects)
        if former != state.proximity || record.isDirty {
            items.publishIfDue(&record, mindingConfidence: false, &effects)
        }
    }

    // MARK: Deaf gateways

    /// A gateway received an item: if the gateway was deaf, its silence counts again.
    private mutating func receive(_ record: inout ItemRecord, at gateway: String) {
        guard reception.receives(gateway, nearest: record.strongestGateway, at: effects.now.instant) else { return }
        items.surroundings.set(gateway, isDeaf: false)
        effects.add(.note("\(gateway) receives beacons again"))
    }

    /// The silence of a gateway that receives nothing of any item stops counting.
    mutating func findDeafGateways() {
        for gateway in reception.newlyDeaf(at: effects.now.instant) {
            items.surroundings.set(gateway, isDeaf: true)
            effects.add(
                .note("\(gateway) scans but receives no beacon that others receive: its silence does not count"))
        }
    }
}
