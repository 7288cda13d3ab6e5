import Beacons
import Locating
import Messages

/// Receives what gateways publish, and applies it to the gateways' records, to the items and to the regions.
///
/// Ranged states are applied as they arrive. Numbered events are applied once and in order, and after an absence in the order in which they
/// happened.
struct GatewayReports: Sendable {
    var gateways: Gateways
    var items: ItemLocations
    private var regions = RegionPresence()
    private(set) var formerRooms = FormerRooms()
    /// The rooms, doors and gateways of the configuration.
    private var settings: SiteConfiguration

    init(_ settings: SiteConfiguration, items: ItemLocations, at now: Instant) {
        self.settings = settings
        self.items = items
        gateways = Gateways(at: now)
        gateways.configure(settings.gateways)
    }

    /// Continues with the gateways and the states of items that a former process stored.
    mutating func restore(_ stored: StoredSite, at now: Moment) {
        gateways.restore(stored)
        formerRooms = FormerRooms(stored)
        items.restore(stored, at: now)
    }

    /// Applies the rooms, doors and gateways of another configuration.
    mutating func configure(_ settings: SiteConfiguration) {
        self.settings = settings
        gateways.configure(settings.gateways)
    }

    // MARK: Connections

    /// The broker is connected, and delivers what it retains until `settlesAt`.
    mutating func connected(settlesAt: Instant, at now: Instant) {
        gateways.connected()
        missedTime(settlesAt: settlesAt, at: now)
    }

    /// Nothing was read for a while, or nothing arrived: what happened meanwhile arrives now.
    mutating func missedTime(settlesAt: Instant, at now: Instant) {
        items.connected(settlesAt: settlesAt)
        if items.catchUp == nil { items.beginCatchingUp(with: gateways, at: now) }
    }

    /// Until what the gateways publish meanwhile has arrived, their silence means nothing.
    mutating func disconnected(at now: Instant) {
        items.stopCatchingUp()
        gateways.disconnected(at: now)
    }

    mutating func forget(regions ids: some Sequence<String>) { for id in ids { regions.forget(id) } }

    // MARK: What gateways publish

    /// Receives a message of a gateway or about an item. Other topics are ignored.
    mutating func receive(
        _ topic: Topic, _ payload: [UInt8], isRetained: Bool, _ registry: SiteRegistry, _ effects: inout SiteEffects
    ) throws(PayloadRefusal) {
        switch topic {
        case .gatewayAvailability(let gateway):
            receive(availability: payload, of: gateway, isLive: !isRetained, &effects)
        case .gatewayInfo(let gateway):
            try receive(info: payload, of: gateway, topic, isLive: !isRetained, registry, &effects)
        case .gatewayResponse(let gateway, GatewayRequest.events.rawValue):
            try receive(response: payload, of: gateway, registry, &effects)
        case .regionState(let region, let gateway):
            gateways[gateway]?.note(topic, isTakenBack: payload.isEmpty)
            try regions.receive(state: payload, of: region, at: gateway, topic)
        case .proximity(let beacon, let gateway):
            // Of a new gateway, the state makes the record.
            defer { gateways[gateway]?.note(topic, isTakenBack: payload.isEmpty) }
            try receive(
                proximity: payload, of: beacon, from: gateway, topic, isLive: !isRetained, registry, &effects)
        case .beaconEvent(_, let gateway), .regionEvent(_, let gateway):
            guard !isRetained else { return effects.refuse("retained_event") }
            let event: LoggedEvent =
                if case .beaconEvent = topic {
                    .beacon(try BeaconEvent(parsing: payload, on: topic))
                } else {
                    .region(try RegionEvent(parsing: payload, on: topic))
                }
            receive(event, from: gateway, registry, &effects)
        default: items.receive(topic, payload, isRetained: isRetained, registry, &effects)
        }
    }

    /// Whether a gateway has a record; a new one gets one, unless there are too many.
    private mutating func know(_ gateway: String, _ effects: inout SiteEffects) -> Bool {
        let admission = gateways.admit(gateway, &effects)
        if admission == .new { effects.devices.append(.changedGateway(gateway)) }
        return admission != .ignored
    }

    private mutating func receive(
        availability payload: [UInt8], of gateway: String, isLive: Bool, _ effects: inout SiteEffects
    ) {
        guard !payload.isEmpty else {
            gateways[gateway]?.receive(nil, at: effects.now.instant)
            return
        }
        guard let availability = Availability(parsing: payload) else { return effects.refuse("availability") }
        guard know(gateway, &effects) else { return }
        gateways[gateway]?.receive(availability, isLive: isLive, at: effects.now.instant)
        if availability == .online { gateways[gateway]?.events.mayAskAnew() }
        items.weigh(gateway, &gateways, &effects)
    }

    private mutating func receive(
        info payload: [UInt8], of gateway: String, _ topic: Topic, isLive: Bool, _ registry: SiteRegistry,
        _ effects: inout SiteEffects
    ) throws(PayloadRefusal) {
        guard !payload.isEmpty else { return }
        let info = try GatewayInfo(parsing: payload, on: topic)
        guard know(gateway, &effects) else { return }
        // Right after a connect the broker delivers what it queued meanwhile: such an info can be as old as the absence was long.
        let isSettled = items.isSettled(at: effects.now.instant)
        if isLive, isSettled, let record = gateways[gateway], record.lacksOnline(info, at: effects.now.instant) {
            effects.publish(Message(.gatewayAvailability(gateway: gateway), .online))
            gateways[gateway]?.receive(.online, at: effects.now.instant)
        }
        let isAnew = gateways.boot(of: gateway) != info.stamp.boot
        let change = gateways.receive(info, of: gateway, isLive: isLive && isSettled, &effects)
        if isAnew { items.begins(info.stamp.boot, of: gateway, gateways, at: effects.now.instant) }
        if isLive {
            items.catchUp?.awaited.insert(gateway)
        } else if gateways.wasDown(info) {
            items.catchUp?.awaited.remove(gateway)
        }
        if change.room, gateways.isOverridden(gateway) { effects.infoChanged() }
        if change.room || change.device { effects.devices.append(.changedGateway(gateway)) }
        if items.catchUp == nil, gateways[gateway]?.takeKnowsAgain(at: effects.now.instant) == true {
            items.giveUp(silentAt: gateway, &gateways, &effects)
        }
        advance(gateway, registry, &effects)
    }

    private mutating func receive(
        proximity payload: [UInt8], of beacon: BeaconIdentity, from gateway: String, _ topic: Topic, isLive: Bool,
        _ registry: SiteRegistry, _ effects: inout SiteEffects
    ) throws(PayloadRefusal) {
        guard let id = registry.item(of: beacon) else {
            if isLive { try gateways.receive(proximity: payload, ofSender: beacon, at: gateway, topic) }
            return
        }
        guard let place = items.table.place(of: id) else { return }
        guard !payload.isEmpty else { return items.rangingEnded(of: id, at: gateway, gateways, &effects) }
        let state = try RangedState(parsing: payload, on: topic)
        guard know(gateway, &effects) else { return }
        if isLive { gateways[gateway]?.learn(state.stamp, at: effects.now.instant) }
        // A retained state of an earlier run was never cleared: the gateway was killed.
        if !isLive, let boot = gateways.boot(of: gateway), boot != state.stamp.boot { return }
        guard items.accepts(state, at: place, from: gateway) else { return }
        if gateways.isModelStale { updateModel(&effects) }
        if items.apply(state, at: place, from: gateway, isLive: isLive, gateways, &effects) {
            gateways[gateway]?.note(item: id)
            effects.devices.append(.received(item: id, at: gateway))
        }
    }

    /// Receives a response to a request for missing events.
    private mutating func receive(
        response payload: [UInt8], of gateway: String, _ registry: SiteRegistry, _ effects: inout SiteEffects
    ) throws(PayloadRefusal) {
        guard try gateways.receive(response: payload, of: gateway, &effects) else { return }
        applyReady(of: gateway, registry, &effects)
        gateways.ask(gateway, isUrgent: items.catchUp != nil, &effects)
    }

    // MARK: Numbered events

    /// Receives an event of a beacon or of a region. Both have numbers of the same log.
    private mutating func receive(
        _ event: LoggedEvent, from gateway: String, _ registry: SiteRegistry, _ effects: inout SiteEffects
    ) {
        guard know(gateway, &effects), gateways[gateway]?.events.receive(event, at: effects.now.instant) == true
        else { return }
        applyReady(of: gateway, registry, &effects)
    }

    /// Applies the events of a gateway whose turn it is.
    private mutating func applyReady(of gateway: String, _ registry: SiteRegistry, _ effects: inout SiteEffects) {
        guard items.catchUp == nil else { return }
        for event in gateways[gateway]?.events.drainReady(at: effects.now.instant) ?? [] {
            apply(event, of: gateway, at: nil, isContested: false, registry, &effects)
        }
    }

    /// - Parameter instant: when the event happened, if that is known better than by the gateway's clock.
    private mutating func apply(
        _ event: LoggedEvent, of gateway: String, at instant: Instant?, isContested: Bool, _ registry: SiteRegistry,
        _ effects: inout SiteEffects
    ) {
        // After a restart it has to be known which events were applied, even if nothing else changes.
        effects.unwritten.gateways.insert(gateway)
        effects.add(.storeSite)
        switch event {
        case .region(let event):
            guard items.part.writesRegistry, regions.apply(event), items.phase != .past else { return }
            effects.perform(.notify(event.bytes))
        case .beacon(let event):
            guard let id = registry.item(of: event.beacon) else { return }
            items.apply(
                event, of: id, at: gateway, happened: instant, isContested: isContested, &gateways, &effects)
        // No gateway has events of items.
        case .item: break
        }
    }

    // MARK: Time

    /// Lets time pass for all gateways. Once everything has arrived after an absence, applies the events of all of them in the order in which
    /// they happened, then the present states.
    mutating func advance(_ registry: SiteRegistry, _ effects: inout SiteEffects) {
        for gateway in gateways.ids { advance(gateway, registry, &effects) }
        guard let catchUp = items.beginPast(gateways, &effects) else { return }
        let past = gateways.drainPastEvents(at: effects.now)
        let contested = contestedEnters(past)
        for (index, (event, gateway, instant)) in past.enumerated() {
            apply(event, of: gateway, at: instant, isContested: contested.contains(index), registry, &effects)
        }
        items.endPast(catchUp, gateways, &effects)
    }

    /// The enters of the past that one in another room followed within half a minute: the first gateway to receive an item is often not the
    /// nearest.
    private func contestedEnters(_ past: [(event: LoggedEvent, gateway: String, at: Instant)]) -> Set<Int> {
        var contested: Set<Int> = []
        var next: [BeaconIdentity: (at: Instant, room: String?, isContested: Bool)] = [:]
        for index in past.indices.reversed() {
            guard case .beacon(let event) = past[index].event, event.transition == .enter else { continue }
            let (at, room) = (past[index].at, gateways.room(of: past[index].gateway) ?? event.room)
            let isContested = next[event.beacon].map {
                ($0.room != room || $0.isContested) && $0.at - at <= .seconds(30)
            }
            if isContested == true { contested.insert(index) }
            next[event.beacon] = (at, room, isContested ?? false)
        }
        return contested
    }

    /// Lets time pass for one gateway.
    private mutating func advance(_ gateway: String, _ registry: SiteRegistry, _ effects: inout SiteEffects) {
        items.weigh(gateway, &gateways, &effects)
        applyReady(of: gateway, registry, &effects)
        gateways.ask(gateway, isUrgent: items.catchUp != nil, &effects)
    }

    /// Looks at items whose time has come, and at what is learned from all of them.
    ///
    /// - Parameter mayNotify: whether notifications may be published now.
    mutating func lookAtItems(mayNotify: Bool, _ effects: inout SiteEffects) {
        items.findDeafGateways(&effects)
        items.lookAtDue(mayNotify: mayNotify, gateways, &effects)
        if gateways.learnOffsets(&effects) { updateModel(&effects) }
        let isSettled = items.isSettled(at: effects.now.instant)
        items.study.advance(items.surroundings.model.site, isSettled: isSettled, &effects)
    }

    // MARK: The model of the site

    /// Has the model of the site follow the present gateways and rooms, if one of them has changed, or what has become of them is open. Called once a
    /// second, and before a response.
    mutating func updateModelIfStale(_ effects: inout SiteEffects) {
        if gateways.isModelStale || formerRooms.isOpen { updateModel(&effects) }
    }

    /// Has the model of the site follow the present gateways and rooms.
    mutating func updateModel(_ effects: inout SiteEffects) {
        let former = formerRooms.site
        // A gateway that is down since a restart has the room of the configuration, too.
        let configured = Set(settings.gateways.filter { $0.room != nil }.map(\.id))
        let reported = gateways.makeSite(settings, and: former.gateways.filter { configured.contains($0.id) })
        let changes = formerRooms.follow(
            reported, isKnown: { gateways[$0] != nil }, isSettled: items.isSettled(at: effects.now.instant),
            at: effects.now.instant)
        let changed = Set(formerRooms.site.gateways).symmetricDifference(former.gateways)
        if !changed.isEmpty {
            effects.unwritten.gateways.formUnion(changed.map(\.id))
            effects.add(.storeSite)
        }
        for gateway in changes.carried { gateways.forgetReception(of: gateway) }
        items.adopt(gateways.makeSite(settings, and: formerRooms.site.gateways), changes, formerly: former, &effects)
    }

    /// Removes a gateway that is not alive, as a user asks for.
    mutating func remove(gateway id: String, _ effects: inout SiteEffects) throws(Refused) {
        guard let gateway = gateways[id] else { throw .unknown("gateway", id, among: gateways.all.map(\.id).sorted()) }
        guard items.isSettled(at: effects.now.instant) else {
            throw Refused(
                "The aggregator has just started, and does not know yet whether \(id) is alive: try again in a few seconds."
            )
        }
        guard gateway.availability == .offline || !gateway.isAlive(at: effects.now.instant) else {
            throw Refused("\(gateway.id) is alive: stop it first, or it comes back at once.")
        }
        forget(gateway: id, clearing: true, &effects)
    }

    /// Forgets a gateway, and with `clearing` clears what the broker retains of it.
    mutating func forget(gateway: String, clearing: Bool, _ effects: inout SiteEffects) {
        items.forget(gateway: gateway, &gateways, clearing: clearing, &effects)
        effects.devices.append(.removedGateway(gateway))
        updateModel(&effects)
        effects.infoChanged()
    }

    /// What is wrong with gateways and sensors, as sentences for `info`.
    func problems(isConnected: Bool, _ effects: SiteEffects) -> [String] {
        let problems = gateways.problems(at: effects.now)
        guard isConnected, items.isSettled(at: effects.now.instant) else { return problems }
        return problems + [items.surroundings.sensorProblem(under: effects.prefix)].compactMap { $0 }
    }
}
