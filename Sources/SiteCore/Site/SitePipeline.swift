import Beacons
import Delivery
import HomeAssistant
import EventLogs
import Locating
import Messages

/// The aggregator's decisions: messages of the broker and time go in, one location per item comes out.
///
/// The pipeline hands each message to the part that decides about it, and the parts write what they decide to `effects`. It uses no socket, clock
/// or log, and checks every payload.
package struct SitePipeline: Sendable {
    static let infoPeriod = Interval.seconds(30)
    /// How often items are looked at. A location is published at most this often.
    static let stepPeriod = Interval.seconds(1)
    /// How long the broker has to deliver retained messages after a connect. Until then, the absence of a message means nothing.
    static let settling = Interval.seconds(3)
    /// How long a cleared state still counts: the exit may be on its way, because the broker acknowledges it.
    static let grace = Interval.seconds(2)
    /// How long an enter counts without a ranged state. The first ranged state follows within a second or two and states how long it is valid.
    static let firstWord = Interval.seconds(25)

    var configuration: AggregatorConfiguration
    /// What the present step decides.
    var effects: SiteEffects

    /// The registry, and what the broker holds of it.
    var registryPublisher: RegistryPublisher
    var gateways: Gateways
    var items: ItemLocations
    /// Whether a gateway is new or has another room. The model of the site follows with the next step.
    var areRoomsStale = false
    /// Which gateways receive anything at all.
    var reception = Reception()
    var problems: [String] = []
    var regions = RegionPresence()
    /// Why the disk cannot be written; `nil`: it can.
    var diskProblem: String?
    /// When the broker has had the time to deliver retained messages; `nil` after that.
    private var unsettled: Instant?
    private(set) var isConnected = false
    private var onlineAgain = OnlineAgain()
    private var nextStep: Instant
    var nextInfo: Instant
    /// What happened during an absence, while it is collected.
    var catchUp: CatchUp? { didSet { items.phase = catchUp == nil ? .present : .collecting } }
    /// The discovery messages for Home Assistant.
    var announcements: Announcements
    /// The registry of the aggregator that writes it, if this one has a name or is on standby.
    var followed = FollowedRegistry()
    /// What this aggregator knows of the others, if there are several for the site.
    var standby: Standby? { didSet { items.events.isActive = isActive } }

    package init(_ configuration: AggregatorConfiguration, boot: Boot, stored: StoredSite?, at start: Moment) {
        self.configuration = configuration
        effects = SiteEffects(prefix: configuration.prefix, boot: boot, at: start)
        gateways = Gateways(at: start.instant)
        registryPublisher = RegistryPublisher(
            SiteRegistry(configuration, stored: stored, boot: boot), at: start.instant)
        items = ItemLocations(
            configuration, events: ItemEvents(boot: boot, publishedAtWrite: stored?.lastPublished),
            settlesAt: start.instant + Self.settling)
        if let settings = configuration.standby {
            standby = Standby(settings)
            (items.events.unpublished, items.events.isActive) = (UnpublishedEvents(), false)
        }
        items.division.restore(stored)
        announcements = Announcements(
            configuration.homeAssistant, own: configuration.prefix, by: configuration.subscribe.name)
        nextStep = start.instant + Self.stepPeriod
        nextInfo = start.instant + Self.infoPeriod
        gateways.configure(configuration.site.gateways)
        if let stored, isNamed { followed.restore(stored) }
        items.match(registry, at: start.instant)
        if let stored {
            gateways.restore(stored)
            items.restore(stored, at: start)
        }
        items.lookAtAll(at: start.instant)
        if stored?.revision != registry.revision { effects.add(.storeSite) }
    }

    var now: Moment {
        get { effects.now }
        set { effects.now = newValue }
    }
    /// What stands before each topic.
    var prefix: TopicPrefix { effects.prefix }
    var boot: Boot { effects.boot }
    /// The aggregator's own registry.
    var registry: SiteRegistry {
        _read { yield registryPublisher.registry }
        _modify { yield &registryPublisher.registry }
    }

    /// The event log of the items' events.
    package var log: EventLog {
        _read { yield items.events.log }
        _modify { yield &items.events.log }
    }
    /// What is learned from the items about the rooms.
    var study: Study {
        _read { yield items.study }
        _modify { yield &items.study }
    }
    /// Whether responses wait for `readLog`.
    package var isReadingLog: Bool { items.events.isReading }

    /// Takes one message from the broker.
    package mutating func take(topic name: String, payload: [UInt8], isRetained: Bool, at moment: Moment) {
        now = moment
        if take(homeAssistant: name, payload, isRetained: isRetained) { return }
        guard let topic = Topic(named: name, under: prefix) else { return effects.refuse("topic") }
        do throws(PayloadRefusal) {
            if try take(divided: topic, payload, isRetained: isRetained) { return }
            if try take(member: topic, payload, isRetained: isRetained) { return }
            switch topic {
            case .gatewayAvailability(let gateway): take(availability: payload, of: gateway)
            case .gatewayInfo(let gateway): try take(info: payload, of: gateway, topic, isLive: !isRetained)
            case .regionState(let region, let gateway):
                gateways[gateway]?.note(topic, isTakenBack: payload.isEmpty)
                if payload.isEmpty {
                    regions.forget(region, at: gateway)
                } else {
                    regions.take(try RegionState(parsing: payload, on: topic).state, ofRegion: region, at: gateway)
                }
            case .proximity(let beacon, let gateway):
                gateways[gateway]?.note(topic, isTakenBack: payload.isEmpty)
                try take(proximity: payload, of: beacon, from: gateway, topic, isLive: !isRetained)
            case .beaconEvent(_, let gateway):
                guard !isRetained else { return effects.refuse("retained_event") }
                take(.beacon(try BeaconEvent(parsing: payload, on: topic)), from: gateway)
            case .regionEvent(_, let gateway):
                guard !isRetained else { return effects.refuse("retained_event") }
                take(.region(try RegionEvent(parsing: payload, on: topic)), from: gateway)
            case .gatewayResponse(let gateway, "events"):
                guard let isPresent = try gateways.take(response: payload, of: gateway, &effects) else { return }
                if isPresent { catchUp?.received(of: gateway) }
                applyReady(of: gateway)
                gateways.ask(gateway, isUrgent: catchUp != nil, &effects)
            case .registryManifest, .registryPart, .registryItem, .registryRegion:
                registryPublisher.take(topic, payload, &effects)
            case .itemLocation(let item): takeBack(topic, unless: registry.items[item] != nil, payload)
            case .itemNotification(let item):
                takeBack(topic, unless: items[item]?.notification?.published != nil, payload)
            case .itemAcknowledge(let item):
                guard !isRetained else { return effects.refuse("retained_request") }
                items.acknowledge(item, &effects)
            case .roomOccupancy(let room): take(occupancy: payload, of: room, isRetained: isRetained)
            case .aggregatorRequest(let what):
                guard !isRetained else { return effects.refuse("retained_request") }
                if !registryPublisher.defer(what, payload) { respond(what, payload) }
            default: break
            }
        } catch {
            effects.refuse(error.name)
        }
    }

    /// Lets time pass: reports expire, beliefs follow, and changes are published.
    package mutating func advance(to moment: Moment) {
        now = moment
        guard moment.instant >= nextStep else { return }
        nextStep = moment.instant + Self.stepPeriod
        guard isConnected else { return }
        if onlineAgain.takeDue(at: moment.instant), isActive {
            effects.publish(Message(availabilityTopic, .online))
        }
        if areRoomsStale { roomsChanged() }
        if isActive {
            if !isNamed {
                tendRegistry()
                registryPublisher.publishManifestIfDue(&effects)
            }
            announceIfDue()
        }
        advanceDivision()
        for gateway in gateways.ids {
            weigh(gateway)
            applyReady(of: gateway)
            gateways.ask(gateway, isUrgent: catchUp != nil, &effects)
        }
        catchUpIfComplete()
        findDeafGateways()
        if let settles = unsettled, moment.instant >= settles {
            // From now on the absence of reports counts, so every item is looked at.
            unsettled = nil
            items.lookAtAll(at: moment.instant)
        }
        items.lookAtDue(mayNotify: eventsMayGo, gateways, &effects)
        if gateways.learnOffsets(&effects) { roomsChanged() }
        advanceStudy()
        if moment.instant >= nextInfo { publishInfo() }
    }

    /// When `advance` has to be called next, if no message arrives before.
    package var nextDeadline: Instant { nextStep }

    /// Goes on with one of the responses that need the event log's disk.
    ///
    /// - Parameter disk: gives the events that stand on the disk; `nil`: the disk cannot be read now.
    package mutating func readLog(_ disk: (EventSpan, Catalogue) -> [Entry]?) { items.events.read(&effects, disk) }

    /// Everything that has been decided since the last call.
    package mutating func takeOutputs() -> [SiteOutput] {
        if effects.isInfoDue { publishInfo() }
        return effects.takeOutputs()
    }

    /// The broker is connected. It may have lost its retained messages, so everything is published again.
    package mutating func connected(at moment: Moment) {
        now = moment
        isConnected = true
        onlineAgain.connected(at: moment.instant)
        items.settlesAt = max(items.settlesAt, moment.instant + Self.settling)
        unsettled = items.settlesAt
        registryPublisher.connected()
        division.connected(at: moment.instant)
        beginCatchingUp()
        announcements.begin(at: items.settlesAt)
        republish(at: moment)
    }

    /// Publishes everything that the broker retains: it may have refused a part before.
    mutating func republish(at moment: Moment) {
        now = moment
        effects.publish(Message(availabilityTopic, .online))
        publishShares()
        registryPublisher.publishAll(&effects)
        publishStates()
    }

    /// Publishes the present state of all items again.
    mutating func publishStates() {
        effects.infoChanged()
        for id in items.keys.sorted() {
            items.publish(id, &effects)
            if let record = items[id], let published = record.notification?.published, !items.isOutdated(record) {
                effects.publish(.itemNotification(item: id), published)
            }
        }
    }

    /// The connection to the broker ended. Until what the gateways publish meanwhile has arrived, their silence means nothing.
    package mutating func disconnected(at moment: Moment) {
        now = moment
        isConnected = false
        onlineAgain.disconnected()
        registryPublisher.disconnected()
        followed.connectionLost()
        catchUp = nil
        announcements.connectionLost()
    }

    /// The last messages before the connection is closed.
    package mutating func farewell(at moment: Moment) -> [Message] {
        now = moment
        for id in items.keys where items[id]?.isDirty == true { items.publish(id, &effects) }
        publishInfo()
        effects.publish(Message(availabilityTopic, .offline))
        return takeOutputs().compactMap { if case .publish(let message) = $0 { message } else { nil } }
    }

    /// The present moment in the form that the event log's disk uses.
    package var writtenAt: WrittenAt {
        WrittenAt(
            uptime: .zero + (effects.now.instant - effects.startedAt), wall: effects.now.wall,
            isSynchronised: effects.now.isSynchronised)
    }

    /// Notes whether the disk can be written, and reports a change.
    mutating func note(diskProblem problem: String?) {
        guard problem != diskProblem else { return }
        diskProblem = problem
        effects.note(problem ?? "The disk can be written again")
        effects.infoChanged()
    }

    /// Follows a change of these items and regions of the registry: they are published and go to the disk.
    mutating func registryChanged(items ids: [String] = [], regions: [String] = []) {
        effects.unwritten.regions.formUnion(regions)
        items.match(ids, registry, at: effects.now.instant)
        for id in ids {
            effects.unwritten.note(item: id)
            announcements.changed(item: id, isRemoved: registry.items[id] == nil)
        }
        effects.add(.storeSiteNow)
        registryPublisher.changed(items: ids, regions: regions, &effects)
        effects.infoChanged()
    }

    /// Compares the broker's registry with ours after a connect, and follows what comes of it.
    private mutating func tendRegistry() {
        guard let judgement = registryPublisher.tend(isSettled: effects.now.instant >= items.settlesAt, &effects) else {
            return
        }
        if judgement.isTakenUp {
            items.match(registry, at: effects.now.instant)
            for id in registry.items.keys.sorted() { announcements.changed(item: id) }
        }
        for request in judgement.requests { respond(request.what, request.payload) }
    }

    /// Clears a retained message on one of the aggregator's topics, unless it belongs there.
    private mutating func takeBack(_ topic: Topic, unless belongs: Bool, _ payload: [UInt8]) {
        if !belongs, !payload.isEmpty { effects.publish(.clearing(topic)) }
    }

    /// Publishes the aggregator's `info`.
    mutating func publishInfo() {
        nextInfo = effects.now.instant + Self.infoPeriod
        effects.infoPublished()
        // Not every broker sends what it retains to a filter with wildcards.
        publishShares()
        let alive = gateways.all.count { $0.isAlive(at: effects.now.instant) }
        effects.publish(
            infoTopic,
            AggregatorInfo(
                version: version, stamp: effects.stamp(of: effects.now.instant), items: items.count,
                gatewaysAlive: alive,
                gatewaysGone: gateways.count - alive, log: log.ranges, revision: registry.revision,
                problems: problems + [diskProblem].compactMap { $0 } + registryPublisher.problems
                    + (isConnected ? registryPublisher.followProblems(of: gateways.all, at: effects.now.instant) : [])
                    + announcements.problems(at: effects.now.instant) + gateways.problems + sensorProblems
                    + divisionProblems
                    + registry.conflicts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" },
                active: standby?.name, standby: standbyNames))
    }
}
