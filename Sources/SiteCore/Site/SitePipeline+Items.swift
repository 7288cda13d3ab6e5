import Beacons
import Locating
import Messages

/// What becomes of the items: presence, room, events.
extension SitePipeline {
    /// By so much another room has to be likelier than the one where the item is said to be.
    static let smallestLead = 0.1
    /// The change of confidence that is worth a message.
    static let smallestChange = 0.1
    /// How much older than the truth a location's `last_seen_at` may become while the item is received.
    static let longestUnseen = Interval.seconds(60)

    /// Makes the records match the registry: new items begin, removed ones are gone, without an event.
    mutating func matchItems() {
        for id in items.keys where registry.items[id] == nil { items[id] = nil }
        for (id, item) in registry.items {
            let error = registry.conflicts[id]
            if items[id] == nil { items[id] = ItemRecord(item, error: error, locator: freshLocator()) }
            if items[id]?.item != item || items[id]?.error != error {
                items[id]?.item = item
                items[id]?.error = error
                items[id]?.isDirty = true
            }
        }
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
            items[state.id]?.since = state.since
            items[state.id]?.lastSeenAt = state.lastSeenAt
            items[state.id]?.stay = Stay(restoring: state.gateways, since: state.since ?? now.wall)
            items[state.id]?.notification = state.notification.map {
                ItemNotification($0, notify: record.item.wishes, at: now)
            }
        }
        toldBefore = kept.told
        for gateway in kept.gateways {
            gateways[gateway.id] = GatewayRecord(id: gateway.id)
            gateways[gateway.id]?.events = EventIntake(restoring: gateway.applied)
        }
    }

    /// Decides anew whether an item is home, and where.
    ///
    /// - Parameter entering: where and when it was heard for the first time, if that is what is new.
    mutating func judge(_ id: String, entering: (room: String?, at: WallTime)? = nil) {
        guard catchUp == nil, var record = items[id], record.error == nil else { return }
        defer { items[id] = record }
        var (presence, lastExit) = record.stay.presence { gateways[$0]?.isHearing(at: now.instant) ?? false }
        // What the broker kept may still be on its way: only a word counts, not its absence.
        if presence == .unknown, isReliving || now.instant < settlesAt { presence = record.presence }
        let former = (presence: record.presence, room: record.room)
        record.confidence = 0
        if presence == .home {
            let estimate = record.locator.estimate(at: now.instant)
            record.confidence = estimate.confidence
            if former.presence != .home { record.room = entering?.room ?? record.room }
            // Before anything was ranged the belief knows only who does not hear it.
            record.room = (record.ranged.isEmpty ? nil : estimate.room) ?? record.room ?? loudest(record).flatMap(room)
            // A draw is no move.
            if former.presence == .home, let room = former.room, let share = estimate.share(of: room),
                estimate.confidence - share < Self.smallestLead
            {
                record.room = room
                record.confidence = share
            }
        }
        record.take(presence, at: now.instant)
        switch (former.presence, presence) {
        case (.home, .away):
            record.since = lastExit ?? now.wall
            tell(of: append(record, .left(from: former.room), at: record.since), to: &record)
        case (.away, .home):
            record.stay.begin()
            record.since = entering?.at ?? now.wall
            tell(of: append(record, .returned(to: record.room), at: entering?.at), to: &record)
        case (_, .away) where former.presence != .away:
            record.since = lastExit ?? now.wall
        case (.home, .home) where former.room != record.room:
            record.since = now.wall
            if let from = former.room, let to = record.room { _ = append(record, .moved(from: from, to: to), at: nil) }
        case (_, .home) where former.room != record.room || record.since == nil:
            record.since = entering?.at ?? now.wall
        default: break
        }
        // Who comes back may come back anywhere.
        if presence == .away, former.presence != .away { (record.room, record.locator) = (nil, freshLocator()) }
        guard former.presence != presence || former.room != record.room else { return }
        record.isDirty = true
        outputs.append(.keep)
    }

    /// A belief that knows the site, and of the item nothing yet.
    func freshLocator() -> Locator {
        var locator = Locator(model: model)
        for gateway in gateways.values where gateway.isHearing(at: now.instant) {
            if let index = model.index(ofGateway: gateway.id) { locator.listens(gateway: index, since: now.instant) }
        }
        return locator
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
            log.append(topic: topic.name(under: configuration.prefix), payload: event.bytes)
        }
        return event
    }

    private func loudest(_ record: ItemRecord) -> String? {
        record.ranged.filter { $0.value.rssi != nil }.max { ($0.value.rssi!, $1.key) < ($1.value.rssi!, $0.key) }?.key
    }

    /// Publishes where an item is if that changed: at most once a second.
    ///
    /// - Parameter mindingConfidence: whether it is news that its room has become more or less sure.
    mutating func sayIfDue(_ id: String, mindingConfidence: Bool = true) {
        guard let record = items[id] else { return }
        if let published = record.published, now.instant - published.at < Self.stepPeriod { return }
        // What fades is on its way to another room, perhaps: said now, it would have that wait for a second.
        let mindsConfidence = mindingConfidence && !record.isFading
        guard
            record.isDirty || isSeenOutdated(record)
                || isWorthSaying(location(of: record), after: record.published?.location, mindsConfidence)
        else { return }
        say(id)
    }

    /// Publishes where an item is.
    mutating func say(_ id: String) {
        guard let location = items[id].map(location) else { return }
        items[id]?.isDirty = false
        items[id]?.published = (location, now.instant)
        publish(.itemLocation(item: id), location)
    }

    /// Whether `last_seen_at` as published would become too old before the next ranged state, which a gateway sends after 1/2.5 of the time for
    /// which the last one holds.
    private func isSeenOutdated(_ record: ItemRecord) -> Bool {
        guard let published = record.published, let seen = record.lastSeenAt,
            published.location.lastSeenAt.map({ $0 < seen }) ?? true
        else { return false }
        let received = record.ranged.values.filter { $0.sightings > 0 }
        let untilNext = Interval.seconds((received.map { Double($0.validFor) }.min() ?? 0) / 2.5)
        // Two steps more: one for this side's clock, one for the message's way.
        return now.instant - published.at >= Self.longestUnseen - untilNext - Self.stepPeriod * 2
    }

    private func isWorthSaying(
        _ location: ItemLocation, after former: ItemLocation?, _ mindsConfidence: Bool
    ) -> Bool {
        guard let former else { return true }
        if location.presence != former.presence || location.room != former.room { return true }
        if location.proximity != former.proximity || location.error != former.error { return true }
        return mindsConfidence && abs((location.confidence ?? 0) - (former.confidence ?? 0)) >= Self.smallestChange
    }

    /// Whether an item was kept on disk before the last that was told of it: after a crash, and until the gateways were heard, what is known
    /// of it is too old to be said.
    func isOutdated(_ record: ItemRecord) -> Bool {
        catchUp != nil && told.contradicts(record.presence, of: record.item.id)
    }

    /// Where an item is, as it is said now.
    private func location(of record: ItemRecord) -> ItemLocation {
        var locator = record.locator
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
        let estimate = locator.estimate(at: now.instant)
        if estimate.room != nil {
            location.confidence =
                record.room == estimate.room
                ? estimate.confidence : record.room.flatMap(estimate.share(of:)) ?? estimate.confidence
            location.rooms = estimate.rooms.filter { $0.confidence >= 0.01 }
                .map { ItemLocation.RoomBelief($0.room, $0.confidence) }
        }
        location.gateway = estimate.gateway ?? loudest(record)
        if let gateway = location.gateway, let ranged = record.ranged[gateway] {
            location.proximity = ranged.proximity
            location.accuracy = ranged.accuracy
        }
        if let position = estimate.position {
            location.point = ItemLocation.Point(x: position.point.x, y: position.point.y, floor: position.floor)
            location.accuracy = position.accuracy
        }
        return location
    }
}
