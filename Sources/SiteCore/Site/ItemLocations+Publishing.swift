import Beacons
import HomeAssistant
import Locating
import Messages

extension ItemLocations {
    /// The longest time from a publication until the broker delivers it to this aggregator.
    static let roundTrip = Interval.seconds(5)

    /// Publishes the location of an item if it has changed, at most once a second.
    ///
    /// - Parameter mindingConfidence: whether a change of the confidence alone is published.
    mutating func publishIfDue(_ id: String, mindingConfidence: Bool = true, _ effects: inout SiteEffects) {
        guard let place = table.place(of: id), isStepOver(table[place], at: effects.now.instant) else { return }
        change(id) { $0.publishIfDue(&$1, mindingConfidence: mindingConfidence, &effects) }
    }

    /// Whether a second has passed since the item's location was last published.
    private func isStepOver(_ record: ItemRecord, at now: Instant) -> Bool {
        record.publishedAt.map { now - $0 >= SitePipeline.stepPeriod } ?? true
    }

    /// Publishes the location of a record that was taken out of the table, if it has changed.
    mutating func publishIfDue(
        _ record: inout ItemRecord, mindingConfidence: Bool = true, _ effects: inout SiteEffects
    ) {
        let now = effects.now.instant
        func isDue(_ instant: Instant?) -> Bool { instant.map { now >= $0 } ?? false }
        guard isStepOver(record, at: now) else { return }
        // A fading item may be on its way to another room: a message now would delay that one by a second.
        let mindsConfidence = mindingConfidence && !record.isFading
        guard
            record.isDirty || isDue(seenOutdatedAt(record)) || isDue(record.correctsAt)
                || isNews(&record, mindsConfidence, at: now)
        else { return }
        publish(&record, &effects)
    }

    /// Publishes what the broker retains of all items: the notifications and the health now, and the locations with the next looks.
    mutating func publishAll(_ effects: inout SiteEffects) {
        for id in table.keys.sorted() {
            guard let place = table.place(of: id) else { continue }
            table[place].isDirty = true
            if let health = table[place].health?.published { effects.publish(.itemHealth(item: id), health) }
            if let published = table[place].retainedNotification, !isOutdated(table[place]) {
                effects.publish(.itemNotification(item: id), published)
            }
        }
        lookAtAll(at: effects.now.instant)
    }

    /// Clears the notifications of items that have none: Home Assistant, which has just taken them in, gets no message from an empty topic.
    func clearNotifications(of ids: [String], _ effects: inout SiteEffects) {
        for id in ids where table[id].map({ $0.retainedNotification == nil }) ?? false {
            effects.publish(.clearing(.itemNotification(item: id)))
        }
    }

    /// Corrects the times that this process took from a clock which somebody has set now, and publishes all locations again: each has such a time.
    mutating func followClock(_ effects: inout SiteEffects) {
        guard let (correction, items, times) = effects.unsetClock.follow(effects.now) else { return }
        for id in items {
            guard let place = table.place(of: id), let since = table[place].since else { continue }
            table[place].since = since + correction
            effects.unwritten.states.insert(id)
        }
        for id in table.keys { table[id]?.correct(times, by: correction) }
        lookAtAll(at: effects.now.instant)
        effects.add(.storeSite)
    }

    mutating func publishChanged(_ effects: inout SiteEffects) {
        for id in table.keys where table[id]?.isDirty == true { publish(id, &effects) }
    }

    static func clear(_ id: String, _ effects: inout SiteEffects) {
        effects.publish(.clearing(.itemLocation(item: id)))
        effects.publish(.clearing(.itemNotification(item: id)))
        // Another program has published them, and does not know that the item is gone.
        effects.publish(.clearing(.itemAliases(item: id)))
    }

    mutating func publish(_ id: String, _ effects: inout SiteEffects) {
        change(id) { $0.publish(&$1, &effects) }
    }

    private mutating func publish(_ record: inout ItemRecord, _ effects: inout SiteEffects) {
        guard !mayBeOutdated(record, at: effects.now.instant) else { return }
        let (location, nearest) = location(of: &record, effects)
        let message = effects.message(.itemLocation(item: record.item.id), location)
        effects.publish(message)
        record.publish(location, nearest, message.payload.hashValue, at: effects.now.instant)
    }

    /// Notes what the broker delivers on an item's topic. If the last is not what this aggregator published last, somebody else has cleared or
    /// replaced the location, and it is published again. Before an own one, another own one may come back.
    mutating func noteReplacement(published payload: [UInt8], of id: String, _ effects: borrowing SiteEffects) {
        guard let place = table.place(of: id), let published = table[place].published else { return }
        let isReplaced = payload.hashValue != published.hash
        guard isReplaced != published.isReplaced else { return }
        if isReplaced, published.isReplaced == nil, let own = try? ItemLocation(parsing: payload),
            own.stamp.boot == effects.boot, let publishedAt = table[place].publishedAt,
            own.stamp.uptime < effects.stamp(of: publishedAt).uptime
        {
            return
        }
        table[place].published?.isReplaced = isReplaced
        if isReplaced { deadlines.set(id, at: effects.now.instant) }
    }

    /// Whether the broker may deliver a location of a former process that has a later `last_seen_at` than what was stored.
    private func mayBeOutdated(_ record: ItemRecord, at now: Instant) -> Bool {
        record.publishedAt == nil && record.lastSeenAt != nil && !isSettled(at: now)
    }

    /// Takes over `last_seen_at` of a location that a former process or another aggregator has published, so that it never goes back.
    mutating func adoptLastSeen(published payload: [UInt8], of id: String, _ effects: borrowing SiteEffects) {
        guard let place = table.place(of: id), table[place].lastSeenAt != nil,
            let location = try? ItemLocation(parsing: payload), location.stamp.boot != effects.boot,
            // By a clock that was ahead, nothing would be seen for as long.
            let seen = location.lastSeenAt, !effects.now.isSynchronised || seen <= effects.now.wall
        else { return }
        table[place].see(at: seen, now: effects.now.wall)
    }

    /// When the published `last_seen_at` becomes too old; `nil` if it is the newest.
    func seenOutdatedAt(_ record: ItemRecord) -> Instant? {
        guard let publishedAt = record.publishedAt, let seen = record.lastSeenAt,
            record.publishedSeenAt.map({ $0 < seen }) ?? true
        else { return nil }
        var untilNext: Interval?
        for state in record.ranged.values where state.sightings > 0 {
            untilNext = min(untilNext ?? state.period, state.period)
        }
        // Two steps earlier: one for the step of this clock, one for the way of the message.
        return publishedAt + (Self.longestUnseen - (untilNext ?? .zero) - SitePipeline.stepPeriod * 2)
    }

    /// Whether what would be published differs from what was published last.
    private func isNews(_ record: inout ItemRecord, _ mindsConfidence: Bool, at now: Instant) -> Bool {
        guard let former = record.published else { return true }
        let presence = publishedPresence(of: record)
        if presence != former.presence || record.error != former.error { return true }
        guard record.error == nil, presence != .away else { return former.room != nil }
        if publishedRoom(of: record) != former.room { return true }
        guard presence == .home else { return former.proximity != nil }
        if record.restingSince != former.restingSince { return true }
        guard record.restingSince == nil else { return false }
        let estimate = record.estimate(at: now)
        if nearest(record, estimate)?.proximity != former.proximity { return true }
        let confidence = record.confidence(by: estimate) ?? 0
        return mindsConfidence && abs(confidence - (former.confidence ?? 0)) >= Self.smallestChange
    }

    /// The gateway that receives the item best.
    ///
    /// A gateway does not receive a slow tag in each of its windows. While the room stays, the gateway keeps its place and its last estimate until
    /// another one is nearer, or until it reports the item gone. The estimates of a slow tag vary by half, so a still item has a mean of them.
    private func nearest(_ record: ItemRecord, _ estimate: RoomEstimate?) -> NearestGateway? {
        let nearest = (estimate?.gateway ?? record.strongestGateway).map { NearestGateway($0, record.ranged[$0]) }
        guard let published = record.published, published.room == record.room, let former = published.nearest,
            let state = record.ranged[former.id]
        else { return nearest }
        var held = state.proximity == .unknown ? former : NearestGateway(former.id, state)
        guard let distance = held.distance, nearest?.distance.map({ $0 >= distance }) ?? true else { return nearest }
        if let before = former.distance, let estimate, estimate.stillness > 0.5 {
            held.distance = before + (distance - before) * Self.renewal
        }
        return held
    }

    /// Whether the state of an item on the disk is older than its last published event. After a crash, such a state is not published until the
    /// gateways have reported.
    func isOutdated(_ record: ItemRecord) -> Bool {
        phase == .collecting && events.alreadyPublished.contradicts(record.presence, of: record.item.id)
    }

    private func publishedPresence(of record: ItemRecord) -> Presence {
        record.error != nil || isOutdated(record) ? .unknown : record.presence
    }

    /// The room of an item that is not away. One that left right before a crash has none any more.
    private func publishedRoom(of record: ItemRecord) -> String? { isOutdated(record) ? nil : record.room }

    /// The location of an item, as it is published, and the gateway that receives it best.
    private func location(
        of record: inout ItemRecord, _ effects: borrowing SiteEffects
    ) -> (ItemLocation, NearestGateway?) {
        let now = effects.now.instant
        let presence = publishedPresence(of: record)
        var location = ItemLocation(
            item: record.item.id, name: record.item.name, presence: presence,
            since: presence == record.presence ? record.since : nil, lastSeenAt: record.lastSeenAt,
            probableCause: presence == .away ? record.probableCause : nil, stamp: effects.stamp(of: now),
            error: record.error)
        guard record.error == nil, presence != .away else { return (location, nil) }
        location.room = publishedRoom(of: record)
        // An item that has returned to an unknown room has no time since when it is there.
        if record.room == nil { location.since = nil }
        guard presence == .home else { return (location, nil) }
        if let since = record.restingSince {
            (location.silence, location.confidence) = (.resting(since: since), record.sleep.confidence)
            return (location, nil)
        }
        location.silence = record.publishedAwayProbability.map { .unusual(awayProbability: $0) }
        let estimate = record.estimate(at: now)
        location.confidence = record.confidence(by: estimate)
        if let estimate, estimate.room != nil {
            location.rooms = estimate.rooms(atLeast: 0.01).map { ItemLocation.RoomBelief($0.room, $0.confidence) }
        }
        let nearest = nearest(record, estimate)
        location.accuracy = nearest?.distance
        (location.nearest.gateway, location.nearest.proximity) = (nearest?.id, nearest?.proximity)
        location.nearest.rssi = nearest.flatMap { record.ranged[$0.id]?.rssi }
        if estimate != nil, let position = record.room.flatMap({ record.locator?.position(in: $0) }) {
            location.point = ItemLocation.Point(x: position.point.x, y: position.point.y, floor: position.floor)
            location.accuracy = position.accuracy
        }
        return (location, nearest)
    }

    /// Publishes where an item is in the form that `mqtt_room` reads, if that is configured. The message is repeated because its readers store
    /// nothing.
    func publishRoomMessageIfDue(_ record: inout ItemRecord, _ effects: inout SiteEffects) {
        guard let settings = roomMessages, let published = record.published,
            let publishedAt = record.publishedAt,
            let message = RoomMessage(published.location(of: record.item, effects.stamp(of: effects.now.instant)))
        else { return }
        if let roomPublishedAt = record.roomPublishedAt, publishedAt < roomPublishedAt,
            effects.now.instant - roomPublishedAt < Self.roomPeriod
        {
            return
        }
        record.roomPublishedAt = effects.now.instant
        effects.add(
            .publishElsewhere(message.message(under: settings.prefix ?? "\(effects.prefix)/rooms")))
    }
}
