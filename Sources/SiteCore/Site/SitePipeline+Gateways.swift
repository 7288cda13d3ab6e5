import Beacons
import EventLogs
import Locating
import Messages

/// Hands what gateways publish to `Gateways`, which knows the gateways and their numbered events, and to `ItemLocations`.
extension SitePipeline {
    /// Whether a gateway has a record; a new one gets one, unless there are too many.
    private mutating func know(_ gateway: String) -> Bool {
        let admission = gateways.admit(gateway, &effects)
        if admission == .new { announcements.changed(gateway: gateway) }
        return admission != .ignored
    }

    mutating func receive(availability payload: [UInt8], of gateway: String) {
        guard !payload.isEmpty else {
            gateways[gateway]?.availability = nil
            return
        }
        guard let availability = Availability(parsing: payload) else { return effects.refuse("availability") }
        guard know(gateway) else { return }
        gateways[gateway]?.availability = availability
        if availability == .offline {
            items.catchUp?.received(of: gateway)
        } else {
            gateways[gateway]?.events.mayAskAnew()
        }
        items.weigh(gateway, &gateways, &effects)
    }

    mutating func receive(
        info payload: [UInt8], of gateway: String, _ topic: Topic, isLive: Bool
    ) throws(PayloadRefusal) {
        guard !payload.isEmpty else { return }
        let info = try GatewayInfo(parsing: payload, on: topic)
        guard know(gateway) else { return }
        // Right after a connect the broker delivers what it queued meanwhile: such an info can be as old as the absence was long.
        let change = gateways.receive(info, of: gateway, isLive: isLive && isSettled, &effects)
        items.catchUp?.received(of: gateway)
        if change.room || change.version { announcements.changed(gateway: gateway) }
        advance(gateway)
    }

    mutating func receive(
        proximity payload: [UInt8], of beacon: BeaconIdentity, from gateway: String, _ topic: Topic, isLive: Bool
    ) throws(PayloadRefusal) {
        guard let id = registry.item(of: beacon) else {
            if isLive { try gateways.receive(proximity: payload, ofSender: beacon, at: gateway, topic) }
            return
        }
        guard let place = items.place(of: id) else { return }
        guard !payload.isEmpty else { return items.rangingEnded(of: id, at: gateway, gateways, &effects) }
        let state = try RangedState(parsing: payload, on: topic)
        guard know(gateway) else { return }
        if isLive { gateways[gateway]?.learn(state.stamp, at: effects.now.instant) }
        // A retained state of an earlier run was never cleared: the gateway was killed.
        if !isLive, let boot = gateways.boot(of: gateway), boot != state.stamp.boot { return }
        guard items.accepts(state, at: place, from: gateway) else { return }
        if gateways.isModelStale { roomsChanged() }
        if items.apply(state, at: place, from: gateway, isLive: isLive, gateways, &effects) {
            gateways[gateway]?.note(item: id)
            announcements.receives(item: id, at: gateway, at: effects.now.instant)
        }
    }

    /// Receives a response to a request for missing events.
    mutating func receive(response payload: [UInt8], of gateway: String) throws(PayloadRefusal) {
        guard let isPresent = try gateways.receive(response: payload, of: gateway, &effects) else { return }
        if isPresent { items.catchUp?.received(of: gateway) }
        applyReady(of: gateway)
        gateways.ask(gateway, isUrgent: items.catchUp != nil, &effects)
    }

    /// Receives an event of a beacon or of a region. Both have numbers of the same log.
    mutating func receive(_ event: LoggedEvent, from gateway: String) {
        guard know(gateway), gateways[gateway]?.events.receive(event, at: effects.now.instant) == true else { return }
        applyReady(of: gateway)
    }

    /// Applies the events of a gateway whose turn it is.
    private mutating func applyReady(of gateway: String) {
        guard items.catchUp == nil else { return }
        for event in gateways[gateway]?.events.drainReady(at: effects.now.instant) ?? [] {
            apply(event, of: gateway, at: nil)
        }
    }

    /// - Parameter instant: when the event happened, if that is known better than by the gateway's clock.
    private mutating func apply(_ event: LoggedEvent, of gateway: String, at instant: Instant?) {
        // After a restart it has to be known which events were applied, even if nothing else changes.
        effects.unwritten.gateways.insert(gateway)
        effects.add(.storeSite)
        switch event {
        case .region(let event):
            if !isNamed, regions.apply(event), items.phase != .past { effects.add(.notify(event.bytes)) }
        case .beacon(let event):
            guard let id = registry.item(of: event.beacon) else { return }
            items.apply(event, of: id, at: gateway, happened: instant, &gateways, &effects)
        // No gateway has events of items.
        case .item: break
        }
    }

    /// Lets time pass for one gateway.
    private mutating func advance(_ gateway: String) {
        items.weigh(gateway, &gateways, &effects)
        applyReady(of: gateway)
        gateways.ask(gateway, isUrgent: items.catchUp != nil, &effects)
    }

    /// Lets time pass for all gateways. Once everything has arrived after an absence, applies the events of all of them in the order in which
    /// they happened, then the present states.
    mutating func advanceGateways() {
        for gateway in gateways.ids { advance(gateway) }
        guard let catchUp = items.beginPast(gateways, &effects) else { return }
        for (event, gateway, instant) in gateways.drainPastEvents(at: effects.now) {
            apply(event, of: gateway, at: instant)
        }
        items.endPast(catchUp, gateways, &effects)
    }

    /// Reads the events that former processes published after the site was last written: they are not published again.
    package mutating func restorePublishedEvents(read: (EventSpan, Catalogue) -> [Entry]?) {
        items.recall(items.events.publishedSinceWrite(hasGateways: gateways.count > 0, read))
    }

    /// Has the model of the site follow the present gateways and rooms.
    mutating func roomsChanged() { items.adopt(gateways.makeSite(configuration.site), &effects) }

    /// Forgets a gateway, and clears what the broker keeps of it if that is this aggregator's to do.
    mutating func forget(gateway: String, clearing: Bool) {
        items.forget(gateway: gateway, &gateways, clearing: clearing, &effects)
        announcements.removed(gateway: gateway)
        roomsChanged()
        effects.infoChanged()
    }
}
