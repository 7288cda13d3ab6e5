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
    /// How often items are looked at. A location is published at most this often.
    static let stepPeriod = Interval.seconds(1)
    /// How long the broker has to deliver retained messages after a connect. Until then, the absence of a message means nothing.
    static let settling = Interval.seconds(3)

    var configuration: AggregatorConfiguration
    /// What the present step decides.
    var effects: SiteEffects

    /// The registry, and what the broker holds of it.
    var registryPublisher: RegistryPublisher
    /// The registry of the aggregator that writes it, if this one has a name or is on standby.
    var followed = FollowedRegistry()
    var gateways: Gateways
    var items: ItemLocations
    var regions = RegionPresence()
    /// The discovery messages for Home Assistant.
    var announcements: Announcements
    var info: InfoPublisher
    /// What this aggregator knows of the others, if there are several for the site.
    var standby: Standby? { didSet { items.events.isActive = isActive } }
    private(set) var isConnected = false
    private var onlineAgain = OnlineAgain()
    private var nextStep: Instant

    package init(_ configuration: AggregatorConfiguration, boot: Boot, stored: StoredSite?, at start: Moment) {
        self.configuration = configuration
        effects = SiteEffects(prefix: configuration.prefix, boot: boot, at: start)
        gateways = Gateways(at: start.instant)
        registryPublisher = RegistryPublisher(
            SiteRegistry(configuration, stored: stored, boot: boot), at: start.instant)
        items = ItemLocations(
            configuration, events: ItemEvents(boot: boot, publishedAtWrite: stored?.lastPublished),
            settlesAt: start.instant + Self.settling)
        announcements = Announcements(
            configuration.homeAssistant, own: configuration.prefix, by: configuration.subscribe.name)
        info = InfoPublisher(at: start.instant)
        nextStep = start.instant + Self.stepPeriod
        if let settings = configuration.standby {
            standby = Standby(settings)
            (items.events.unpublished, items.events.isActive) = (UnpublishedEvents(), false)
        }
        items.division.restore(stored)
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
    /// How the site is divided among several aggregators.
    var division: Division { items.division }
    /// Whether this aggregator has a name: it does not write the registry.
    var isNamed: Bool { items.division.isNamed }
    /// Whether the broker had the time to deliver what it retains.
    var isSettled: Bool { effects.now.instant >= items.settlesAt }
    /// Whether responses wait for `readLog`.
    package var isReadingLog: Bool { items.events.isReading }

    // MARK: What happens

    /// Receives one message from the broker.
    package mutating func receive(topic name: String, payload: [UInt8], isRetained: Bool, at moment: Moment) {
        now = moment
        if receive(homeAssistant: name, payload, isRetained: isRetained) { return }
        guard let topic = Topic(named: name, under: prefix) else { return effects.refuse("topic") }
        do throws(PayloadRefusal) {
            if try receive(divided: topic, payload, isRetained: isRetained) { return }
            if try receive(member: topic, payload, isRetained: isRetained) { return }
            switch topic {
            case .gatewayAvailability(let gateway): receive(availability: payload, of: gateway)
            case .gatewayInfo(let gateway): try receive(info: payload, of: gateway, topic, isLive: !isRetained)
            case .regionState(let region, let gateway):
                gateways[gateway]?.note(topic, isTakenBack: payload.isEmpty)
                try regions.receive(state: payload, of: region, at: gateway, topic)
            case .proximity(let beacon, let gateway):
                gateways[gateway]?.note(topic, isTakenBack: payload.isEmpty)
                try receive(proximity: payload, of: beacon, from: gateway, topic, isLive: !isRetained)
            case .beaconEvent(_, let gateway):
                guard !isRetained else { return effects.refuse("retained_event") }
                receive(.beacon(try BeaconEvent(parsing: payload, on: topic)), from: gateway)
            case .regionEvent(_, let gateway):
                guard !isRetained else { return effects.refuse("retained_event") }
                receive(.region(try RegionEvent(parsing: payload, on: topic)), from: gateway)
            case .gatewayResponse(let gateway, "events"): try receive(response: payload, of: gateway)
            case .registryManifest, .registryPart, .registryItem, .registryRegion:
                registryPublisher.receive(topic, payload, &effects)
            case .itemLocation(let item): clearStray(topic, unless: registry.items[item] != nil, payload)
            case .itemNotification(let item):
                clearStray(topic, unless: items[item]?.notification?.published != nil, payload)
            case .itemAcknowledge(let item):
                guard !isRetained else { return effects.refuse("retained_request") }
                items.acknowledge(item, &effects)
            case .roomOccupancy(let room):
                guard configuration.occupancy.isEnabled else { return }
                // What the broker stored is of any age: retained, or sent while this aggregator was not connected.
                items.surroundings.receive(occupancy: payload, of: room, isLive: !isRetained && isSettled, &effects)
            case .aggregatorRequest(let what):
                guard !isRetained else { return effects.refuse("retained_request") }
                if !registryPublisher.defer(what, payload) { respond(what, payload) }
            default: break
            }
        } catch {
            effects.refuse(error.name)
        }
    }

    /// Clears a retained message on one of the aggregator's topics, unless it belongs there.
    private mutating func clearStray(_ topic: Topic, unless belongs: Bool, _ payload: [UInt8]) {
        if !belongs, !payload.isEmpty { effects.publish(.clearing(topic)) }
    }

    /// Lets time pass: reports expire, beliefs follow, and changes are published.
    package mutating func advance(to moment: Moment) {
        now = moment
        guard moment.instant >= nextStep else { return }
        nextStep = moment.instant + Self.stepPeriod
        guard isConnected else { return }
        if onlineAgain.takeDue(at: moment.instant), isActive { publishOnline() }
        if gateways.isModelStale { roomsChanged() }
        if isActive {
            if !isNamed { advanceRegistry() }
            announceIfDue()
        }
        advanceDivision()
        advanceGateways()
        items.findDeafGateways(&effects)
        items.lookAtDue(mayNotify: eventsMayGo, gateways, &effects)
        if gateways.learnOffsets(&effects) { roomsChanged() }
        items.study.advance(items.surroundings.model.site, isSettled: isSettled, &effects)
        if info.isDue(at: moment.instant) { publishInfo() }
    }

    /// When `advance` has to be called next, if no message arrives before.
    package var nextDeadline: Instant { nextStep }

    /// Goes on with one of the responses that need the event log's disk.
    ///
    /// - Parameter disk: gives the events that stand on the disk; `nil`: the disk cannot be read now.
    package mutating func readLog(_ disk: (EventSpan, Catalogue) -> [Entry]?) { items.events.read(&effects, disk) }

    /// Everything that has been decided since the last call.
    package mutating func drainOutputs() -> [SiteOutput] {
        if effects.isInfoDue { publishInfo() }
        return effects.drainOutputs()
    }

    /// The present moment in the form that the event log's disk uses.
    package var writtenAt: WrittenAt { effects.writtenAt }

    // MARK: The connection

    /// The broker is connected. It may have lost its retained messages, so everything is published again.
    package mutating func connected(at moment: Moment) {
        now = moment
        isConnected = true
        onlineAgain.connected(at: moment.instant)
        items.connected(settlesAt: moment.instant + Self.settling, at: moment.instant)
        registryPublisher.connected()
        gateways.missedMessages()
        items.beginCatchingUp(with: gateways, at: moment.instant)
        announcements.begin(at: items.settlesAt)
        republish(at: moment)
    }

    /// The connection to the broker ended. Until what the gateways publish meanwhile has arrived, their silence means nothing.
    package mutating func disconnected(at moment: Moment) {
        now = moment
        isConnected = false
        onlineAgain.disconnected()
        registryPublisher.disconnected()
        followed.connectionLost()
        items.stopCatchingUp()
        announcements.connectionLost()
    }

    /// Publishes everything that the broker retains: it may have refused a part before.
    mutating func republish(at moment: Moment) {
        now = moment
        publishOnline()
        division.publishShares(&effects)
        registryPublisher.publishAll(&effects)
        publishStates()
    }

    mutating func publishOnline() { effects.publish(Message(division.availabilityTopic, .online)) }

    /// Publishes the present state of all items again.
    mutating func publishStates() {
        effects.infoChanged()
        items.publishAll(&effects)
    }

    /// The last messages before the connection is closed.
    package mutating func farewell(at moment: Moment) -> [Message] {
        now = moment
        for id in items.keys where items[id]?.isDirty == true { items.publish(id, &effects) }
        publishInfo()
        effects.publish(Message(division.availabilityTopic, .offline))
        return drainOutputs().compactMap { if case .publish(let message) = $0 { message } else { nil } }
    }

    /// Publishes the aggregator's `info`.
    mutating func publishInfo() {
        // Not every broker sends what it retains to a filter with wildcards.
        division.publishShares(&effects)
        let now = effects.now.instant
        let alive = gateways.all.count { $0.isAlive(at: now) }
        var problems = registryPublisher.problems
        if isConnected { problems += registryPublisher.followProblems(of: gateways.all, at: now) }
        problems += announcements.problems(at: now) + gateways.problems
        if isConnected, isSettled, let problem = items.surroundings.sensorProblem(under: prefix) {
            problems.append(problem)
        }
        problems += division.problems(of: registry.items.values) + [followed.problem].compactMap { $0 }
        problems += registry.conflicts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        info.publish(
            AggregatorInfo(
                version: version, stamp: effects.stamp(of: now), items: items.count, gatewaysAlive: alive,
                gatewaysGone: gateways.count - alive, log: log.ranges, revision: registry.revision, problems: problems,
                active: standby?.name, standby: standby?.others),
            on: division.infoTopic, &effects)
    }
}
