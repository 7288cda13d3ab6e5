import Beacons
import Locating
import Messages

/// Decides where the items are: presence, room and position, and the events and notifications that follow.
struct ItemLocations: Sendable {
    /// How often the room message of an item is repeated: its readers forget it after a while.
    static let roomPeriod = Interval.seconds(10)
    /// The change of confidence that is published.
    static let smallestChange = 0.1
    /// The weight of a new estimate in the mean distance of a still item.
    static let renewal = 0.25
    /// How much older than the truth a location's `last_seen_at` may become while the item is received.
    static let longestUnseen = Interval.seconds(60)
    /// The time between two looks at an item that is home, if nothing changes. It doubles with each look that finds nothing changed.
    static let firstRest = Interval.seconds(5)
    /// The longest such time. Sooner or later the messages about an item bring the next look anyway.
    static let longestRest = Interval.seconds(60)
    /// Items that are looked at in one round, times the gateways of the site: a look at an item weighs the silence of each gateway.
    static let mostWeighed = 10_000

    var table = ItemTable()
    /// When each item is looked at, even if no message about it arrives.
    var deadlines = Deadlines()
    /// The model of the site and the gateways that scan: the beliefs about all items depend on them.
    var surroundings: Surroundings
    /// Which items are this aggregator's: only they have records.
    private(set) var part: SitePart
    /// What is learned from the items about the rooms.
    var study = Study()
    var events: ItemEvents
    var phase = Phase.present
    /// What happened during an absence, while it is collected.
    var catchUp: CatchUp?
    /// Until when the broker may deliver retained messages: before that, the absence of a report means nothing.
    private(set) var settlesAt: Instant
    /// Whether `settlesAt` of this connection is not over.
    private var isSettling = false
    /// By how much the site's local clock is ahead of UTC at a time. The permitted hours of notifications are local.
    var utcOffset: @Sendable (WallTime) -> Interval = { _ in .zero }
    /// The items that left while it is open whether somebody went along: nobody is notified of that yet.
    var asked: Set<String> = []
    /// The items that have had another beacon since a former process ran: what it published of their tags is of another tag.
    var hasNewTag: Set<String> = []
    let roomMessages: RoomMessageSettings?
    let followsSensors: Bool
    /// The items whose beacon belongs to another item, with the sentence about it, as their records have it.
    private var knownConflicts: [String: String] = [:]
    /// Counts the records that were compared with the registry, and the looks at items, for tests of what a change and time cost.
    private(set) var counts = (matched: 0, looks: 0)
    /// Whether items whose time has come may wait for the next round, which follows at once.
    private(set) var areMoreDue = false

    init(_ configuration: AggregatorConfiguration, part: SitePart, events: ItemEvents, settlesAt: Instant) {
        surroundings = Surroundings(LocatorModel(site: configuration.site.site(of: [:])))
        self.events = events
        self.settlesAt = settlesAt
        self.part = part
        roomMessages = configuration.roomMessages
        followsSensors = configuration.readsOccupancy
    }

    // MARK: Records

    /// Changes the record of an item, if there is one. It is taken out of the table meanwhile, so that nothing is copied.
    mutating func change(_ id: String, _ body: (inout ItemLocations, inout ItemRecord) -> Void) {
        guard let place = table.place(of: id) else { return }
        var record = table.borrow(from: place)
        body(&self, &record)
        table.put(record, to: place)
    }

    private mutating func forget(_ id: String) {
        table[id] = nil
        catchUp?.forget(item: id)
    }

    /// Makes the records match the registry: new items begin, removed ones are gone, without an event.
    mutating func match(_ registry: SiteRegistry, _ effects: inout SiteEffects) {
        for id in Array(table.keys) where registry.items[id].map({ !part.locates($0.beacon) }) ?? true {
            match(id, registry, &effects)
        }
        for id in registry.items.keys { match(id, registry, &effects) }
        knownConflicts = registry.conflicts
    }

    /// Locates the items of another part of the site: items of others are theirs without an event, and new ones begin as unknown.
    mutating func locate(_ part: SitePart, _ registry: SiteRegistry, _ effects: inout SiteEffects) {
        self.part = part
        let former = Set(table.keys)
        match(registry, &effects)
        for (id, item) in registry.items {
            if !part.locates(item.beacon) {
                effects.devices.append(.disownedItem(id))
            } else if !former.contains(id) {
                effects.devices.append(.changedItem(id))
            }
        }
        lookAtAll(at: effects.now.instant)
        effects.unwritten.isEverything = true
        effects.add(.storeSite)
        effects.infoChanged()
    }

    /// Makes the records of these items match the registry, and of those whose beacon came to belong to another item or no longer does.
    mutating func match(_ ids: some Sequence<String>, _ registry: SiteRegistry, _ effects: inout SiteEffects) {
        for id in ids { match(id, registry, &effects) }
        guard registry.conflicts != knownConflicts else { return }
        let former = knownConflicts
        knownConflicts = registry.conflicts
        for id in Set(former.keys).union(knownConflicts.keys) where former[id] != knownConflicts[id] {
            match(id, registry, &effects)
        }
    }

    /// Makes the record of one item match the registry. An item that carries another beacon now begins anew, and its notification is taken back.
    mutating func match(_ id: String, _ registry: SiteRegistry, _ effects: inout SiteEffects) {
        counts.matched += 1
        effects.located.insert(id)
        guard let item = registry.items[id], part.locates(item.beacon) else {
            if registry.items[id] == nil {
                clearHealth(of: id, &effects)
                effects.forPeople.append(.ended(item: id, nil))
            }
            forget(id)
            return deadlines.remove(id)
        }
        if let place = table.place(of: id), table[place].item.beacon != item.beacon {
            endNotifications(of: id, &effects)
            clearHealth(of: id, &effects)
            forget(id)
        }
        let error = registry.conflicts[id] ?? part.error(of: item.beacon)
        if let place = table.place(of: id) {
            guard table[place].item != item || table[place].error != error else { return }
            table[place].item = item
            table[place].error = error
            table[place].isDirty = true
        } else {
            table[id] = ItemRecord(item, error: error)
        }
        deadlines.set(id, at: effects.now.instant)
    }

    /// Continues with the states that a former process stored, except for ids that have another beacon now.
    mutating func restore(_ stored: StoredSite, at now: Moment) {
        var beacons: [String: BeaconIdentity] = [:]
        for item in stored.items {
            beacons[item.id] = item.beacon
            if let record = table[item.id], record.item.beacon != item.beacon { hasNewTag.insert(item.id) }
        }
        for state in stored.states {
            guard let record = table[state.id], record.error == nil, record.item.beacon == beacons[state.id] else {
                continue
            }
            table[state.id]?.restore(state, at: now)
        }
    }

    /// Decides again whether an item is home, and where.
    mutating func judge(_ id: String, _ gateways: Gateways, _ effects: inout SiteEffects) {
        change(id) { $0.judge(&$1, gateways, &effects) }
    }

    /// Decides the same about a record that was taken out of the table; without an `entering`, something else has changed.
    mutating func judge(
        _ record: inout ItemRecord, entering: Entering? = nil, _ gateways: Gateways, _ effects: inout SiteEffects
    ) {
        guard phase != .collecting, record.error == nil else { return }
        bringUpToDate(&record, gateways, at: effects.now.instant)
        decide(&record, entering, gateways, &effects)
        schedule(record, at: effects.now.instant)
    }

    /// Decides whether the item is home, and where, and what follows from that.
    private mutating func decide(
        _ record: inout ItemRecord, _ entering: Entering?, _ gateways: Gateways, _ effects: inout SiteEffects
    ) {
        let now = effects.now
        applyFirstExit(of: &record, gateways, at: now.instant)
        var (presence, lastExit) = record.presenceByGateway.presence { surroundings.isScanning($0) }
        if presence == .unknown, let exit = record.presenceByGateway.onlyExit, !gateways.ids.contains(exit.gateway) {
            (presence, lastExit) = (.away, exit.at.map { (exit.gateway, $0) })
        }
        // Retained messages may still be on their way: the absence of a report means nothing.
        if presence == .unknown, phase == .past || now.instant < settlesAt { presence = record.presence }
        let former = (
            presence: record.presence, room: record.room, restingSince: record.restingSince, since: record.since
        )
        let isFirstRoom = record.hasNoPublishedRoom
        let exited = lastExit.map { Self.date(of: $0, record, gateways, now: now) }
        if presence == .away, record.followsDeparture,
            record.sleep.fallsAsleep(
                since: record.lastSeenAt ?? exited ?? now.wall, wasAway: former.presence == .away),
            record.item.sleeps
        {
            presence = .home
        }
        var sighting: ReturnDoubt.Sighting?
        if former.presence == .away {
            if presence == .home, phase == .present, record.isReturnOpen(entering, at: now.instant) {
                presence = .away
            } else {
                if phase == .present { sighting = record.presenceByGateway.doubt.sighting }
                record.presenceByGateway.doubt.close()
            }
        }
        let entering = sighting?.entering ?? entering
        var move: ReportedRoom.Move?
        record.confidence = 0
        if presence == .home, record.retainsRoom(at: now.instant) {
            record.confidence = record.sleep.confidence ?? 0
        } else if presence == .home {
            switch former.presence {
            case .home: break
            case _ where phase == .past:
                let likeliest = record.ranged.isEmpty ? nil : record.estimate(at: now.instant)?.room
                let room = likeliest ?? entering?.room ?? record.room
                let isOpen = likeliest == nil && entering?.isContested == true
                if isOpen { record.reported.returned() } else { record.room = room }
            case .unknown where record.room != nil: break
            // Where there is only one room, an item is in it.
            case _ where surroundings.model.rooms.count == 1: record.reported.adopt(surroundings.model.rooms[0])
            // The first gateway to receive an item is often not the nearest.
            case _: record.reported.returned()
            }
            move = record.locate(gateways, at: now.instant)
            if record.item.sleeps { record.sleep.note(confidence: record.confidence) }
        }
        if presence == .away, let exit = lastExit { record.presenceByGateway.leave(at: exit.at) }
        let lastKnown = record.lastKnown
        record.change(to: presence, at: now.instant)
        record.awayProbability =
            switch presence {
            case .away: 1
            case .home: record.presenceByGateway.awayProbability(at: now.instant) { surroundings.isScanning($0) }
            case .unknown: 0
            }
        switch (former.presence, presence) {
        case (.home, .away):
            record.since = record.date(exited, now: now)
            if phase == .present { record.presenceByGateway.doubt.left(at: now.instant) }
            if record.item.ownership != nil || record.sleep.isOfCarried { asked.insert(record.item.id) }
            let hasStayed = record.sleep.hasStayed
            record.health?.discharge?.isEmpty = hasStayed
            let exit = lastExit.flatMap { exit in
                record.newest[exit.gateway].map { ItemEvent.Cause($0.id, at: exit.gateway) }
            }
            append(.left(from: former.room), of: &record, after: exit, &effects)
        case (.away, .home):
            record.presenceByGateway.begin()
            record.health?.discharge?.isEmpty = false
            record.since = record.date(entering?.at ?? sighting.map { now.wall(at: $0.at) }, now: now)
            if phase == .past, record.room == nil, !record.reported.isWaiting, let room = entering?.room {
                record.reported.adopt(room)
            }
            append(
                .returned(to: record.reported.announced), of: &record, after: entering?.cause, at: sighting?.at,
                &effects)
        // It has been away all along, although other gateways may have exited it later.
        case (_, .away) where lastKnown == .away && record.since != nil: break
        case (_, .away):
            // Of exits before a restart, only that is known.
            record.since = record.date(exited ?? record.since, now: now)
        // The room of a return becomes known later: the item has been there since.
        case (.home, .home) where (former.room == nil || isFirstRoom) && record.since != nil: break
        case (.home, .home) where former.room != record.room: record.since = now.wall
        case (_, .home) where former.room != record.room || record.room == nil || record.since == nil:
            record.since = record.date(entering?.at, now: now)
        default: break
        }
        if record.since != former.since { effects.unsetClock.note(record.since, of: record.item.id, at: now) }
        if let move {
            // A move may become certain a while after the room was reported, and after an exit that is on its way.
            _ = events.append(
                .moved(from: move.from, to: move.to), of: record.item, at: record.since, after: nil,
                isPast: phase == .past, effects)
            effects.forPeople.append(.moved(item: record.item.id, from: move.from, to: move.to))
        }
        // An item may return to any room.
        if presence == .away, former.presence != .away { record.forgetRoom() }
        if presence == .home, record.hasNewAwayProbability { record.isDirty = true }
        let hasRested = former.restingSince != record.restingSince
        guard former.presence != presence || former.room != record.room || move != nil || hasRested else { return }
        record.isDirty = true
        effects.located.insert(record.item.id)
        effects.unwritten.states.insert(record.item.id)
        effects.add(.storeSite)
    }

    /// Has the belief about an item follow what has changed around it.
    func bringUpToDate(_ record: inout ItemRecord, _ gateways: Gateways, at now: Instant) {
        // Almost always nothing has changed, and the closure copies `gateways`.
        guard !record.isUpToDate(with: surroundings) else { return }
        record.follow(surroundings) { gateways.instant(of: $1, at: $0, now: now) ?? now }
    }

    /// Whether the broker had the time to deliver what it retains.
    func isSettled(at now: Instant) -> Bool { now >= settlesAt }

    /// The broker is connected, and delivers what it retains until then.
    mutating func connected(settlesAt instant: Instant) {
        (settlesAt, isSettling) = (max(settlesAt, instant), true)
    }

    // MARK: When an item is looked at

    /// Looks at items whose time has come, as many as one round may. On a large site further ones wait, so that messages are received between.
    ///
    /// - Parameter mayNotify: whether notifications may be published now.
    mutating func lookAtDue(mayNotify: Bool, _ gateways: Gateways, _ effects: inout SiteEffects) {
        if isSettling, effects.now.instant >= settlesAt {
            // From now on the absence of reports counts, so every item is looked at.
            isSettling = false
            // A gateway that was killed has left states behind: they are no evidence.
            for gateway in gateways.all where !gateway.isScanning(at: effects.now.instant) {
                for id in gateway.items { table[id]?.lost(gateway.id, at: effects.now.instant) }
            }
            lookAtAll(at: effects.now.instant)
        }
        let most = max(1, Self.mostWeighed / max(1, surroundings.model.gateways.count))
        let end = counts.looks + most
        while counts.looks < end, let id = deadlines.takeDue(at: effects.now.instant) {
            look(at: id, mayNotify: mayNotify, gateways, &effects)
        }
        areMoreDue = counts.looks == end
    }

    /// Looks at an item: reports that are not repeated expire, and changes are published.
    private mutating func look(at id: String, mayNotify: Bool, _ gateways: Gateways, _ effects: inout SiteEffects) {
        let now = effects.now.instant
        change(id) { items, record in
            record.presenceByGateway.expire(at: now)
            items.judge(&record, gateways, &effects)
            record.look(at: now)
            items.counts.looks += 1
            if mayNotify { items.notify(&record, &effects) }
            items.publishIfDue(&record, &effects)
            items.publishRoomMessageIfDue(&record, &effects)
            if record.presence == .home, record.error == nil, !record.retainsRoom(at: now), let locator = record.locator
            {
                items.study.note(locator, of: id, at: now)
                if !items.surroundings.sensors.isEmpty { items.surroundings.learnSensors(from: locator, at: now) }
            }
            items.schedule(record, at: now)
        }
    }

    /// Sets when an item is looked at again without a message about it. Code that changes a record in another way sets the deadline itself.
    private mutating func schedule(_ record: ItemRecord, at now: Instant) {
        // What is learned from an item is sampled at the looks.
        let isSampled = study.follows(record.item.id) || !surroundings.sensors.isEmpty
        var next = record.nextLook(
            step: SitePipeline.stepPeriod, rest: Self.firstRest, longest: isSampled ? Self.firstRest : Self.longestRest,
            now: now)
        func add(_ instant: Instant?) {
            if let instant { next = min(next ?? instant, instant) }
        }
        add(seenOutdatedAt(record))
        add(record.correctsAt)
        if record.reported.isPending { add(now + SitePipeline.stepPeriod) }
        add(record.presenceByGateway.doubt.nextDeadline(at: now))
        add(record.notification?.nextDeadline(record.item.notifySettings, now: now))
        add(record.lowNotification?.nextDeadline(record.item.notifySettings, now: now))
        if study.ongoing[record.item.id] != nil { add(now) }
        if roomMessages != nil, record.presence == .home {
            add(record.roomPublishedAt.map { $0 + Self.roomPeriod } ?? now)
        }
        guard let next else { return deadlines.remove(record.item.id) }
        // Looked at once a second at most: an item that was just looked at waits for the next step.
        let earliest = record.lookedAt.map { $0 + SitePipeline.stepPeriod } ?? now
        deadlines.set(record.item.id, at: max(next, earliest))
    }

    mutating func lookAtAll(at now: Instant) {
        for id in table.keys { deadlines.set(id, at: now) }
        areMoreDue = true
    }
}
