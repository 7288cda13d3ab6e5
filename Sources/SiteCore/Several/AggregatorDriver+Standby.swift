import Beacons
import Delivery
import Messages

/// An aggregator on standby receives the same messages as the active one, decides the same, and publishes nothing of it.
///
/// Its own connection receives everything all the time, active or not. The seat, a connection with the client id that all share, publishes.
/// So nothing is missed when the seat changes, and who has lost the seat can publish nothing.
extension AggregatorDriver {
    /// Whether this aggregator publishes what it decides.
    package var isActive: Bool { standby?.seat.isActive ?? true }

    // MARK: The two connections

    /// Handles what the own connection of one of several aggregators reports and the only connection of a single one does not; returns
    /// whether that is all there is to do.
    mutating func handle(ofOwnConnection event: BrokerEvent, at moment: Moment) -> Bool {
        site.resume()
        switch event {
        case .connected:
            actions += [member(.online)].compactMap { $0 }.map { .publishOnOwnConnection($0) }
            standby?.connected(at: moment.instant)
            site.receives(at: moment)
        case .disconnected(let fault):
            standby?.disconnected(at: moment)
            site.stopsReceiving(fault, at: moment)
        // Whatever is to be acknowledged is published over the seat.
        case .acknowledged, .refused: break
        default: return false
        }
        return true
    }

    /// Handles what the connection with the shared client id reports.
    package mutating func handle(seat event: BrokerEvent, at moment: Moment) {
        site.resume()
        defer { site.reportRefusedEvents() }
        switch event {
        case .connected:
            site.messenger.connected()
            pipeline.effects.now = moment
            // When this message comes back, everything that the predecessor published has arrived.
            pipeline.publishInfo()
        case .disconnected(let fault):
            site.stopsPublishing()
            standby?.seat.lost(at: moment.instant)
            actions.append(.releaseSeat)
            site.log(.notice, "This aggregator is on standby: \(fault)")
        case .acknowledged, .refused: site.handle(.broker(event), at: moment)
        default: break
        }
    }

    /// The last message on the own connection of one of several aggregators.
    package var memberFarewell: [OutgoingMessage] { [member(.offline)].compactMap { $0 } }

    /// What the other aggregators learn of this one.
    private func member(_ availability: Availability) -> OutgoingMessage? {
        standby.map {
            OutgoingMessage(Message(.aggregatorMember(name: $0.name), availability), under: configuration.prefix)
        }
    }

    // MARK: What the site hands out

    /// A decision as the site carries it out; `nil` if it does not, because another aggregator is active.
    mutating func passed(_ output: SiteOutput) -> SiteOutput? {
        switch output {
        // The heartbeat is what an aggregator that takes over waits for itself.
        case .info(let info): return isActive || site.messenger.isConnected ? .info(completed(info)) : nil
        case .publish(let message):
            let isOwn =
                switch message.topic {
                case .gatewayRequest: standby != nil
                // The response is of this aggregator's own log, for the history of the other one.
                case .response(.history): !isActive
                default: false
                }
            guard isOwn else { return isActive ? output : nil }
            actions.append(.publishOnOwnConnection(OutgoingMessage(message, under: configuration.prefix)))
            return nil
        case .publishElsewhere, .perform(.notify): return isActive ? output : nil
        case .storeSite, .storeSiteNow, .storeSurveys, .storePast, .perform: return output
        }
    }

    /// Has the events written that the site has handed out, unless another aggregator is active or has published them.
    ///
    /// The past is complete before anything of it is published: what others have published of it may arrive last.
    mutating func settleEvents() {
        guard standby != nil else { return }
        let now = pipeline.effects.now.instant
        let events = pipeline.reports.items.events.takeHandedOut()
        for (event, isPast) in events {
            if !isPast { publishUnpublished() }
            let mayPublish = isActive && !isPast
            if standby?.unpublished.decide(event, mayPublish: mayPublish, at: now) == false {
                site.pipeline.reports.items.write(handedOut: event, isLate: false, site.pipeline.effects)
            } else if isActive, isPast {
                standby?.mustPublish = true
            }
        }
        publishUnpublished()
    }

    /// Writes the events that nobody has published into the log, for this aggregator to publish. While it catches up, they wait until it has.
    private mutating func publishUnpublished() {
        guard isActive, standby?.mustPublish == true, pipeline.items.phase == .present else { return }
        standby?.mustPublish = false
        for event in standby?.unpublished.release() ?? [] {
            site.pipeline.reports.items.write(handedOut: event, isLate: true, site.pipeline.effects)
        }
    }

    // MARK: Which aggregator is active

    /// Lets time pass for the question which of several aggregators is active.
    mutating func advanceStandby(to moment: Moment) {
        guard let (receivedAt, away) = standby.map({ ($0.seat.receivedAt, $0.away) }) else { return }
        pipeline.effects.now = moment
        standby?.unpublished.age(at: moment.instant, receivedAt: receivedAt)
        if site.pipeline.reports.items.takeOver(
            away: away, &site.pipeline.reports.gateways, &site.pipeline.effects)
        {
            standby?.forgetAway()
        }
        if !isActive, pipeline.status.isConnected { advanceFollowed(by: "this aggregator") }
        switch standby?.seat.advance(to: moment.instant) {
        case .claim:
            site.log(.notice, "No aggregator is active: this one takes over")
            actions.append(.claimSeat)
        case .release:
            site.stopsPublishing()
            actions.append(.releaseSeat)
        case .ask: actions.append(.publishOnOwnConnection(OutgoingMessage(question, under: configuration.prefix)))
        case nil: break
        }
    }

    /// The request by which the active aggregator is asked whether it lives, or what it has published while this one received nothing.
    private var question: Message {
        guard let missed = standby?.missed else { return Message(.request(.alive), bytes: Request.bytes()) }
        return Message(.request(.history), bytes: Request.bytes(of: missed, transaction: ownTransaction))
    }

    private var ownTransaction: JSONValue { .string("standby-\(pipeline.effects.boot)") }

    private mutating func act(on consequence: Standby.Consequence?) {
        switch consequence {
        case .takeOver: takeOver()
        case .leaveToOther:
            // What the broker has not delivered is the other's to publish.
            let withdrawn = pipeline.events.withdraw().compactMap { try? ItemEvent(parsing: $0.payload) }
            let undelivered = withdrawn.filter { standby?.hasReceived(own: $0.seq) == false }
            let now = pipeline.effects.now.instant
            standby?.unpublished.addPending(undelivered, at: now)
        case nil: break
        }
    }

    /// Everything that the predecessor published has been received: this aggregator publishes from now on.
    private mutating func takeOver() {
        pipeline.effects.note("This aggregator (\(standby?.name ?? "")) is active from now on")
        pipeline.takeOver(from: followed.manifest)
        followed.diverge()
        standby?.mustPublish = true
        publishUnpublished()
        standby?.seat.tookOver()
        pipeline.publishStates()
        for id in standby?.notified.sorted() ?? [] where pipeline.items.table[id]?.retainedNotification == nil {
            pipeline.effects.publish(.clearing(.itemNotification(item: id)))
        }
        pipeline.effects.add(.storeSiteNow)
        site.pipeline.reports.items.lookAtAll(at: pipeline.effects.now.instant)
    }

    // MARK: What the others publish

    /// Receives a message that concerns several aggregators; returns whether nothing else is to be done with it.
    mutating func receive(
        ofStandby topic: Topic, _ payload: [UInt8], isRetained: Bool
    ) throws(PayloadRefusal) -> Bool {
        guard standby != nil else { return false }
        let now = pipeline.effects.now.instant
        switch topic {
        case .aggregatorAvailability:
            guard Availability(parsing: payload) == .offline else { return true }
            if !isRetained { standby?.seat.receivedOffline(at: now) }
            // The will of a predecessor may come late.
            if isActive { pipeline.publishOnline() }
        case .aggregatorInfo:
            guard !payload.isEmpty else { return true }
            let info = try AggregatorInfo(parsing: payload)
            let isOwn = info.stamp.boot == pipeline.effects.boot
            if let people = info.people, !isOwn, !isActive { pipeline.removePeople(missingIn: people) }
            let consequence = standby?.receivedInfo(isOwn: isOwn, isRetained: isRetained, at: now)
            act(on: consequence)
        case .aggregatorMember(let name):
            if standby?.receive(member: name, Availability(parsing: payload)) == true { pipeline.effects.infoChanged() }
        // Those on standby respond to these as well.
        case .response(.stays), .response(.forgotten): break
        case .response(.history): if !isActive, !isRetained { try receive(missed: payload) }
        case .aggregatorResponse: if !isActive, !isRetained { standby?.seat.receivedResponse(at: now) }
        case .request(.history):
            let asked = try? Request(parsing: payload).body(HistoryRequest.self)
            guard let name = asked?.aggregator else { return !isActive }
            if !isRetained, name == standby?.name { pipeline.respond(SiteRequest.history.rawValue, payload) }
        // The page's connection, which has the history, responds.
        case .request(.forgotten) where configuration.hasHistory && !isRetained: break
        case .itemEvent:
            guard !isRetained else { return true }
            receive(try ItemEvent(parsing: payload, on: topic))
        case .registryManifest, .registryPart, .registryItem, .registryRegion:
            return try receive(registry: topic, payload)
        default: return isActive ? false : try receiveOnStandby(topic, payload, isRetained: isRetained)
        }
        return true
    }

    /// Receives the event of an item, published by this aggregator or another one.
    private mutating func receive(_ event: ItemEvent) {
        guard event.stamp.boot != pipeline.effects.boot else {
            standby?.received(own: event.seq)
            return
        }
        let now = pipeline.effects.now.instant
        let consequence = standby?.receivedAnother(at: now)
        act(on: consequence)
        receive(published: event)
        guard !isActive else { return }
        site.pipeline.reports.items.takeOver(event, site.pipeline.effects)
        switch event.change {
        case .moved(_, let room): adopt(room: room, isAnnounced: true, of: event.item)
        case .returned(let room): adopt(room: room, isAnnounced: true, of: event.item)
        case .left, .forgotten, .taken, .alone, .low: break
        }
    }

    private mutating func receive(published event: ItemEvent) {
        guard pipeline.items.table.place(of: event.item) != nil else { return }
        let now = pipeline.effects.now.instant
        standby?.unpublished.receive(event, at: now)
    }

    /// Receives what the active aggregator has published while this one received nothing.
    private mutating func receive(missed payload: [UInt8]) throws(PayloadRefusal) {
        let response = try Response<HistoryResponse>(parsing: payload)
        guard response.transaction == ownTransaction, standby?.missed != nil, case .done(let page) = response.outcome
        else { return }
        for event in page.events where event.stamp.boot != pipeline.effects.boot { receive(published: event) }
        let now = pipeline.effects.now.instant
        standby?.receivedMissed(behind: page.more ? page.events.last?.id : nil, at: now)
    }

    /// Takes over a room, unless an event of the item waits for the active aggregator.
    private mutating func adopt(room: String?, isAnnounced: Bool = false, of item: String) {
        guard let room, standby?.unpublished.hasPending(item) == false else { return }
        site.pipeline.reports.items.adopt(room: room, isAnnounced: isAnnounced, of: item, &site.pipeline.effects)
    }

    /// Receives a message that an active aggregator would treat otherwise; returns whether that was one.
    private mutating func receiveOnStandby(
        _ topic: Topic, _ payload: [UInt8], isRetained: Bool
    ) throws(PayloadRefusal) -> Bool {
        switch topic {
        case .itemLocation(let id):
            guard !payload.isEmpty, pipeline.items.table.place(of: id) != nil else { return true }
            let location = try ItemLocation(parsing: payload, on: topic)
            guard location.stamp.boot != pipeline.effects.boot else { return true }
            standby?.noteAway(location, of: id)
            site.pipeline.reports.items.adoptLastSeen(published: payload, of: id, site.pipeline.effects)
            if location.presence == .home { adopt(room: location.room, of: id) }
        case .itemNotification(let id):
            standby?.note(isNotified: !payload.isEmpty, id)
            let published = payload.isEmpty ? nil : try Notification(parsing: payload, on: topic)
            site.pipeline.reports.items.takeOver(published, of: id, &site.pipeline.effects)
        case .personLocation(let id):
            pipeline.takeOver(person: id, payload.isEmpty ? nil : try PersonLocation(parsing: payload, on: topic))
        case .aggregatorRequest(let what):
            // What these change is not in the registry; the active aggregator responds.
            if !isRetained, SiteRequest(rawValue: what)?.isShared == true { pipeline.respond(what, payload) }
        default: return false
        }
        return true
    }

    /// Receives a part of the registry, published by the active aggregator, this one perhaps; returns whether that is all to be done with it.
    private mutating func receive(registry topic: Topic, _ payload: [UInt8]) throws(PayloadRefusal) -> Bool {
        let now = pipeline.effects.now.instant
        guard !isActive else {
            // Its own publications come back: if another one becomes active, the broker does not send them again.
            _ = try? followed.receive(topic, payload, at: now)
            return false
        }
        guard try followed.receive(topic, payload, at: now) else { return true }
        let gone = pipeline.takeOver(registry: followed, followed.drainChanges())
        // What this aggregator decided of an item that is gone, or carries another beacon, is nobody's event.
        standby?.unpublished.forget { !gone.contains($0) }
        return true
    }
}
