import Beacons
import Delivery
import HomeAssistant
import Journal
import Locating
import Messages

/// The aggregator without its adapters: the gateways' messages and time go in, one location per item comes out.
///
/// It knows neither socket nor clock nor log, and trusts no payload.
package struct SitePipeline: Sendable {
    static let infoPeriod = Interval.seconds(30)
    /// How often beliefs are moved on and what changed is said: once a second per item at most.
    static let stepPeriod = Interval.seconds(1)
    /// After a start or a reconnect: until what the broker kept has come in, nothing is concluded from what has not.
    static let settling = Interval.seconds(3)
    /// A state that was taken back without an exit: the exit may be on its way, as the broker delivers it more carefully.
    static let grace = Interval.seconds(2)
    /// That a gateway has an item inside holds for so long before it ranged it: the first ranged state follows within a second or two, and
    /// says for how long it holds itself.
    static let firstWord = Interval.seconds(25)

    var configuration: AggregatorConfiguration
    /// What the present step decides.
    var effects: SiteEffects

    /// The registry, and what the broker holds of it.
    var registryPublisher: RegistryPublisher
    var gateways: Gateways
    var items = ItemTable()
    /// When each item is looked at, though nothing of it comes in.
    var deadlines = Deadlines()
    /// What the beliefs about the items depend on.
    var surroundings: Surroundings
    /// A gateway is new or has another room: the model of the site follows with the next step.
    var areRoomsStale = false
    var study = Study()
    /// Which gateways receive anything at all.
    var reception = Reception()
    var events: ItemEvents
    var problems: [String] = []
    var regions = RegionPresence()
    /// By how much the site's local clock is ahead of UTC: the hours of notifications are local ones.
    var utcOffset = Interval.zero
    /// What is wrong with the disk, while something is.
    var diskProblem: String?
    var settlesAt: Instant
    /// The same instant until it has come, then `nil`.
    private var unsettled: Instant?
    private(set) var isConnected = false
    private var nextStep: Instant
    var nextInfo: Instant
    /// What happened during an absence is being taken in.
    var catchUp: CatchUp?
    /// What happened then is being applied: only what was said counts, not what was not.
    var isReliving = false
    /// What Home Assistant was told of the site.
    var announcements: Announcements
    /// The items whose beacon is another's, as their records have it.
    var knownConflicts: [String: String] = [:]

    package init(_ configuration: AggregatorConfiguration, boot: Boot, kept: KeptSite?, at start: Moment) {
        self.configuration = configuration
        effects = SiteEffects(prefix: configuration.prefix, boot: boot, at: start)
        gateways = Gateways(at: start.instant)
        registryPublisher = RegistryPublisher(
            SiteRegistry(configuration, kept: kept, boot: boot), at: start.instant)
        surroundings = Surroundings(LocatorModel(site: configuration.site.site(of: [:])))
        events = ItemEvents(boot: boot, publishedAtWrite: kept?.told)
        announcements = Announcements(configuration.homeAssistant, own: configuration.prefix)
        settlesAt = start.instant + Self.settling
        nextStep = start.instant + Self.stepPeriod
        nextInfo = start.instant + Self.infoPeriod
        matchItems()
        if let kept { restore(kept) }
        lookAtAll()
        if kept?.revision != registry.revision { effects.add(.keep) }
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
        _read { yield events.log }
        _modify { yield &events.log }
    }
    /// Whether responses wait for `readLog`.
    package var isReadingLog: Bool { events.isReading }

    /// Takes one message of the broker's.
    package mutating func take(topic name: String, payload: [UInt8], isRetained: Bool, at moment: Moment) {
        now = moment
        if take(homeAssistant: name, payload, isRetained: isRetained) { return }
        guard let topic = Topic(named: name, under: prefix) else { return effects.refuse("topic") }
        do throws(PayloadRefusal) {
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
                guard try gateways.take(response: payload, of: gateway, &effects) else { return }
                applyReady(of: gateway)
                gateways.ask(gateway, &effects)
            case .registryManifest, .registryItem, .registryRegion:
                registryPublisher.take(topic, payload, &effects)
            case .itemLocation(let item): takeBack(topic, unless: registry.items[item] != nil, payload)
            case .itemNotification(let item):
                takeBack(topic, unless: items[item]?.notification?.said != nil, payload)
            case .itemAcknowledge(let item):
                guard !isRetained else { return effects.refuse("retained_request") }
                acknowledge(item)
            case .aggregatorRequest(let what):
                guard !isRetained else { return effects.refuse("retained_request") }
                if !registryPublisher.defer(what, payload) { answer(what, payload) }
            default: break
            }
        } catch {
            effects.refuse(error.name)
        }
    }

    /// Lets time pass: words run out, beliefs move on, what changed is said.
    package mutating func advance(to moment: Moment) {
        now = moment
        guard moment.instant >= nextStep else { return }
        nextStep = moment.instant + Self.stepPeriod
        guard isConnected else { return }
        if areRoomsStale { roomsChanged() }
        tendRegistry()
        registryPublisher.publishManifestIfDue(&effects)
        announceIfDue()
        for gateway in gateways.ids {
            weigh(gateway)
            applyReady(of: gateway)
            gateways.ask(gateway, &effects)
        }
        catchUpIfComplete()
        findDeafGateways()
        if let settles = unsettled, moment.instant >= settles {
            // From now on silence counts: every item is judged again.
            unsettled = nil
            lookAtAll()
        }
        while let id = deadlines.takeDue(at: moment.instant) { look(at: id) }
        if gateways.learnOffsets(&effects) { roomsChanged() }
        advanceStudy()
        if moment.instant >= nextInfo { publishInfo() }
    }

    /// When it wants to be called again, if nothing comes until then.
    package var nextDeadline: Instant { nextStep }

    /// Goes on with one of the responses that need the event log's disk.
    ///
    /// - Parameter disk: gives the events that stand on the disk; `nil`: the disk cannot be read now.
    package mutating func readLog(_ disk: (EventSpan, Catalogue) -> [Entry]?) { events.read(&effects, disk) }

    /// Everything that has been decided since the last time.
    package mutating func takeOutputs() -> [SiteOutput] {
        if effects.isInfoDue { publishInfo() }
        return effects.takeOutputs()
    }

    /// The broker is there, and may have forgotten everything: all is published anew.
    package mutating func connected(at moment: Moment) {
        now = moment
        isConnected = true
        settlesAt = max(settlesAt, moment.instant + Self.settling)
        unsettled = settlesAt
        registryPublisher.connected()
        beginCatchingUp()
        announcements.begin(at: settlesAt)
        sayAnew(at: moment)
    }

    /// Publishes everything that the broker is to retain: it may have refused some of it.
    mutating func sayAnew(at moment: Moment) {
        now = moment
        effects.publish(Message(.aggregatorAvailability, .online))
        registryPublisher.publishAll(&effects)
        publishStates()
    }

    /// Publishes the present anew.
    mutating func publishStates() {
        effects.infoChanged()
        for id in items.keys.sorted() {
            say(id)
            if let record = items[id], let said = record.notification?.said, !isOutdated(record) {
                effects.publish(.itemNotification(item: id), said)
            }
        }
    }

    /// The broker is gone: what the gateways say meanwhile is on its way, and until it is here nothing is concluded from their silence.
    package mutating func disconnected(at moment: Moment) {
        now = moment
        isConnected = false
        registryPublisher.disconnected()
        catchUp = nil
        announcements.connectionLost()
    }

    /// What is said last.
    package mutating func farewell(at moment: Moment) -> [Message] {
        now = moment
        for id in items.keys where items[id]?.isDirty == true { say(id) }
        publishInfo()
        effects.publish(Message(.aggregatorAvailability, .offline))
        return takeOutputs().compactMap { if case .publish(let message) = $0 { message } else { nil } }
    }

    /// The same moment as the log on disk has it.
    package var writtenAt: WrittenAt {
        WrittenAt(uptime: .zero + (effects.now.instant - effects.startedAt), wall: effects.now.wall, isSynchronised: effects.now.isSynchronised)
    }

    /// Takes note of how the disk fares; says so where that changed.
    mutating func note(diskProblem problem: String?) {
        guard problem != diskProblem else { return }
        diskProblem = problem
        effects.note(problem ?? "The disk takes what is to be kept again")
        effects.infoChanged()
    }

    /// Follows a change of these items and regions of the registry: they are published and go to the disk.
    mutating func registryChanged(items ids: [String] = [], regions: [String] = []) {
        effects.unwritten.regions.formUnion(regions)
        for id in ids {
            matchItem(id)
            effects.unwritten.note(item: id)
            announcements.changed(item: id, isRemoved: registry.items[id] == nil)
        }
        if registry.conflicts != knownConflicts { matchItems() }
        effects.add(.keepNow)
        registryPublisher.changed(items: ids, regions: regions, &effects)
        effects.infoChanged()
    }

    /// Compares the broker's registry with ours after a connect, and follows what comes of it.
    private mutating func tendRegistry() {
        guard let judgement = registryPublisher.tend(isSettled: effects.now.instant >= settlesAt, &effects) else { return }
        if judgement.isTakenUp {
            matchItems()
            for id in registry.items.keys.sorted() { announcements.changed(item: id) }
        }
        for request in judgement.requests { answer(request.what, request.payload) }
    }

    /// Clears what the broker keeps on one of our topics, unless it belongs there.
    private mutating func takeBack(_ topic: Topic, unless belongs: Bool, _ payload: [UInt8]) {
        if !belongs, !payload.isEmpty { effects.publish(.clearing(topic)) }
    }

    /// How the aggregator fares.
    mutating func publishInfo() {
        nextInfo = effects.now.instant + Self.infoPeriod
        effects.infoPublished()
        let alive = gateways.all.count { $0.isAlive(at: effects.now.instant) }
        effects.publish(
            .aggregatorInfo,
            AggregatorInfo(
                version: version, stamp: effects.stamp(of: effects.now.instant), items: items.count, gatewaysAlive: alive,
                gatewaysGone: gateways.count - alive, log: log.ranges, revision: registry.revision,
                problems: problems + [diskProblem].compactMap { $0 } + registryPublisher.problems
                    + (isConnected ? registryPublisher.followProblems(of: gateways.all, at: effects.now.instant) : [])
                    + announcements.problems(at: effects.now.instant) + gateways.problems
                    + registry.conflicts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }))
    }
}
