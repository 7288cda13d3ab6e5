import Beacons
import Delivery
import EventLogs
import Messages

/// Everything that an aggregator decides: `SiteDriver`, and around it what is different because the site may have other aggregators.
///
/// The site's driver hands out each message before it is published, and each event before it enters the log. This driver has the site carry
/// it out, keeps it for later, or drops it. A message that concerns another aggregator is not handed on to the site; what follows from the
/// others enters the site as an input of its own.
package struct AggregatorDriver: Sendable {
    /// What the aggregator wants done.
    package enum Action: Sendable {
        /// What a single aggregator wants as well.
        case site(SiteDriver.Action)
        /// Publish a message on the aggregator's own connection, whichever of several is active.
        case publishOnOwnConnection(OutgoingMessage)
        /// Connect with the client id that several aggregators share, once, and report what happens to `handle(seat:at:)`.
        case claimSeat
        /// End that connection.
        case releaseSeat
    }

    package var site: SiteDriver
    private(set) var division: Division
    /// The registry that another aggregator writes, if this one has a name or is on standby.
    var followed = RegistryReplica()
    /// What this aggregator knows of those that may take its place; `nil`: there are none.
    var standby: Standby? { didSet { site.pipeline.isActive = isActive } }
    /// What the site's driver does not know.
    var actions: ArraySlice<Action> = []

    /// A driver that begins with the site as a former process wrote it.
    ///
    /// - Parameters:
    ///   - countProblem: why the count of starts could not be written, if so.
    ///   - random: draws the key of the tokens of messages; a configuration with channels needs one.
    ///   - secret: that key, if aggregators share it.
    package init(
        _ configuration: AggregatorConfiguration, boot: Boot, stored: StoredSite?, countProblem: String? = nil,
        random: (any RandomNumberGenerator & Sendable)? = nil, secret: [UInt8]? = nil, at moment: Moment
    ) {
        site = SiteDriver(
            configuration, boot: boot, stored: stored, countProblem: countProblem, random: random, secret: secret,
            at: moment)
        division = Division(site.pipeline.part)
        if let stored, !division.part.writesRegistry {
            followed.restore(
                revision: stored.revision, origin: stored.origin, items: stored.items, regions: stored.regions)
        }
        guard let settings = configuration.standby else { return }
        standby = Standby(settings, stored: stored, at: moment)
        site.pipeline.isActive = false
        site.pipeline.reports.items.events.handedOut = []
    }

    package var configuration: AggregatorConfiguration { site.configuration }

    /// The site's decisions.
    var pipeline: SitePipeline {
        _read { yield site.pipeline }
        _modify { yield &site.pipeline }
    }

    // MARK: What happens

    /// Handles an input; what follows from it comes with `nextAction`.
    package mutating func handle(_ input: SiteDriver.Input, at moment: Moment) {
        switch input {
        case .broker(let event): handle(event, at: moment)
        case .timePassed:
            if pipeline.isStepDue(at: moment.instant) { advance(to: moment) }
            site.handle(.timePassed, at: moment)
            advanceStandby(to: moment)
        default: site.handle(input, at: moment)
        }
        settleEvents()
    }

    private mutating func handle(_ event: BrokerEvent, at moment: Moment) {
        switch event {
        case .message(let name, let payload, let isRetained):
            guard let topic = Topic(named: name, under: configuration.prefix) else { break }
            return receive(topic, payload, isRetained: isRetained, at: moment)
        case .connected: division.connected(at: moment.instant)
        case .disconnected: followed.connectionLost()
        default: break
        }
        if standby == nil || !handle(ofOwnConnection: event, at: moment) { site.handle(.broker(event), at: moment) }
    }

    private mutating func receive(_ topic: Topic, _ payload: [UInt8], isRetained: Bool, at moment: Moment) {
        site.messenger.resume()
        pipeline.effects.now = moment
        do throws(PayloadRefusal) {
            if try receive(topic, payload, isRetained: isRetained) { return }
            if try receive(ofStandby: topic, payload, isRetained: isRetained) { return }
            pipeline.receive(topic, payload, isRetained: isRetained, at: moment)
        } catch {
            pipeline.effects.refuse(error.name)
        }
    }

    /// Reads what an action wants read; `disk` returns `nil` if the disk cannot be read now.
    package mutating func read(_ reading: SiteDriver.Reading, by disk: (EventSpan, Catalogue) -> [Entry]?) {
        site.read(reading, by: disk)
        guard case .recall = reading, standby != nil else { return }
        let now = pipeline.effects.now.instant
        for event in pipeline.items.events.alreadyPublished.events { standby?.unpublished.receive(event, at: now) }
    }

    /// Applies a configuration while the aggregator runs.
    ///
    /// - Returns: the tables and keys that changed as well, and take effect at the next start.
    package mutating func reload(_ configuration: AggregatorConfiguration, at moment: Moment) -> [String] {
        followed.diverge()
        return site.reload(configuration, at: moment)
    }

    // MARK: What is to be done

    package mutating func nextAction(at now: Instant) -> Action? {
        while true {
            if let action = actions.popFirst() { return action }
            if site.files.schedule.isDue { pipeline.unpublished = standby?.unpublished.pending ?? [] }
            switch site.next(at: now) {
            case .action(let action): return .site(action)
            case .output(let output): carryOut(output, at: now)
            case nil: return nil
            }
        }
    }

    private mutating func carryOut(_ output: SiteOutput, at now: Instant) {
        if let output = passed(output) { site.carryOut(output, at: now) }
        // Not every broker sends what it retains to a filter with wildcards: the shares follow each `info`.
        if case .info = output, let shares = division.shares { carryOut(.publish(shares), at: now) }
    }

    /// When the driver wants `timePassed`, if nothing happens until then.
    package var nextDeadline: Instant { site.nextDeadline }

    /// Ends: all events are to be written and published with the actions that follow. Returns what is published behind all of it.
    package mutating func stop(at moment: Moment) -> [OutgoingMessage] {
        site.stop(at: moment).compactMap { output in
            switch output {
            case .publish(let message): OutgoingMessage(message, under: configuration.prefix)
            case .info(let info):
                OutgoingMessage(Message(division.part.infoTopic, completed(info)), under: configuration.prefix)
            default: nil
            }
        }
    }

    /// The state of the site in one sentence, for the supervisor.
    package func status(at now: Instant) -> String {
        guard !isActive else { return site.status(at: now) }
        return "On standby, knows \(site.itemCount) items; connected to \(configuration.broker.endpoint)"
    }

    /// Every table that can grow, with its size and its limit.
    package var tables: [(name: String, count: Int, limit: Int)] {
        pipeline.tables + [
            ("unpublished events of one item", standby?.unpublished.longest ?? 0, UnpublishedEvents.most)
        ]
    }

    // MARK: Shares

    /// Receives a message that concerns the division of the site among aggregators; returns whether nothing else is to be done with it.
    ///
    /// The aggregator without a name writes the registry, responds to the commands and announces the gateways. Those with a name follow the
    /// registry, and each publishes what concerns its own items.
    private mutating func receive(
        _ topic: Topic, _ payload: [UInt8], isRetained: Bool
    ) throws(PayloadRefusal) -> Bool {
        let isNamed = !division.part.writesRegistry
        let now = pipeline.effects.now.instant
        switch topic {
        case .aggregatorShares: try receive(shares: payload, of: "")
        case .namedShares(let name): try receive(shares: payload, of: name)
        case .namedAvailability(let name):
            division.receive(availability: payload, of: name, isRetained: isRetained, at: now)
        case .aggregatorAvailability where isNamed:
            division.receive(availability: payload, of: "", isRetained: isRetained, at: now)
        case .registryManifest, .registryPart, .registryItem, .registryRegion:
            guard isNamed else { return false }
            if try followed.receive(topic, payload, at: now) {
                _ = pipeline.takeOver(registry: followed, followed.drainChanges())
            }
        case .gatewayInfo(let gateway) where isNamed && payload.isEmpty:
            // The aggregator without a name has removed the gateway.
            pipeline.forgetIfGone(gateway: gateway)
        case .itemLocation(let id), .itemHealth(let id), .itemNotification(let id), .itemEvent(let id):
            return !division.part.publishes(item: id, of: pipeline.registry)
        case .aggregatorRequest(let what):
            return !isRetained && !division.responds(to: what, payload, pipeline.registry, &site.pipeline.effects)
        default: return false
        }
        return true
    }

    private mutating func receive(shares payload: [UInt8], of name: String) throws(PayloadRefusal) {
        if try division.receive(shares: payload, of: name, &site.pipeline.effects) { pipeline.locate(division.part) }
    }

    /// Lets time pass for the division of the site and for the registry that another aggregator writes.
    private mutating func advance(to moment: Moment) {
        pipeline.effects.now = moment
        if division.advance(&site.pipeline.effects) { pipeline.locate(division.part) }
        if division.repeatsLocations(at: moment.instant) { pipeline.publishStates() }
        if let name = division.part.name { advanceFollowed(by: name) }
    }

    /// Asks again for entries of the registry that the broker did not deliver, and reports those that do not come.
    ///
    /// - Parameter name: the name of this aggregator.
    mutating func advanceFollowed(by name: String) {
        for step in followed.fetchMissing(at: pipeline.effects.now.instant) { pipeline.effects.perform(.fetch(step)) }
        guard followed.updateProblem(of: name) else { return }
        if let problem = followed.problem { pipeline.effects.warn(problem) }
        pipeline.effects.infoChanged()
    }

    /// The site's `info` with what this driver knows.
    func completed(_ info: AggregatorInfo) -> AggregatorInfo {
        var info = info
        info.problems += [followed.problem].compactMap { $0 } + division.overlaps
        (info.active, info.standby) = (standby?.name, standby?.others)
        if standby != nil { info.people = pipeline.people.added }
        return info
    }
}
