import Beacons
import Channels
import Delivery
import EventLogs
import HomeAssistant
import Locating
import Messages
import People

/// The aggregator's decisions: messages of the broker and time go in, one location per item comes out.
///
/// The pipeline hands each message to the part that decides about it, and the parts write what they decide to `effects`. It uses no socket, clock
/// or log, and checks every payload.
package struct SitePipeline: Sendable {
    /// How often items are looked at. A location is published at most this often.
    static let stepPeriod = Interval.seconds(1)
    /// How long the broker has to deliver retained messages after a connect. Until then, the absence of a message means nothing.
    static let settling = Interval.seconds(3)

    private(set) var configuration: AggregatorConfiguration
    /// What the present step decides.
    var effects: SiteEffects

    /// The registry, and what the broker holds of it.
    var registryPublisher: RegistryPublisher
    /// What the gateways publish: their records, the items and the regions.
    var reports: GatewayReports
    /// Whether this aggregator publishes what it decides.
    package var isActive = true
    /// The events that were handed out and that nobody has published, for the files.
    var unpublished: [ItemEvent] = []
    /// The discovery messages for Home Assistant.
    var announcements: Announcements
    var messages: PersonalMessages
    /// The tests of channels that somebody asked for, by id.
    var channelTests: [UInt64: Request] = [:]
    /// Draws the key of the tokens of messages, and when deliveries are tried again.
    var random: any RandomNumberGenerator & Sendable
    var people: SitePeople
    /// The items of a former process that are gone, until their aliases are cleared, which another program has published.
    var goneItems: [String] = []
    /// What this aggregator publishes about itself.
    var status: AggregatorStatus
    private var nextStep: Instant

    package init(
        _ configuration: AggregatorConfiguration, boot: Boot, stored: StoredSite?,
        random: (any RandomNumberGenerator & Sendable)? = nil, secret: [UInt8]? = nil, at start: Moment
    ) {
        precondition(
            random != nil || configuration.channels.isEmpty, "tokens that can be guessed acknowledge for anybody")
        self.configuration = configuration
        var random: any RandomNumberGenerator & Sendable = random ?? SplitMix64(seed: 0)
        let tokenKey = secret ?? (0..<32).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
        self.random = random
        messages = PersonalMessages(
            configuration.channels, page: configuration.pageURL, in: configuration.site.texts, tokenKey: tokenKey)
        messages.restore(stored?.messages ?? [], waiting: CatchUp.longest, at: start)
        effects = SiteEffects(
            prefix: configuration.prefix, in: configuration.site.texts, boot: boot, at: start)
        registryPublisher = RegistryPublisher(
            SiteRegistry(configuration, stored: stored, boot: boot, counts: configuration.standby == nil),
            at: start.instant)
        var items = ItemLocations(
            configuration, part: SitePart(configuration.subscribe, stored: stored),
            events: ItemEvents(boot: boot, configuration.log, publishedAtWrite: stored?.lastPublished),
            settlesAt: start.instant + Self.settling)
        items.match(registryPublisher.registry, &effects)
        reports = GatewayReports(configuration.site, items: items, at: start.instant)
        announcements = Announcements(
            configuration.homeAssistant, own: configuration.prefix, by: configuration.subscribe.name,
            page: configuration.pageURL, in: configuration.site.texts)
        people = SitePeople(
            configuration, stored: stored.flatMap { $0.people ?? ($0.peopleChanges == nil ? nil : []) },
            changes: stored?.peopleChanges ?? 0)
        status = AggregatorStatus(reports.items.part, at: start.instant)
        nextStep = start.instant + Self.stepPeriod
        if let stored {
            reports.restore(stored, at: start)
            let hasNewTag = reports.items.hasNewTag
            for state in stored.states where !hasNewTag.contains(state.id) { people.restored[state.id] = state.alarm }
            goneItems = stored.items.map(\.id).filter { registry.items[$0] == nil }
            let (present, gone) = (Set(registry.items.keys).subtracting(hasNewTag), people.gone)
            messages.withdraw(at: start.instant) { message in
                gone.contains(message.person) || !message.items.isEmpty && present.isDisjoint(with: message.items)
            }
        }
        people.household.restored = Set(reports.items.table.keys)
        for id in people.household.carried { reports.items.table[id]?.sleep.isOfCarried = true }
        reports.items.lookAtAll(at: start.instant)
        if stored?.revision != registry.revision || configuration.standby != nil { effects.add(.storeSite) }
    }

    /// The aggregator's own registry.
    var registry: SiteRegistry { _read { yield registryPublisher.registry } }
    var items: ItemLocations { _read { yield reports.items } }
    /// The items' events on their way to the disk and to the broker.
    package var events: EventPublisher {
        _read { yield reports.items.events.publisher }
        _modify { yield &reports.items.events.publisher }
    }
    package var log: EventLog { _read { yield reports.items.events.log } }
    var part: SitePart { reports.items.part }
    /// Whether the broker had the time to deliver what it retains.
    var isSettled: Bool { items.isSettled(at: effects.now.instant) }
    /// Whether responses wait for `readLog`.
    package var isReadingLog: Bool { items.events.isReading }
    /// Whether events may be published. They wait while Home Assistant sets up the devices that they belong to.
    var eventsMayGo: Bool { isActive && effects.now.instant >= announcements.takingIn.eventsWaitUntil }

    // MARK: What happens

    package mutating func receive(topic name: String, payload: [UInt8], isRetained: Bool, at moment: Moment) {
        effects.now = moment
        if let topic = HomeAssistantTopic(named: name, under: announcements.prefix) {
            announcements.receive(
                topic, payload, isRetained: isRetained, settled: items.settlesAt, announced, &effects)
            return
        }
        guard let topic = Topic(named: name, under: effects.prefix) else { return effects.refuse("topic") }
        receive(topic, payload, isRetained: isRetained, at: moment)
    }

    /// Receives one message from the broker whose topic is one of the project's.
    mutating func receive(_ topic: Topic, _ payload: [UInt8], isRetained: Bool, at moment: Moment) {
        effects.now = moment
        do throws(PayloadRefusal) {
            switch topic {
            case .registryManifest, .registryPart, .registryItem, .registryRegion:
                registryPublisher.receive(topic, payload, &effects)
            case .aggregatorRequest(let what):
                guard !isRetained else { return effects.refuse("retained_request") }
                if !part.writesRegistry || !registryPublisher.defer(what, payload) { respond(what, payload) }
            case .personLocation, .roomPeople, .roomItems:
                if payload.isEmpty {
                    if !isRetained { people.cleared(topic) }
                } else if people.note(retained: topic, payload) {
                    effects.unwritten.people = true
                    effects.add(.storeSite)
                }
            // Not ours, or a will of before: we are here. What the broker retained was replaced at the connect.
            case .aggregatorAvailability:
                if !isRetained, isActive, Availability(parsing: payload) != .online { publishOnline() }
            default: try reports.receive(topic, payload, isRetained: isRetained, registry, &effects)
            }
        } catch {
            effects.refuse(error.name)
        }
    }

    /// Lets time pass: reports expire, beliefs follow, and changes are published.
    package mutating func advance(to moment: Moment) {
        effects.now = moment
        guard moment.instant >= nextStep else {
            if areItemsDue { reports.items.lookAtDue(mayNotify: eventsMayGo, reports.gateways, &effects) }
            return
        }
        nextStep = moment.instant + Self.stepPeriod
        guard status.isConnected else { return }
        reports.items.followClock(&effects)
        if status.takeOnlineDue(at: moment.instant), isActive { status.publish(.online, &effects) }
        reports.updateModelIfStale(&effects)
        followRoomChanges()
        if isSettled { followRooms() }
        if isActive {
            if part.writesRegistry {
                advanceRegistry()
                if isSettled { reports.gateways.publishLost(&effects) }
            }
            if announcements.advance(announced, &effects) {
                status.publish(.online, &effects)
                publishStates()
            }
            reports.items.clearNotifications(of: announcements.takingIn.takeItems(at: moment.instant), &effects)
        }
        reports.advance(registry, &effects)
        reports.lookAtItems(mayNotify: eventsMayGo, &effects)
        followRoomChanges()
        advancePeople()
        clearForeignPeople()
        if status.isInfoDue(at: moment.instant) { publishInfo() }
    }

    /// Whether the next `advance` is one of the steps, of which there is one a second.
    func isStepDue(at now: Instant) -> Bool { status.isConnected && now >= nextStep }

    /// When `advance` has to be called next, if no message arrives before.
    package var nextDeadline: Instant { areItemsDue ? min(effects.now.instant, nextStep) : nextStep }

    /// Whether the last step left items for the next round.
    private var areItemsDue: Bool { status.isConnected && items.areMoreDue }

    /// Goes on with one of the responses that need the event log's disk.
    ///
    /// - Parameter disk: gives the events that stand on the disk; `nil`: the disk cannot be read now.
    package mutating func readLog(_ disk: (EventSpan, Catalogue) -> [Entry]?) {
        reports.items.events.read(&effects, disk)
    }

    /// Everything that has been decided since the last call.
    package mutating func drainOutputs() -> [SiteOutput] {
        followRoomChanges()
        announcements.applyChanges(&effects)
        advanceMessages()
        if effects.isInfoDue { publishInfo() }
        return effects.drainOutputs()
    }

    /// The present moment in the form that the event log's disk uses.
    package var writtenAt: WrittenAt { effects.writtenAt }

    // MARK: The connection

    /// The broker is connected. It may have lost its retained messages, so everything is published again.
    package mutating func connected(at moment: Moment) {
        status.connected(at: moment.instant)
        registryPublisher.connected()
        people.connected()
        reports.connected(settlesAt: moment.instant + Self.settling, at: moment.instant)
        announcements.begin(at: items.settlesAt)
        republish(at: moment)
    }

    /// The connection to the broker ended. Until what the gateways publish meanwhile has arrived, their silence means nothing.
    package mutating func disconnected(at moment: Moment) {
        effects.now = moment
        status.disconnected()
        registryPublisher.disconnected()
        reports.disconnected(at: moment.instant)
        announcements.connectionLost(at: moment.instant)
    }

    /// The machine slept until this moment, or this process stood still: what has arrived meanwhile is put into its order before any of it is
    /// published, as behind an outage. Otherwise old states would be taken for present ones.
    package mutating func slept(until moment: Moment) {
        guard status.isConnected else { return }
        effects.now = moment
        effects.note("The machine slept, or this process stood still")
        reports.missedTime(settlesAt: moment.instant + Self.settling, at: moment.instant)
    }

    /// Publishes everything that the broker retains: it may have refused a part before.
    mutating func republish(at moment: Moment) {
        effects.now = moment
        status.publish(.online, &effects)
        registryPublisher.publishAll(&effects)
        publishStates()
    }

    mutating func publishStates() {
        effects.infoChanged()
        reports.items.publishAll(&effects)
        publishPeople()
    }

    /// The devices of the site, as far as discovery needs them.
    private var announced: Announcements.Site {
        Announcements.Site(registry: registry, gateways: reports.gateways, part: part, people: people)
    }

    /// Clears what the broker retains of an item that is gone: first the device, then what its entities read.
    mutating func withdraw(item id: String) {
        announcements.withdraw(.item(id), &effects)
        ItemLocations.clear(id, &effects)
    }

    // MARK: The configuration

    /// Applies the changes of a configuration that need no restart.
    ///
    /// - Returns: The changed tables and keys that need a restart.
    mutating func reload(_ new: AggregatorConfiguration, at moment: Moment) -> [String] {
        effects.now = moment
        let late = new.differences(from: configuration)
        // Only a start takes up another language.
        let texts = configuration.site.texts
        (configuration.site, configuration.regions, configuration.file) = (new.site, new.regions, new.file)
        configuration.site.texts = texts
        reload(channels: new.channels, at: moment)
        configure(new)
        return late
    }

    mutating func reload(channels: [ChannelSettings], at moment: Moment) {
        effects.now = moment
        configuration.channels = channels
        messages.configure(channels, at: moment.instant)
        effects.infoChanged()
    }

    // MARK: The aggregator itself

    /// The last messages before the connection is closed.
    mutating func farewell(at moment: Moment) -> [SiteOutput] {
        effects.now = moment
        reports.items.publishChanged(&effects)
        publishInfo()
        status.publish(.offline, &effects)
        return drainOutputs()
    }

    mutating func publishInfo() {
        people.follow(registry)
        let (now, gateways) = (effects.now.instant, reports.gateways)
        let problems =
            registryPublisher.problems(of: gateways.all, at: now) + announcements.problems(at: now)
            + reports.problems(isConnected: status.isConnected, effects)
            + [part.orphans(among: registry.items.values)].compactMap { $0 } + messages.problems
            + (part.writesRegistry ? people.problems(registry, messages.channels) : [])
        let alive = gateways.alive(at: now)
        var info = AggregatorInfo(
            version: version, stamp: effects.stamp(of: now), items: items.table.count, gatewaysAlive: alive,
            gatewaysGone: gateways.count - alive, log: log.ranges, revision: registry.revision, problems: problems)
        info.rooms = gateways.overridingRooms
        info.floors = Dictionary(configuration.site.rooms.map { ($0.name, $0.floor) }) { first, _ in first }
        status.publish(info, &effects)
    }

    /// Every table that can grow, with its size and its limit. The fleet simulator checks the limits after each step.
    package var tables: [(name: String, count: Int, limit: Int)] {
        [
            ("events in memory", log.inMemory, EventLog.mostInMemory),
            ("gateways", reports.gateways.count, GatewayRecord.most),
            (
                "retained topics of one gateway", reports.gateways.all.map(\.retainedCount).max() ?? 0,
                GatewayRecord.mostRetained
            ),
            ("items", items.table.count, RegistryManifest.mostEntries),
            (
                "reports of one item", items.table.values.map(\.presenceByGateway.words.count).max() ?? 0,
                GatewayRecord.most
            ),
            ("ranged states of one item", items.table.values.map(\.ranged.count).max() ?? 0, GatewayRecord.most),
            ("items with a deadline", items.deadlines.count, RegistryManifest.mostEntries),
            ("strays", registryPublisher.held.strays.count, BrokerRegistry.mostStrays),
            ("occupancy sensors", items.surroundings.sensors.count, Surroundings.mostSensors),
            ("people", people.household.ids.count, Household.most),
            ("items of people", people.household.itemCount, RegistryManifest.mostEntries),
            ("requests that read the log", items.events.readings, LogReading.most),
            ("messages to persons", messages.count, PersonalMessages.most),
            ("tests of channels", channelTests.count, Self.mostChannelTests),
            ("outputs", effects.outputs.count, 0),
            ("events that were handed out", items.events.handedOut?.count ?? 0, 0),
        ]
    }
}
