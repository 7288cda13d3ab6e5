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
    /// How often receiver offsets are learned from the gateways' beacons.
    static let offsetsPeriod = Interval.seconds(600)
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
    /// What stands before each topic.
    let prefix: TopicPrefix
    let boot: Boot
    let startedAt: Instant

    var registry: SiteRegistry
    var gateways: [String: GatewayRecord] = [:]
    var items = ItemTable()
    /// When each item is looked at, though nothing of it comes in.
    var deadlines = Deadlines()
    /// The beacons of gateways, and some of former ones: all other beacons without an item are strangers.
    var gatewayBeacons: Set<BeaconIdentity> = []
    /// More gateways publish than are tracked.
    var ignoresGateways = false
    /// What the beliefs about the items depend on.
    var surroundings: Surroundings
    /// A gateway is new or has another room: the model of the site follows with the next step.
    var areRoomsStale = false
    var study = Study()
    /// Which gateways receive anything at all.
    var reception = Reception()
    /// What the gateways receive of each other's beacons, and the receiver offsets that follow, in dB.
    var mutual = MutualHearing()
    var learnedOffsets: [String: Double] = [:]
    var nextOffsets: Instant
    package var log: EventLog
    /// Responses that need the log on disk.
    var logReading = LogReading()
    var problems: [String] = []
    /// Where each region that has a text is inside, as far as anybody knows.
    var regionsInside: [String: Set<String>] = [:]
    /// By how much the site's local clock is ahead of UTC: the hours of notifications are local ones.
    var utcOffset = Interval.zero
    /// What is wrong with the disk, while something is.
    var diskProblem: String?
    /// What of the site differs from what is on the disk.
    var unwritten = UnwrittenChanges()
    var outputs: [SiteOutput] = []
    var now: Moment
    var json = JSONWriter(reserving: 1024)
    /// Messages that were not of the form agreed, by reason.
    var refused: [String: UInt64] = [:]

    var settlesAt: Instant
    /// The same instant until it has come, then `nil`.
    private var unsettled: Instant?
    private(set) var isConnected = false
    private var nextStep: Instant
    var nextInfo: Instant
    /// What happened during an absence is being taken in.
    var catchUp: CatchUp?
    /// What an earlier process told, and what it told after it last kept the site.
    var toldBefore: EventID?
    /// The last event of an item that former boots told, where that was behind it.
    var toldFormerly: EventID?
    var told = ToldEvents()
    /// What happened then is being applied: only what was said counts, not what was not.
    var isReliving = false
    /// What Home Assistant was told of the site.
    var announcements: Announcements
    /// The registry as the broker holds it.
    var heldRegistry = BrokerRegistry()
    /// What this aggregator knows of the others, if there are several for the site.
    var standby: Standby?
    /// Requests that wait until it is known what the broker holds of the registry.
    var deferredRequests: [(what: String, payload: [UInt8])] = []
    /// The items whose beacon is another's, as their records have it.
    var knownConflicts: [String: String] = [:]
    /// The hash of the manifest that was published last, whether a newer one is to be published, and not before when.
    var manifestHash: Int?
    var isManifestDue = false
    var nextManifest = Instant.zero
    /// When our registry last changed, or was last published as a whole.
    var registryPublishedAt: Instant

    package init(_ configuration: AggregatorConfiguration, boot: Boot, kept: KeptSite?, at start: Moment) {
        self.configuration = configuration
        prefix = configuration.prefix
        self.boot = boot
        startedAt = start.instant
        standby = configuration.standby.map { Standby($0) }
        now = start
        registry = SiteRegistry(configuration, kept: kept, boot: boot)
        surroundings = Surroundings(LocatorModel(site: configuration.site.site(of: [:])))
        log = EventLog(boot: boot.description)
        announcements = Announcements(configuration.homeAssistant, own: prefix)
        settlesAt = start.instant + Self.settling
        registryPublishedAt = start.instant
        nextStep = start.instant + Self.stepPeriod
        nextInfo = start.instant + Self.infoPeriod
        nextOffsets = start.instant + Self.offsetsPeriod
        matchItems()
        if let kept { restore(kept) }
        lookAtAll()
        if kept?.revision != registry.revision { outputs.append(.keep) }
    }

    /// Takes one message of the broker's.
    package mutating func take(topic name: String, payload: [UInt8], isRetained: Bool, at moment: Moment) {
        now = moment
        if take(homeAssistant: name, payload, isRetained: isRetained) { return }
        guard let topic = Topic(named: name, under: prefix) else { return refuse("topic") }
        do throws(PayloadRefusal) {
            if try take(member: topic, payload, isRetained: isRetained) { return }
            switch topic {
            case .gatewayAvailability(let gateway): take(availability: payload, of: gateway)
            case .gatewayInfo(let gateway): try take(info: payload, of: gateway, topic, isLive: !isRetained)
            case .regionState(let region, let gateway):
                gateways[gateway]?.note(topic, isTakenBack: payload.isEmpty)
                try take(state: payload, ofRegion: region, at: gateway, topic)
            case .proximity(let beacon, let gateway):
                gateways[gateway]?.note(topic, isTakenBack: payload.isEmpty)
                try take(proximity: payload, of: beacon, from: gateway, topic, isLive: !isRetained)
            case .beaconEvent(_, let gateway):
                guard !isRetained else { return refuse("retained_event") }
                take(.beacon(try BeaconEvent(parsing: payload, on: topic)), from: gateway)
            case .regionEvent(_, let gateway):
                guard !isRetained else { return refuse("retained_event") }
                take(.region(try RegionEvent(parsing: payload, on: topic)), from: gateway)
            case .gatewayResponse(let gateway, "events"): try take(answer: payload, from: gateway)
            case .registryManifest, .registryItem, .registryRegion: take(registry: topic, payload)
            case .itemLocation(let item): takeBack(topic, unless: registry.items[item] != nil, payload)
            case .itemNotification(let item):
                takeBack(topic, unless: items[item]?.notification?.said != nil, payload)
            case .itemAcknowledge(let item):
                guard !isRetained else { return refuse("retained_request") }
                acknowledge(item)
            case .aggregatorRequest(let what):
                guard !isRetained else { return refuse("retained_request") }
                if !isDeferred(what, payload) { answer(what, payload) }
            default: break
            }
        } catch {
            refuse(error.name)
        }
    }

    /// Lets time pass: words run out, beliefs move on, what changed is said.
    package mutating func advance(to moment: Moment) {
        now = moment
        guard moment.instant >= nextStep else { return }
        nextStep = moment.instant + Self.stepPeriod
        guard isConnected else { return }
        if areRoomsStale { roomsChanged() }
        if isActive {
            tendRegistry()
            publishManifestIfDue()
            announceIfDue()
        }
        for gateway in gateways.keys {
            weigh(gateway)
            applyReady(of: gateway)
            ask(gateway)
        }
        catchUpIfComplete()
        findDeafGateways()
        if let settles = unsettled, moment.instant >= settles {
            // From now on silence counts: every item is judged again.
            unsettled = nil
            lookAtAll()
        }
        while let id = deadlines.takeDue(at: moment.instant) { look(at: id) }
        learnOffsets()
        advanceStudy()
        if moment.instant >= nextInfo { publishInfo() }
    }

    /// When it wants to be called again, if nothing comes until then.
    package var nextDeadline: Instant { nextStep }

    /// Everything that has been decided since the last time.
    package mutating func takeOutputs() -> [SiteOutput] {
        defer { outputs.removeAll(keepingCapacity: true) }
        return outputs
    }

    /// The broker is there, and may have forgotten everything: all is published anew.
    package mutating func connected(at moment: Moment) {
        now = moment
        isConnected = true
        settlesAt = max(settlesAt, moment.instant + Self.settling)
        unsettled = settlesAt
        (heldRegistry, deferredRequests) = (BrokerRegistry(), [])
        beginCatchingUp()
        announcements.begin(at: settlesAt)
        sayAnew(at: moment)
    }

    /// Publishes everything that the broker is to retain: it may have refused some of it.
    mutating func sayAnew(at moment: Moment) {
        now = moment
        publish(Message(.aggregatorAvailability, .online))
        publishRegistry()
        publishStates()
    }

    /// Publishes the present anew.
    mutating func publishStates() {
        publishInfo()
        for id in items.keys.sorted() {
            say(id)
            if let record = items[id], let said = record.notification?.said, !isOutdated(record) {
                publish(.itemNotification(item: id), said)
            }
        }
    }

    /// The broker is gone: what the gateways say meanwhile is on its way, and until it is here nothing is concluded from their silence.
    package mutating func disconnected(at moment: Moment) {
        now = moment
        isConnected = false
        heldRegistry = BrokerRegistry()
        catchUp = nil
        announcements.connectionLost()
    }

    /// What is said last.
    package mutating func farewell(at moment: Moment) -> [Message] {
        now = moment
        for id in items.keys where items[id]?.isDirty == true { say(id) }
        publishInfo()
        publish(Message(.aggregatorAvailability, .offline))
        return takeOutputs().compactMap { if case .publish(let message) = $0 { message } else { nil } }
    }

    mutating func refuse(_ reason: String) {
        if refused[reason] == nil { outputs.append(.note("A message from the broker was ignored: \(reason)")) }
        refused[reason, default: 0] += 1
    }

    mutating func publish(_ message: Message) { outputs.append(.publish(message)) }

    mutating func publish(_ topic: Topic, _ payload: some Payload) {
        outputs.append(.publish(Message(topic, payload, using: &json)))
    }

    func stamp(of instant: Instant) -> Stamp {
        Stamp(
            at: now.wall(at: instant), boot: boot, uptime: Instant.zero + (instant - startedAt),
            isClockSynchronised: now.isSynchronised)
    }

    /// The same moment as the log on disk has it.
    package var writtenAt: WrittenAt {
        WrittenAt(uptime: .zero + (now.instant - startedAt), wall: now.wall, isSynchronised: now.isSynchronised)
    }

    /// Takes note of how the disk fares; says so where that changed.
    mutating func note(diskProblem problem: String?) {
        guard problem != diskProblem else { return }
        diskProblem = problem
        outputs.append(.note(problem ?? "The disk takes what is to be kept again"))
        publishInfo()
    }

    private var gatewayProblem: String? {
        guard ignoresGateways else { return nil }
        return "more than \(GatewayRecord.most) gateways publish under this prefix: those beyond are ignored; "
            + "remove gateways that are gone with gateways remove, or give a part of them another prefix"
    }

    /// How the aggregator fares.
    mutating func publishInfo() {
        nextInfo = now.instant + Self.infoPeriod
        let alive = gateways.values.count { $0.isAlive(at: now.instant) }
        publish(
            .aggregatorInfo,
            AggregatorInfo(
                version: version, stamp: stamp(of: now.instant), items: items.count, gatewaysAlive: alive,
                gatewaysGone: gateways.count - alive, log: log.ranges, revision: registry.revision,
                problems: problems + [diskProblem, heldRegistry.problem, gatewayProblem].compactMap { $0 }
                    + followProblems
                    + announcements.problems(at: now.instant) + gateways.values.compactMap(\.lost).sorted()
                    + registry.conflicts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" },
                active: standby?.name, standby: standbyNames))
    }
}
