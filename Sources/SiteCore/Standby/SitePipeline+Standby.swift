import Beacons
import Delivery
import EventLogs
import Messages

/// One of several aggregators of a site: what it knows of the others.
struct Standby: Sendable {
    /// The name of this aggregator among them.
    let name: String
    var seat: Seat
    /// The items with a notification that the broker retains.
    var notified: Set<String> = []
    /// The items that the active one has as away, while this one does not know them; taken over once this one has caught up.
    var away: [String: WallTime] = [:]
    /// The aggregators that are connected, this one included.
    var members: Set<String> = []
    /// Events of this aggregator that the broker has delivered, the last few.
    private(set) var ownReceived: [UInt64] = []

    init(_ settings: StandbySettings) {
        name = settings.name
        seat = Seat(name: settings.name)
    }

    /// The broker has delivered an event of this aggregator.
    mutating func note(own seq: UInt64) {
        ownReceived.append(seq)
        if ownReceived.count > EventDelivery.window * 2 { ownReceived.removeFirst() }
    }
}

/// An aggregator on standby follows the same messages as the active one, decides the same, and publishes nothing of it.
extension SitePipeline {
    /// Whether this aggregator publishes what it decides.
    package var isActive: Bool { standby?.seat.isActive ?? true }

    /// What all that an active aggregator publishes is about to be behind: published over the seat as soon as it is taken.
    mutating func seatTaken(at moment: Moment) {
        now = moment
        publishInfo()
    }

    /// The seat is lost, or could not be taken.
    mutating func seatLost(at moment: Moment) {
        now = moment
        standby?.seat.lost(at: moment.instant)
    }

    /// What is to be done about the seat now.
    mutating func nextSeatStep(at moment: Moment) -> Seat.Step? {
        guard let receivedAt = standby.map(\.seat.receivedAt) else { return nil }
        now = moment
        items.events.unpublished?.age(at: moment.instant, receivedAt: receivedAt)
        takeUpAway()
        if !isActive, isConnected { tendFollowed(by: "this aggregator") }
        return standby?.seat.advance(to: moment.instant)
    }

    /// The request by which the active aggregator is asked whether it lives.
    var aliveRequest: Message { Message(.aggregatorRequest(what: "alive"), bytes: Request.bytes()) }

    /// Whether what is on the disk has to stay as it was before events that nobody has published yet.
    var mustNotBeStored: Bool { items.events.unpublished?.hasPending ?? false }

    // MARK: What the others publish

    /// Takes a message that concerns several aggregators; returns whether it concerns nothing else.
    mutating func take(member topic: Topic, _ payload: [UInt8], isRetained: Bool) throws(PayloadRefusal) -> Bool {
        guard standby != nil else { return false }
        let now = effects.now.instant
        switch topic {
        case .aggregatorAvailability: takeAvailability(payload, isRetained: isRetained)
        case .aggregatorInfo:
            guard !payload.isEmpty else { return true }
            try takeInfo(AggregatorInfo(parsing: payload), isRetained: isRetained)
        case .aggregatorMember(let name): take(member: name, payload)
        case .aggregatorResponse: if !isActive, !isRetained { standby?.seat.receivedResponse(at: now) }
        case .itemEvent:
            guard !isRetained else { return true }
            let event = try ItemEvent(parsing: payload, on: topic)
            if event.stamp.boot != boot { receive(event) } else { standby?.note(own: event.seq) }
        case .registryManifest, .registryPart, .registryItem, .registryRegion:
            return try receive(registry: topic, payload)
        default: return isActive ? false : try follow(topic, payload, isRetained: isRetained)
        }
        return true
    }

    private mutating func takeAvailability(_ payload: [UInt8], isRetained: Bool) {
        switch Availability(parsing: payload) {
        case .offline:
            // Who has just connected leaves the seat to those who have followed.
            let now = effects.now.instant
            if !isRetained { standby?.seat.receivedOffline(at: now) }
            // The will of a predecessor may come late.
            if isActive { effects.publish(Message(.aggregatorAvailability, .online)) }
        case .online, nil: break
        }
    }

    private mutating func takeInfo(_ info: AggregatorInfo, isRetained: Bool) {
        guard info.stamp.boot == boot else {
            if !isRetained { receivedAnother() }
            return
        }
        if !isRetained, standby?.seat.receivedItself() == true { takeOver() }
    }

    private mutating func receivedAnother() {
        guard let wasFollowing = standby?.seat.followsAnother else { return }
        let now = effects.now.instant
        standby?.seat.receivedAnother(at: now)
        guard !wasFollowing, standby?.seat.followsAnother == true else { return }
        // What this one had decided and not published is the other's to publish now.
        let events = log.withdraw().compactMap { try? ItemEvent(parsing: $0.payload) }
        let lost = events.filter { standby?.ownReceived.contains($0.seq) == false }
        items.events.unpublished?.addPending(lost, at: effects.now.instant)
    }

    private mutating func take(member name: String, _ payload: [UInt8]) {
        guard let former = standby?.members else { return }
        if Availability(parsing: payload) == .online {
            if former.count <= AggregatorInfo.longestStandby { standby?.members.insert(name) }
        } else {
            standby?.members.remove(name)
        }
        if standby?.members != former { effects.infoChanged() }
    }

    /// The aggregators on standby, for `info`.
    var standbyNames: [String]? { standby.map { $0.members.subtracting([$0.name]).sorted() } }

    // MARK: Following

    /// Another aggregator has published an event of an item.
    private mutating func receive(_ event: ItemEvent) {
        receivedAnother()
        items.events.unpublished?.receive(event, at: effects.now.instant)
        guard !isActive, let place = items.place(of: event.item) else { return }
        if var stored = items[place].notification?.stored(at: effects.now), stored.kind.rawValue == event.change.word {
            stored.id = event.id
            items[place].notification = ItemNotification(
                stored, notify: items[place].item.notifySettings, at: effects.now)
        }
        switch event.change {
        case .moved(_, let room): adopt(room: room, of: event.item)
        case .returned(let room): if let room { adopt(room: room, of: event.item) }
        case .left: break
        }
    }

    /// An item is in the room in which the active aggregator has it, so that a move is a move from there.
    private mutating func adopt(room: String, of id: String) {
        guard let place = items.place(of: id), items[place].presence == .home, items[place].room != room,
            items[place].returning == nil, items.events.unpublished?.hasPending(id) == false
        else { return }
        items[place].reported.adopt(room)
        items[place].isDirty = true
        effects.unwritten.states.insert(id)
    }

    /// Takes a message that an active aggregator would treat otherwise; returns whether that was one.
    private mutating func follow(
        _ topic: Topic, _ payload: [UInt8], isRetained: Bool
    ) throws(PayloadRefusal) -> Bool {
        switch topic {
        case .itemLocation(let id):
            guard !payload.isEmpty, items.place(of: id) != nil else { return true }
            let location = try ItemLocation(parsing: payload, on: topic)
            guard location.stamp.boot != boot else { return true }
            switch location.presence {
            case .away:
                guard let since = location.since else { return true }
                standby?.away[id] = since
            case .home:
                standby?.away[id] = nil
                if let room = location.room { adopt(room: room, of: id) }
            case .unknown: standby?.away[id] = nil
            }
        case .itemNotification(let id): try follow(notification: payload, of: id, topic)
        case .aggregatorRequest(let what):
            // What these change is not in the registry; the active aggregator responds.
            let isShared = ["survey/", "learning/", "gateways/"].contains { what.hasPrefix($0) }
            if !isRetained, isShared || what == "items/acknowledge" { respond(what, payload) }
        default: return false
        }
        return true
    }

    /// Items that are away for the active aggregator, and of which this one has received nothing yet, are away here as well.
    private mutating func takeUpAway() {
        guard let away = standby?.away, !away.isEmpty, catchUp == nil, effects.now.instant >= items.settlesAt else {
            return
        }
        standby?.away = [:]
        let scanning = gateways.ids.filter { items.surroundings.isScanning($0) }
        guard !scanning.isEmpty else { return }
        for (id, since) in away {
            guard let place = items.place(of: id), items[place].presence == .unknown,
                items[place].presenceByGateway.expires == nil
            else { continue }
            for gateway in scanning {
                items[place].presenceByGateway.exited(at: gateway, when: since)
                gateways[gateway]?.note(item: id)
            }
            items.judge(id, gateways, &effects)
        }
    }

    /// Receives a part of the registry, as it is published by the active aggregator, this one perhaps; returns whether that is all to be done
    /// with it.
    private mutating func receive(registry topic: Topic, _ payload: [UInt8]) throws(PayloadRefusal) -> Bool {
        guard !isActive else {
            // Its own publications come back: if another one becomes active, the broker does not send them again.
            _ = try? followed.receive(topic, payload, at: effects.now.instant)
            return false
        }
        guard try followed.receive(topic, payload, at: effects.now.instant),
            followed.replica.revision >= registry.revision || registry.isNew
        else { return true }
        let changed = followed.apply(to: &registryPublisher.registry)
        guard changed != RegistryReplica.Changes() else { return true }
        items.match(changed.items, registry, at: effects.now.instant)
        let present = registry.items
        items.events.unpublished?.forget { present[$0] != nil }
        effects.unwritten.regions.formUnion(changed.regions)
        for id in changed.items { effects.unwritten.note(item: id) }
        effects.add(.storeSite)
        return true
    }

    private mutating func follow(notification payload: [UInt8], of id: String, _ topic: Topic) throws(PayloadRefusal) {
        if payload.isEmpty { standby?.notified.remove(id) } else { standby?.notified.insert(id) }
        guard let place = items.place(of: id) else { return }
        effects.unwritten.states.insert(id)
        effects.add(.storeSite)
        guard !payload.isEmpty else {
            if items[place].notification?.published != nil { items[place].notification = nil }
            return
        }
        let published = try Notification(parsing: payload, on: topic)
        let stored = ItemNotification.Stored(
            kind: published.kind, id: published.id, since: published.since, room: items[place].notification?.room,
            happenedAt: published.since, dueAt: published.nextAt, published: published)
        items[place].notification = ItemNotification(stored, notify: items[place].item.notifySettings, at: effects.now)
    }

    // MARK: Taking over

    /// Everything that the predecessor published has been received: this aggregator publishes from now on.
    private mutating func takeOver() {
        effects.add(.note("This aggregator (\(standby?.name ?? "")) is active from now on"))
        registryPublisher.takeOver(from: followed.replica.manifest, &effects)
        followed.diverge()
        announcements.begin(at: max(effects.now.instant, items.settlesAt))
        effects.publish(Message(.aggregatorAvailability, .online))
        publishShares()
        for event in items.events.unpublished?.release() ?? [] {
            let own = ItemEvent(
                event.change, seq: log.upcoming, item: event.item, name: event.name, stamp: event.stamp)
            log.append(topic: Topic.itemEvent(item: event.item).name(under: prefix), payload: own.bytes)
            if let place = items.place(of: event.item), var stored = items[place].notification?.stored(at: effects.now),
                stored.id == event.id, stored.published == nil
            {
                stored.id = own.id
                items[place].notification = ItemNotification(
                    stored, notify: items[place].item.notifySettings, at: effects.now)
            }
        }
        standby?.seat.tookOver()
        publishStates()
        for id in standby?.notified.sorted() ?? [] where items[id]?.notification?.published == nil {
            effects.publish(.clearing(.itemNotification(item: id)))
        }
        effects.add(.storeSiteNow)
        items.lookAtAll(at: effects.now.instant)
    }
}
