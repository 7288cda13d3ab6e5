import Beacons
import Delivery
import Messages

/// An aggregator on standby follows the same messages as the active one, decides the same, and publishes nothing of it.
extension SitePipeline {
    /// Whether this aggregator publishes what it decides.
    package var isActive: Bool { standby?.seat.isActive ?? true }

    /// Publishes `info` over the seat that this aggregator has just taken. When this message comes back, everything that the predecessor published
    /// has arrived.
    mutating func seatTaken(at moment: Moment) {
        effects.now = moment
        publishInfo()
    }

    /// The seat is lost, or could not be taken.
    mutating func seatLost(at moment: Moment) {
        effects.now = moment
        standby?.seat.lost(at: moment.instant)
    }

    /// What is to be done about the seat now.
    mutating func nextSeatStep(at moment: Moment) -> Seat.Step? {
        guard let standby else { return nil }
        effects.now = moment
        reports.items.events.unpublished?.age(at: moment.instant, receivedAt: standby.seat.receivedAt)
        if reports.follow(away: standby.away, &effects) { self.standby?.forgetAway() }
        if !isActive, status.isConnected { advanceFollowed(by: "this aggregator") }
        return self.standby?.seat.advance(to: moment.instant)
    }

    /// The request by which the active aggregator is asked whether it lives, or what it has published while this one received nothing.
    var questionToActive: Message {
        guard let missed = standby?.missed else {
            return Message(.request(.alive), bytes: Request.bytes())
        }
        return Message(.request(.history), bytes: Request.bytes(of: missed, transaction: ownTransaction))
    }

    private var ownTransaction: JSONValue { .string("standby-\(effects.boot)") }

    /// Receives what the active aggregator has published while this one received nothing.
    private mutating func receive(missed payload: [UInt8]) throws(PayloadRefusal) {
        let response = try Response<HistoryResponse>(parsing: payload)
        guard response.transaction == ownTransaction, standby?.missed != nil, case .done(let page) = response.outcome
        else { return }
        for event in page.events where event.stamp.boot != effects.boot { receive(published: event) }
        let now = effects.now.instant
        standby?.receivedMissed(behind: page.more ? page.events.last?.id : nil, at: now)
    }

    private mutating func receive(published event: ItemEvent) {
        guard items.place(of: event.item) != nil else { return }
        reports.items.events.unpublished?.receive(event, at: effects.now.instant)
    }

    /// Receives a message that concerns several aggregators; returns whether it concerns nothing else.
    mutating func receive(member topic: Topic, _ payload: [UInt8], isRetained: Bool) throws(PayloadRefusal) -> Bool {
        guard standby != nil else { return false }
        let now = effects.now.instant
        switch topic {
        case .aggregatorAvailability:
            guard Availability(parsing: payload) == .offline else { return true }
            if !isRetained { standby?.seat.receivedOffline(at: now) }
            // The will of a predecessor may come late.
            if isActive { status.publish(.online, &effects) }
        case .aggregatorInfo:
            guard !payload.isEmpty else { return true }
            let isOwn = try AggregatorInfo(parsing: payload).stamp.boot == effects.boot
            let consequence = standby?.receivedInfo(isOwn: isOwn, isRetained: isRetained, at: now)
            follow(consequence)
        case .aggregatorMember(let name):
            if standby?.receive(member: name, Availability(parsing: payload)) == true { effects.infoChanged() }
        // Those on standby respond to these as well.
        case .response(.stays), .response(.forgotten): break
        case .response(.history): if !isActive, !isRetained { try receive(missed: payload) }
        case .aggregatorResponse: if !isActive, !isRetained { standby?.seat.receivedResponse(at: now) }
        case .request(.history):
            let asked = try? Request(parsing: payload).body(HistoryRequest.self)
            guard let name = asked?.aggregator else { return !isActive }
            if !isRetained, name == standby?.name { respond(SiteRequest.history.rawValue, payload) }
        case .itemEvent:
            guard !isRetained else { return true }
            receive(try ItemEvent(parsing: payload, on: topic))
        case .registryManifest, .registryPart, .registryItem, .registryRegion:
            return try receive(registry: topic, payload)
        default: return isActive ? false : try follow(topic, payload, isRetained: isRetained)
        }
        return true
    }

    /// Receives a message that concerns the division of the site among aggregators; returns whether nothing else is to be done with it.
    ///
    /// The aggregator without a name writes the registry, responds to the commands and announces the gateways. Those with a name follow the
    /// registry, and each publishes what concerns its own items.
    mutating func receive(divided topic: Topic, _ payload: [UInt8], isRetained: Bool) throws(PayloadRefusal) -> Bool {
        let isNamed = division.isNamed
        let now = effects.now.instant
        switch topic {
        case .aggregatorShares: try reports.items.receive(shares: payload, of: "", registry, &effects)
        case .namedShares(let name): try reports.items.receive(shares: payload, of: name, registry, &effects)
        case .namedAvailability(let name):
            reports.items.division.receive(availability: payload, of: name, isRetained: isRetained, at: now)
        case .aggregatorAvailability where isNamed:
            reports.items.division.receive(availability: payload, of: "", isRetained: isRetained, at: now)
        case .registryManifest, .registryPart, .registryItem, .registryRegion:
            guard isNamed else { return false }
            if try followed.receive(topic, payload, at: now) { followRegistry() }
        case .gatewayInfo(let gateway) where isNamed && payload.isEmpty:
            // The aggregator without a name has removed the gateway.
            guard reports.gateways[gateway]?.isAlive(at: now) == false else { return true }
            reports.forget(gateway: gateway, clearing: false, &effects)
        case .itemLocation(let id), .itemNotification(let id), .itemEvent(let id):
            return !division.publishes(item: id, of: registry)
        case .aggregatorRequest(let what):
            return !isRetained && !division.responds(to: what, payload, registry, &effects)
        default: return false
        }
        return true
    }

    private mutating func follow(_ consequence: Standby.Consequence?) {
        switch consequence {
        case .takeOver: takeOver()
        case .leaveToOther:
            let standby = standby
            reports.items.leaveUnpublished(unless: { standby?.hasReceived(own: $0) != false }, at: effects.now.instant)
        case nil: break
        }
    }

    /// Receives the event of an item, published by this aggregator or another one.
    private mutating func receive(_ event: ItemEvent) {
        guard event.stamp.boot != effects.boot else {
            standby?.note(own: event.seq)
            return
        }
        let now = effects.now.instant
        let consequence = standby?.receivedAnother(at: now)
        follow(consequence)
        receive(published: event)
        if !isActive { reports.items.follow(event, &effects) }
    }

    /// Receives a message that an active aggregator would treat otherwise; returns whether that was one.
    private mutating func follow(
        _ topic: Topic, _ payload: [UInt8], isRetained: Bool
    ) throws(PayloadRefusal) -> Bool {
        switch topic {
        case .itemLocation(let id):
            guard !payload.isEmpty, items.place(of: id) != nil else { return true }
            let location = try ItemLocation(parsing: payload, on: topic)
            guard location.stamp.boot != effects.boot else { return true }
            standby?.note(location, of: id)
            reports.items.follow(published: payload, of: id, effects)
            if location.presence == .home, let room = location.room {
                reports.items.adopt(room: room, of: id, &effects)
            }
        case .itemNotification(let id):
            standby?.note(isNotified: !payload.isEmpty, id)
            reports.items.follow(
                payload.isEmpty ? nil : try Notification(parsing: payload, on: topic), of: id, &effects)
        case .aggregatorRequest(let what):
            // What these change is not in the registry; the active aggregator responds.
            let shared: [SiteRequest] = [
                .acknowledgeItem, .removeGateway, .startSurvey, .stopSurvey, .removeSurvey, .forgetLearning,
            ]
            if !isRetained, let request = SiteRequest(rawValue: what), shared.contains(request) {
                respond(what, payload)
            }
        default: return false
        }
        return true
    }

    /// Receives a part of the registry, published by the active aggregator, this one perhaps; returns whether that is all to be done with it.
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
        // What this aggregator decided of an item that is gone, or carries another beacon, is nobody's event.
        let gone = changed.items.filter { id in
            guard let item = registry.items[id] else { return true }
            return items.place(of: id).map { items[$0].item.beacon != item.beacon } ?? false
        }
        reports.items.events.unpublished?.forget { !gone.contains($0) }
        reports.items.match(changed.items, registry, &effects)
        effects.unwritten.regions.formUnion(changed.regions)
        for id in changed.items { effects.unwritten.note(item: id) }
        effects.add(.storeSite)
        return true
    }

    /// Everything that the predecessor published has been received: this aggregator publishes from now on.
    private mutating func takeOver() {
        effects.note("This aggregator (\(standby?.name ?? "")) is active from now on")
        registryPublisher.takeOver(from: followed.replica.manifest, &effects)
        followed.diverge()
        announceAll(from: max(effects.now.instant, items.settlesAt))
        status.publish(.online, &effects)
        division.publishShares(&effects)
        reports.items.publishUnpublished(&effects)
        standby?.seat.tookOver()
        publishStates()
        for id in standby?.notified.sorted() ?? [] where items[id]?.notification?.published == nil {
            effects.publish(.clearing(.itemNotification(item: id)))
        }
        effects.add(.storeSiteNow)
        reports.items.lookAtAll(at: effects.now.instant)
    }
}
