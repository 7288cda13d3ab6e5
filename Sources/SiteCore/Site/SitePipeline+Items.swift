import Beacons
import Locating
import Messages

/// What becomes of the items: presence, room, events.
extension SitePipeline {
    /// How long the event of a return waits for the reports of all gateways.
    static let longestReturn = Interval.seconds(4)
    /// The change of confidence that is worth a message.
    static let smallestChange = 0.1
    /// How much older than the truth a location's `last_seen_at` may become while the item is received.
    static let longestUnseen = Interval.seconds(60)
    /// An item at home is looked at so often at least, however little of it changes.
    static let longestRest = Interval.seconds(5)

    /// Makes the records match the registry: new items begin, removed ones are gone, without an event.
    mutating func matchItems() {
        for id in Array(items.keys) where registry.items[id] == nil { matchItem(id) }
        for id in registry.items.keys { matchItem(id) }
        knownConflicts = registry.conflicts
    }

    /// Makes the record of one item match the registry.
    mutating func matchItem(_ id: String) {
        guard let item = registry.items[id] else {
            items[id] = nil
            return deadlines.remove(id)
        }
        let error = registry.conflicts[id]
        if let place = items.place(of: id) {
            guard items[place].item != item || items[place].error != error else { return }
            items[place].item = item
            items[place].error = error
            items[place].isDirty = true
        } else {
            items[id] = ItemRecord(item, error: error)
        }
        deadlines.set(id, at: now.instant)
    }

    /// Brings back what was known before a restart, unless an id stands for another beacon now.
    mutating func restore(_ kept: KeptSite) {
        var beacons: [String: BeaconIdentity] = [:]
        for item in kept.items { beacons[item.id] = item.beacon }
        for state in kept.states {
            guard let record = items[state.id], record.error == nil, record.item.beacon == beacons[state.id] else {
                continue
            }
            items[state.id]?.take(state.presence, at: now.instant)
            items[state.id]?.room = state.room
            items[state.id]?.remembered = state.room
            items[state.id]?.since = state.since
            items[state.id]?.lastSeenAt = state.lastSeenAt
            items[state.id]?.stay = Stay(restoring: state.gateways, since: state.since ?? now.wall)
            items[state.id]?.sleep = Sleep(
                restingSince: state.restingSince, isReceived: state.gateways.values.contains(false))
            items[state.id]?.notification = state.notification.map {
                ItemNotification($0, notify: record.item.wishes, at: now)
            }
            items[state.id]?.returning = state.returning.map {
                ItemRecord.Returning(at: $0.at, room: $0.room, until: now.instant)
            }
        }
        toldBefore = kept.told
        for gateway in kept.gateways {
            gateways[gateway.id] = GatewayRecord(id: gateway.id)
            gateways[gateway.id]?.events = EventIntake(restoring: gateway.applied)
        }
        for state in kept.states {
            for gateway in state.gateways.keys { gateways[gateway]?.note(item: state.id) }
        }
    }

    /// Decides anew whether an item is home, and where.
    ///
    /// - Parameter entering: where and when it was heard for the first time, if that is what is new.
    mutating func judge(_ id: String, entering: (room: String?, at: WallTime)? = nil) {
        guard let place = items.place(of: id) else { return }
        var record = items.take(from: place)
        judge(&record, entering: entering)
        items.put(record, to: place)
    }

    /// The same of a record that was taken out of the table.
    mutating func judge(_ record: inout ItemRecord, entering: (room: String?, at: WallTime)? = nil) {
        guard catchUp == nil, record.error == nil else { return }
        follow(&record)
        decide(&record, entering)
        schedule(record)
    }

    /// Decides whether the item is home, and where, and what follows from that.
    private mutating func decide(_ record: inout ItemRecord, _ entering: (room: String?, at: WallTime)?) {
        var (presence, lastExit) = record.stay.presence { surroundings.isListening($0) }
        // What the broker kept may still be on its way: only a word counts, not its absence.
        if presence == .unknown, isReliving || now.instant < settlesAt { presence = record.presence }
        let former = (presence: record.presence, room: record.room, restingSince: record.restingSince)
        if presence == .away, record.item.sleeps,
            record.sleep.fallsAsleep(
                since: record.lastSeenAt ?? lastExit ?? now.wall, wasAway: former.presence == .away)
        {
            presence = .home
        }
        let wasReturning = record.returning != nil
        var move: ReportedRoom.Move?
        record.confidence = 0
        if presence == .home, record.keepsRoom(at: now.instant) {
            record.confidence = record.sleep.confidence ?? 0
        } else if presence == .home {
            switch former.presence {
            case .home: break
            case _ where isReliving:
                let estimate = record.ranged.isEmpty ? nil : record.estimate(at: now.instant)?.room
                record.room = estimate ?? entering?.room ?? record.room
            case .away: record.reported.returned()
            case .unknown:
                guard record.room == nil else { break }
                if let room = entering?.room { record.room = room } else { record.reported.returned() }
            }
            move = locate(&record)
            record.sleep.note(confidence: record.confidence)
        }
        record.take(presence, at: now.instant)
        if presence != .home { publishReturn(of: &record) }
        switch (former.presence, presence) {
        case (.home, .away):
            record.since = lastExit ?? now.wall
            tell(of: append(record, .left(from: former.room), at: record.since), to: &record)
        case (.away, .home):
            record.stay.begin()
            record.since = entering?.at ?? now.wall
            record.returning = ItemRecord.Returning(
                at: entering?.at, room: entering?.room, until: now.instant + Self.longestReturn)
            if isReliving { publishReturn(of: &record) }
        case (_, .away) where former.presence != .away:
            record.since = lastExit ?? now.wall
        case (.home, .home) where former.room != record.room:
            record.since = now.wall
        case (_, .home) where former.room != record.room || record.since == nil:
            record.since = entering?.at ?? now.wall
        default: break
        }
        if let returning = record.returning, !record.reported.isWaiting || now.instant >= returning.until {
            publishReturn(of: &record)
        }
        if let move { _ = append(record, .moved(from: move.from, to: move.to), at: nil) }
        // Who comes back may come back anywhere.
        if presence == .away, former.presence != .away { record.forgetRoom() }
        let hasEvent = move != nil || (wasReturning && record.returning == nil)
        let hasRested = former.restingSince != record.restingSince
        guard former.presence != presence || former.room != record.room || hasEvent || hasRested else { return }
        record.isDirty = true
        unwritten.states.insert(record.item.id)
        outputs.append(.keep)
    }

    /// Takes the estimate of an item's room; returns a move where it shows one.
    private func locate(_ record: inout ItemRecord) -> ReportedRoom.Move? {
        let estimate = record.estimate(at: now.instant)
        var move: ReportedRoom.Move?
        // Before anything was ranged the belief knows only who does not hear it.
        if let estimate, !record.ranged.isEmpty { move = record.reported.take(estimate, at: now.instant) }
        if record.room == nil, estimate?.room == nil, let room = loudest(record).flatMap(room) { record.room = room }
        record.confidence = confidence(of: record, estimate) ?? 0
        return move
    }

    /// Writes the events of the returns that waited when the former process ended, before anything newer is applied.
    mutating func publishFormerReturns() {
        for id in items.keys.sorted() {
            guard let place = items.place(of: id), items[place].returning != nil else { continue }
            var record = items.take(from: place)
            publishReturn(of: &record)
            record.isDirty = true
            items.put(record, to: place)
            unwritten.states.insert(id)
            outputs.append(.keep)
        }
    }

    /// Writes the event of a return that waited for all gateways, if there is one.
    private mutating func publishReturn(of record: inout ItemRecord) {
        guard let returning = record.returning else { return }
        record.returning = nil
        // Where nothing was ranged yet, it is where it was heard first.
        if record.room == nil, record.ranged.isEmpty || isReliving { record.room = returning.room }
        tell(of: append(record, .returned(to: record.reported.announced), at: returning.at), to: &record)
    }

    /// Has the belief about an item follow what has changed around it.
    mutating func follow(_ record: inout ItemRecord) {
        let (gateways, now) = (gateways, now.instant)
        record.follow(surroundings) { gateways[$0]?.instant(of: $1, now: now) ?? now }
    }

    /// Writes an event into the log, unless it was told before a crash.
    private mutating func append(_ record: ItemRecord, _ change: ItemEvent.Change, at time: WallTime?) -> ItemEvent {
        let topic = Topic.itemEvent(item: record.item.id)
        var stamp = stamp(of: now.instant)
        if let time {
            // The time may be of a gateway's clock, which is not to be believed too far.
            stamp.uptime = min(stamp.uptime, max(.zero, stamp.uptime - (now.wall - time)))
            stamp.at = time
        }
        let event = ItemEvent(change, seq: log.upcoming, item: record.item.id, name: record.item.name, stamp: stamp)
        if !told.wasTold(change, of: record.item.id) {
            log.append(topic: topic.name(under: prefix), payload: event.bytes)
        }
        return event
    }

    func loudest(_ record: ItemRecord) -> String? {
        var best: (gateway: String, rssi: Double)?
        for (gateway, state) in record.ranged {
            guard let rssi = state.rssi else { continue }
            if let best, (best.rssi, gateway) >= (rssi, best.gateway) { continue }
            best = (gateway, rssi)
        }
        return best?.gateway
    }

    /// Publishes where an item is if that changed: at most once a second.
    ///
    /// - Parameter mindingConfidence: whether it is news that its room has become more or less sure.
    mutating func sayIfDue(_ id: String, mindingConfidence: Bool = true) {
        guard let place = items.place(of: id), isStepOver(items[place]) else { return }
        var record = items.take(from: place)
        sayIfDue(&record, mindingConfidence: mindingConfidence)
        items.put(record, to: place)
    }

    /// Whether a location of it may be published: a second has passed since the last.
    private func isStepOver(_ record: ItemRecord) -> Bool {
        record.publishedAt.map { now.instant - $0 >= Self.stepPeriod } ?? true
    }

    /// The same of a record that was taken out of the table.
    mutating func sayIfDue(_ record: inout ItemRecord, mindingConfidence: Bool = true) {
        guard isStepOver(record) else { return }
        // What fades is on its way to another room, perhaps: said now, it would have that wait for a second.
        let mindsConfidence = mindingConfidence && !record.isFading
        guard
            record.isDirty || seenOutdatedAt(record).map({ now.instant >= $0 }) ?? false
                || isWorthSaying(&record, mindsConfidence)
        else { return }
        say(&record)
    }

    /// Publishes where an item is.
    mutating func say(_ id: String) {
        guard let place = items.place(of: id) else { return }
        var record = items.take(from: place)
        say(&record)
        items.put(record, to: place)
    }

    private mutating func say(_ record: inout ItemRecord) {
        let location = location(of: &record)
        record.publish(location, at: now.instant)
        publish(.itemLocation(item: record.item.id), location)
    }

    /// When `last_seen_at` as published becomes too old before the next ranged state, which a gateway sends after 1/2.5 of the time for
    /// which the last one holds; `nil` where what was published is the newest.
    func seenOutdatedAt(_ record: ItemRecord) -> Instant? {
        guard let published = record.published, let publishedAt = record.publishedAt, let seen = record.lastSeenAt,
            published.lastSeenAt.map({ $0 < seen }) ?? true
        else { return nil }
        var shortest: UInt32?
        for state in record.ranged.values where state.sightings > 0 {
            shortest = min(shortest ?? state.validFor, state.validFor)
        }
        let untilNext = Interval.seconds(Double(shortest ?? 0) / 2.5)
        // Two steps more: one for this side's clock, one for the message's way.
        return publishedAt + (Self.longestUnseen - untilNext - Self.stepPeriod * 2)
    }

    private func isWorthSaying(_ record: inout ItemRecord, _ mindsConfidence: Bool) -> Bool {
        guard let former = record.published else { return true }
        let presence = isOutdated(record) ? .unknown : record.presence
        if presence != former.presence || record.error != former.error { return true }
        guard record.error == nil, presence != .away else { return former.room != nil }
        if record.room != former.room { return true }
        guard presence == .home else { return former.proximity != nil }
        if record.restingSince != former.restingSince { return true }
        guard record.restingSince == nil else { return false }
        let estimate = record.estimate(at: now.instant)
        if nearest(record, estimate).flatMap({ record.ranged[$0]?.proximity }) != former.proximity { return true }
        let confidence = confidence(of: record, estimate) ?? 0
        return mindsConfidence && abs(confidence - (former.confidence ?? 0)) >= Self.smallestChange
    }

    /// How likely the published room is; `nil` if no gateway has ranged the item.
    private func confidence(of record: ItemRecord, _ estimate: RoomEstimate?) -> Double? {
        guard let estimate, estimate.room != nil else { return nil }
        return record.room.map { estimate.share(of: $0) ?? 0 }
    }

    private func nearest(_ record: ItemRecord, _ estimate: RoomEstimate?) -> String? {
        estimate?.gateway ?? loudest(record)
    }

    // MARK: When an item is looked at

    /// Looks at an item: states that are not repeated expire, and changes are published.
    mutating func look(at id: String) {
        guard let place = items.place(of: id) else { return }
        var record = items.take(from: place)
        record.stay.expire(at: now.instant)
        judge(&record)
        record.look(at: now.instant)
        if eventsMayGo { notify(&record) }
        sayIfDue(&record)
        sayRoomIfDue(&record)
        if record.presence == .home, record.error == nil, !record.keepsRoom(at: now.instant),
            let locator = record.locator
        {
            study.note(locator, of: id, at: now.instant)
        }
        schedule(record)
        items.put(record, to: place)
    }

    /// Sets when an item is looked at again, though nothing of it comes in. Whoever changes a record in another way makes it due.
    private mutating func schedule(_ record: ItemRecord) {
        var next = record.nextLook(step: Self.stepPeriod, rest: Self.longestRest, now: now.instant)
        func add(_ instant: Instant?) {
            if let instant { next = min(next ?? instant, instant) }
        }
        add(seenOutdatedAt(record))
        add(record.returning?.until)
        if record.reported.isPending { add(now.instant + Self.stepPeriod) }
        add(record.notification?.nextDeadline(record.item.wishes, now: now.instant))
        if study.ongoing[record.item.id] != nil { add(now.instant) }
        if configuration.roomMessages != nil, record.presence == .home {
            add(record.roomSaidAt.map { $0 + Self.roomPeriod } ?? now.instant)
        }
        guard let next else { return deadlines.remove(record.item.id) }
        // Looked at once a second at most: an item that was just looked at waits for the next step.
        let earliest = record.lookedAt.map { $0 + Self.stepPeriod } ?? now.instant
        deadlines.set(record.item.id, at: max(next, earliest))
    }

    /// Every item is looked at with the next step.
    mutating func lookAtAll() {
        for id in items.keys { deadlines.set(id, at: now.instant) }
    }

    /// Whether an item was kept on disk before the last that was told of it: after a crash, and until the gateways were heard, what is known
    /// of it is too old to be said.
    func isOutdated(_ record: ItemRecord) -> Bool {
        catchUp != nil && told.contradicts(record.presence, of: record.item.id)
    }

    /// Where an item is, as it is said now.
    private func location(of record: inout ItemRecord) -> ItemLocation {
        let presence = isOutdated(record) ? .unknown : record.presence
        var location = ItemLocation(
            item: record.item.id, name: record.item.name, presence: presence,
            since: presence == record.presence ? record.since : nil, lastSeenAt: record.lastSeenAt,
            stamp: stamp(of: now.instant), error: record.error)
        guard record.error == nil, presence != .away else { return location }
        location.room = record.room
        // Of what was away and may be anywhere now, it is since when it was away.
        if record.room == nil { location.since = nil }
        guard presence == .home else { return location }
        if let since = record.restingSince {
            (location.restingSince, location.confidence) = (since, record.sleep.confidence)
            return location
        }
        let estimate = record.estimate(at: now.instant)
        location.confidence = confidence(of: record, estimate)
        if let estimate, estimate.room != nil {
            location.rooms = estimate.rooms.filter { $0.confidence >= 0.01 }
                .map { ItemLocation.RoomBelief($0.room, $0.confidence) }
        }
        location.gateway = nearest(record, estimate)
        if let gateway = location.gateway, let ranged = record.ranged[gateway] {
            location.proximity = ranged.proximity
            location.accuracy = ranged.accuracy
        }
        if let position = estimate?.position {
            location.point = ItemLocation.Point(x: position.point.x, y: position.point.y, floor: position.floor)
            location.accuracy = position.accuracy
        }
        return location
    }
}
