import Beacons
import Locating
import Messages

/// What the gateways say.
extension SitePipeline {
    /// The record of a gateway; `nil` where there are too many already.
    mutating func know(_ gateway: String) -> Bool {
        if gateways[gateway] != nil { return true }
        guard gateways.count < GatewayRecord.most else {
            refuse("too_many_gateways")
            if !ignoresGateways {
                ignoresGateways = true
                publishInfo()
            }
            return false
        }
        gateways[gateway] = GatewayRecord(id: gateway)
        announcements.changed(gateway: gateway)
        // After a crash it shall be no stranger, whose past is nobody's.
        unwritten.gateways.insert(gateway)
        outputs.append(.keepNow)
        return true
    }

    mutating func take(availability payload: [UInt8], of gateway: String) {
        guard !payload.isEmpty else {
            gateways[gateway]?.availability = nil
            return
        }
        guard let availability = Availability(parsing: payload) else { return refuse("availability") }
        guard know(gateway) else { return }
        gateways[gateway]?.availability = availability
        if availability == .offline { catchUp?.heard(of: gateway) } else { gateways[gateway]?.events.mayAskAnew() }
        weigh(gateway)
    }

    mutating func take(info payload: [UInt8], of gateway: String, _ topic: Topic, isLive: Bool) throws(PayloadRefusal) {
        guard !payload.isEmpty else { return }
        let info = try GatewayInfo(parsing: payload, on: topic)
        guard know(gateway) else { return }
        let before = gateways[gateway]?.info
        // Right after a connect the broker delivers what it queued meanwhile: such an info can be as old as the absence was long.
        gateways[gateway]?.take(info, isLive: isLive && now.instant >= settlesAt, at: now.instant)
        catchUp?.heard(of: gateway)
        if let beacon = info.beacon?.identity, gatewayBeacons.insert(beacon).inserted {
            if gatewayBeacons.count > GatewayRecord.most {
                gatewayBeacons = Set(gateways.values.compactMap { $0.info?.beacon?.identity })
            }
        }
        if gateways[gateway]?.events.hasUnkeptBoots == true { unwritten.gateways.insert(gateway) }
        if before == nil || before?.room != info.room {
            mutual.forget(gateway)
            areRoomsStale = true
        } else if before?.rssiOffset != info.rssiOffset {
            areRoomsStale = true
        }
        if before?.room != info.room || before?.version != info.version { announcements.changed(gateway: gateway) }
        weigh(gateway)
        applyReady(of: gateway)
        ask(gateway)
    }

    /// Looks whether a gateway lives and hears, and if that has changed lets the evidence follow: a deaf one leaves it at once.
    mutating func weigh(_ gateway: String) {
        guard let record = gateways[gateway] else { return }
        let seen = (alive: record.isAlive(at: now.instant), hearing: record.isHearing(at: now.instant))
        guard seen != record.isTakenAs else { return }
        gateways[gateway]?.isTakenAs = seen
        if seen.hearing != surroundings.isListening(gateway) {
            if seen.hearing {
                surroundings.listens(gateway, since: now.instant)
                reception.listens(gateway, since: now.instant)
            } else {
                surroundings.lost(gateway)
                reception.lost(gateway)
            }
            for id in takeItems(of: gateway) {
                if !seen.hearing { items[id]?.lost(gateway) }
                judge(id)
                deadlines.set(id, at: now.instant)
            }
        }
        publishInfo()
    }

    /// The items whose presence or room depends on a gateway.
    mutating func takeItems(of gateway: String) -> Set<String> {
        let items = items
        gateways[gateway]?.forgetItems { id in
            guard let place = items.place(of: id) else { return false }
            return items[place].stay.words[gateway] != nil || items[place].ranged[gateway] != nil
        }
        return gateways[gateway]?.items ?? []
    }

    /// The room that a gateway serves: as configured, else as it says itself.
    func room(of gateway: String) -> String? {
        configuration.site.gateways.first { $0.id == gateway }?.room ?? gateways[gateway]?.room
    }

    /// Gateways and rooms are what the beliefs are about: with a new one they go on from where they are.
    mutating func roomsChanged() {
        areRoomsStale = false
        let present = gateways.filter { $0.value.info != nil }
        // A gateway's own offset takes precedence over the learned one, and `[[gateway]]` over both.
        let offsets = learnedOffsets.merging(present.compactMapValues { $0.info?.rssiOffset }) { $1 }
        let site = configuration.site.site(of: present.mapValues(\.room), offsets: offsets)
        guard site != surroundings.model.site else { return }
        study.siteChanged(from: surroundings.model.site, to: site)
        surroundings.model = LocatorModel(site: site, learned: study.learned)
    }

    mutating func take(
        proximity payload: [UInt8], of beacon: BeaconIdentity, from gateway: String, _ topic: Topic, isLive: Bool
    ) throws(PayloadRefusal) {
        guard let id = registry.item(of: beacon) else {
            return try take(proximity: payload, ofSender: beacon, from: gateway, topic, isLive: isLive)
        }
        guard !payload.isEmpty else {
            items[id]?.silent(gateway)
            items[id]?.stay.silent(at: gateway, from: now.instant + Self.grace)
            catchUp?.take(nil, of: gateway, on: id)
            return judge(id)
        }
        let state = try RangedState(parsing: payload, on: topic)
        guard know(gateway) else { return }
        if isLive { gateways[gateway]?.learn(state.stamp, at: now.instant) }
        // What the broker kept of a boot that is over was never taken back: its gateway is gone, or has begun anew.
        if !isLive, let boot = gateways[gateway]?.info?.stamp.boot, boot != state.stamp.boot { return }
        guard let place = items.place(of: id) else { return }
        var record = items.take(from: place)
        defer { items.put(record, to: place) }
        guard !record.isOvertaken(state.stamp, from: gateway) else { return }
        if record.ranged[gateway] == nil {
            gateways[gateway]?.note(item: id)
            unwritten.states.insert(id)
            announcements.receives(item: id, at: gateway, at: now.instant)
        }
        let former = record.ranged[gateway]?.proximity
        let until = now.instant + .seconds(Double(state.validFor))
        if areRoomsStale { roomsChanged() }
        follow(&record)
        record.take(state, from: gateway, at: now.instant, in: surroundings)
        if catchUp == nil { record.stay.inside(at: gateway, until: until) }
        catchUp?.take(CatchUp.Word(stamp: state.stamp, until: until), of: gateway, on: id)
        if state.sightings > 0 {
            let at = gateways[gateway]?.instant(of: state.stamp, now: now.instant) ?? now.instant
            record.see(at: now.wall(at: at))
            if isLive { receive(&record, at: gateway) }
        }
        judge(&record)
        if former != state.proximity || record.isDirty { sayIfDue(&record, mindingConfidence: false) }
    }

    // MARK: Deaf gateways

    /// A gateway received an item: if the gateway was deaf, its silence counts again.
    private mutating func receive(_ record: inout ItemRecord, at gateway: String) {
        guard reception.receives(gateway, nearest: loudest(record), at: now.instant) else { return }
        surroundings.set(gateway, isDeaf: false)
        outputs.append(.note("\(gateway) receives beacons again"))
    }

    /// The silence of a gateway that receives nothing of any item stops counting.
    mutating func findDeafGateways() {
        for gateway in reception.newlyDeaf(at: now.instant) {
            surroundings.set(gateway, isDeaf: true)
            outputs.append(
                .note("\(gateway) scans but receives no beacon that others receive: its silence does not count"))
        }
    }

    // MARK: How gateways hear each other

    private mutating func take(
        proximity payload: [UInt8], ofSender beacon: BeaconIdentity, from gateway: String, _ topic: Topic, isLive: Bool
    ) throws(PayloadRefusal) {
        guard gatewayBeacons.contains(beacon) else { return }
        let senders = gateways.values.filter { $0.info?.beacon?.identity == beacon }
        // Two that claim to be one beacon cannot be told apart.
        guard isLive, !payload.isEmpty, senders.count == 1, let claim = senders[0].info?.beacon else { return }
        let state = try RangedState(parsing: payload, on: topic)
        guard let rssi = state.rssi, gateways[gateway] != nil else { return }
        mutual.hear(
            senders[0].id, by: gateway, rssi: rssi, of: state.sightings, measuredPower: Double(claim.measuredPower.dBm))
    }

    /// Applies the receiver offsets that the gateways' beacons show, if one has changed by a decibel.
    mutating func learnOffsets() {
        guard now.instant >= nextOffsets else { return }
        nextOffsets = now.instant + Self.offsetsPeriod
        let offsets = mutual.offsets.mapValues { ($0 * 2).rounded() / 2 }
        func hasChanged(_ gateway: String) -> Bool {
            abs((offsets[gateway] ?? 0) - (learnedOffsets[gateway] ?? 0)) >= 1
        }
        guard Set(learnedOffsets.keys).union(offsets.keys).contains(where: hasChanged) else { return }
        learnedOffsets = offsets
        let list = offsets.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value > 0 ? "+" : "")\($0.value) dB" }
        outputs.append(.note("Receiver offsets learned from the gateways' beacons: \(list.joined(separator: ", "))"))
        roomsChanged()
    }
}
