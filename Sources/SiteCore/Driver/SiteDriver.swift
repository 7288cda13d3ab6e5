import Beacons
import Channels
import Delivery
import EventLogs
import Locating
import Messages
import Settings

/// Everything that the aggregator decides. It knows neither socket nor disk nor clock nor log: inputs and time go in, actions come out.
///
/// The caller hands over inputs, then carries out `nextAction` until there is none, and sleeps until `nextDeadline`.
/// The aggregator service and the fleet simulator run the same driver.
package struct SiteDriver: Sendable {
    /// What happens to the aggregator.
    package enum Input: Sendable {
        /// The connection reports something.
        case broker(BrokerEvent)
        case timePassed
        /// The connection has accepted the publication of the last action under a number, or has not.
        case published(UInt64?)
        /// The outcome of the last action on the event log.
        case wrote(EventWriter.Outcome)
        /// The file of the last action was written, or was not, for this reason.
        case replaced(SiteFile, problem: String?)
        case delivered(UInt64, DeliveryOutcome)
    }

    /// What the aggregator wants done.
    package enum Action: Sendable {
        /// Carry out a step on the event log's disk; respond with `wrote`.
        case write(EventWriter.Step)
        /// Call `read` with a reader of the event log's disk.
        case read(Reading)
        /// Publish a message, an event perhaps; respond with `published`.
        case publish(OutgoingMessage, event: Place?)
        /// Subscribe to entries of the registry, or unsubscribe.
        case fetch(RegistryFetch.Step)
        /// Write a file of the state folder so that a power cut leaves the old or the new one; respond with `replaced`.
        case replace(SiteFile, [UInt8])
        /// Add bytes to the end of a file of the state folder, and wait until they are on the disk; respond with `replaced`.
        case append(SiteFile, [UInt8])
        /// Learn beside everything else; the result goes to the pipeline.
        case learn(Lesson)
        /// Hand a notification to the user's own program.
        case notify([UInt8])
        /// Bring a message to a person's phone; respond with `delivered`.
        case deliver(Channels.Delivery)
        case log(LogLevel, String)
    }

    /// What is read from the event log's disk.
    package enum Reading: Sendable {
        case span(EventSpan)
        /// What was published after the site was written.
        case recall
        /// Events that somebody asks for, a segment of the log at a time.
        case responses
    }

    /// The aggregator's own decisions: presence, rooms, registry, notifications.
    package internal(set) var pipeline: SitePipeline
    var messenger: Messenger
    var files: SiteFiles
    var actions: ArraySlice<Action> = []
    /// Decisions that wait until what they follow from is on the disk.
    private var outputs: ArraySlice<SiteOutput> = []
    /// Long responses are read a segment at a time, so that they hold up nothing else.
    private var mayReadLog = false
    /// What the broker refuses of this connection's publications, besides events, in a sentence.
    private var refusal: String?
    private var sharedID = SharedID()
    private var sharedIDProblem: String { SharedID.sentence(configuration.broker.clientID, ofGateway: false) }
    /// What former processes published is still to be looked up.
    private var mustRecall = true

    /// A driver that begins with the site as a former process wrote it.
    ///
    /// - Parameters:
    ///   - countProblem: why the count of starts could not be written, if so.
    ///   - random: draws the key of the tokens of messages; a site that has channels, or gets any with a reload, needs one.
    ///   - secret: that key, if aggregators share it.
    package init(
        _ configuration: AggregatorConfiguration, boot: Boot, stored: StoredSite?, countProblem: String? = nil,
        random: (any RandomNumberGenerator & Sendable)? = nil, secret: [UInt8]? = nil, at moment: Moment
    ) {
        pipeline = SitePipeline(
            configuration, boot: boot, stored: stored, random: random, secret: secret, at: moment)
        messenger = Messenger()
        files = SiteFiles(boot, at: moment.instant)
        if countProblem != nil { files.schedule.set(.site, at: moment.instant) }
    }

    package var configuration: AggregatorConfiguration { pipeline.configuration }

    // MARK: What happens

    /// Handles an input; what follows from it comes with `nextAction`.
    package mutating func handle(_ input: Input, at moment: Moment) {
        switch input {
        case .broker(let event):
            resume()
            handle(event, at: moment)
            reportRefusedEvents()
        case .timePassed:
            resume()
            pipeline.advance(to: moment)
            mayReadLog = true
            if sharedID.takeEnd(at: moment.instant) { replace(problem: sharedIDProblem, by: nil) }
            if let problem = messenger.drainDroppedProblem() { log(.warning, problem) }
            if files.areDue(at: moment.instant) { pipeline.events.finish() }
            if messenger.publishesAnew(at: moment.instant) { pipeline.republish(at: moment) }
        case .published(let number):
            messenger.published(as: number, isEvent: pipeline.events.published(as: number))
        case .wrote(let outcome):
            if let damage = outcome.damage { log(.warning, damage) }
            pipeline.events.wrote(outcome, at: moment.instant)
        case .replaced(let file, let problem): wrote(file, problem: problem, at: moment.instant)
        case .delivered(let number, let outcome): pipeline.delivered(number, outcome, at: moment)
        }
    }

    /// The broker has ended the connection, because another client connected with this aggregator's id.
    package mutating func wasThrownOut(at now: Instant) {
        if !sharedID.isProblem { replace(problem: nil, by: sharedIDProblem) }
        sharedID.noticed(at: now)
    }

    /// The machine slept until this moment, or this process stood still.
    package mutating func slept(until moment: Moment) { pipeline.slept(until: moment) }

    mutating func handle(_ event: BrokerEvent, at moment: Moment) {
        switch event {
        case .connected:
            messenger.connected()
            receives(at: moment)
        case .disconnected(let fault):
            stopsPublishing()
            stopsReceiving(fault, at: moment)
        case .failing(let fault): log(.warning, "No connection to the broker: \(fault)")
        case .message(let topic, let payload, let isRetained):
            pipeline.receive(topic: topic, payload: payload, isRetained: isRetained, at: moment)
        case .acknowledged(let number): pipeline.events.acknowledged(number)
        case .refused(let number, let rejection):
            let isOwn = { [prefix = pipeline.effects.prefix] in Topic(named: $0, under: prefix) != nil }
            guard !pipeline.events.refused(number, rejection, at: moment.instant, isOwn: isOwn),
                messenger.refused(rejection, at: moment.instant)
            else { return }
            let problem = "The broker refuses what the aggregator publishes: \(rejection)"
            log(.error, problem)
            replace(problem: refusal, by: problem)
            refusal = problem
        case .subscribed(let filter):
            guard let problem = messenger.subscribed(filter) else { return }
            log(.notice, "The broker lets the aggregator read \(filter) again")
            pipeline.status.replace(problem: problem, by: nil)
            // What came meanwhile was not delivered.
            pipeline.reports.gateways.missedMessages()
        case .subscriptionRefused(let filter, let rejection):
            let problem = "The broker does not let the aggregator read \(filter): \(rejection)"
            let (isNew, former) = messenger.subscriptionRefused(filter, problem: problem)
            guard isNew else { return }
            log(.error, problem)
            pipeline.status.replace(problem: former, by: problem)
        case .dropped(let count, let reason):
            log(.warning, "\(count) messages from the broker were not read: \(reason)")
            pipeline.reports.gateways.missedMessages()
        }
    }

    /// The connection that receives is there.
    mutating func receives(at moment: Moment) {
        log(.notice, "Connected to the broker \(configuration.broker.endpoint)")
        pipeline.connected(at: moment)
    }

    /// The connection that receives has ended.
    mutating func stopsReceiving(_ fault: String, at moment: Moment) {
        pipeline.disconnected(at: moment)
        log(.warning, "The connection to the broker ended: \(fault)")
    }

    /// The connection that publishes has ended: what was on its way to the broker is lost, or was delivered all the same.
    mutating func stopsPublishing() {
        messenger.disconnected()
        pipeline.events.connectionLost()
        // What is still refused on the next connection is reported again.
        pipeline.status.replace(problem: refusal, by: nil)
        refusal = nil
    }

    /// The connection may have room again, and the disk may be readable.
    mutating func resume() {
        messenger.resume()
        pipeline.events.resume()
    }

    /// Reports events that the broker refuses once, and in `info` for as long as they wait.
    mutating func reportRefusedEvents() {
        if let reason = pipeline.events.takeGivenUp() { log(.warning, reason) }
        guard let (former, problem) = pipeline.events.changedProblem() else { return }
        if let problem { log(.error, problem) }
        if problem == nil, messenger.isConnected { log(.notice, "The broker takes events again") }
        pipeline.status.replace(problem: former, by: problem)
    }

    mutating func log(_ level: LogLevel, _ line: String) { actions.append(.log(level, line)) }

    // MARK: What is to be done

    /// What comes next: an action, or a decision that is handed out before it is carried out.
    enum Next {
        case action(Action)
        case output(SiteOutput)
    }

    /// What comes next. Events are on the disk before they are published; the site is on the disk before a response.
    mutating func next(at now: Instant) -> Next? {
        let mayPublish = messenger.isReady && pipeline.eventsMayGo
        switch pipeline.events.next(writtenAt: pipeline.writtenAt, mayPublish: mayPublish, at: now) {
        case .write(let step): return .action(.write(step))
        case .read(let span): return .action(.read(.span(span)))
        case .publish(let entry): return .action(.publish(OutgoingMessage(entry), event: entry.place))
        case nil: break
        }
        if mustRecall { return .action(.read(.recall)) }
        if let action = actions.popFirst() { return .action(action) }
        if mayReadLog, pipeline.isReadingLog {
            mayReadLog = false
            return .action(.read(.responses))
        }
        if let write = files.next(of: &pipeline, at: now) { return .action(write) }
        pipeline.status.note(diskProblem: pipeline.events.diskProblem ?? files.schedule.problem, &pipeline.effects)
        outputs += pipeline.drainOutputs()
        if let output = outputs.popFirst() { return .output(output) }
        let message = messenger.nextMessage(pipeline.log, under: pipeline.effects.prefix)
        return message.map { .action(.publish($0, event: nil)) }
    }

    mutating func carryOut(_ output: SiteOutput, at now: Instant) {
        switch output {
        case .publish(let message):
            messenger.publish(
                message, under: pipeline.effects.prefix, behind: pipeline.log,
                goesLast: message.topic == .registryManifest)
        case .info(let info): carryOut(.publish(Message(pipeline.part.infoTopic, info)), at: now)
        case .publishElsewhere(let message): messenger.add(OutgoingMessage(message), isStep: true)
        case .storeSiteNow:
            pipeline.events.finish()
            files.schedule.add(.site)
        case .storeSite: files.store(isUrgent: pipeline.isStoredTooRarely, at: now)
        case .storeSurveys: files.schedule.add(.surveys)
        case .storePast: files.schedule.add(.past)
        case .perform(let action): actions.append(action)
        }
    }

    private mutating func wrote(_ file: SiteFile, problem: String?, at now: Instant) {
        switch (file, problem) {
        case (.site, _), (.changes, _):
            files.wroteSite(problem: problem, at: now)
            if problem == nil { pipeline.reports.gateways.areOnDisk() }
        case (.past, nil): pipeline.reports.items.study.pastIsStored(bytes: files.pastBytes, at: now)
        case (.past, let problem?): log(.warning, "\(problem): the RSSI history is in memory only")
        case (.surveys, nil): break
        case (.surveys, let problem?): log(.error, "\(problem): the surveys are in memory only")
        }
    }

    /// Reads what an action wants read; `disk` returns `nil` if the disk cannot be read now.
    package mutating func read(_ reading: Reading, by disk: (EventSpan, Catalogue) -> [Entry]?) {
        var isReadable = true
        func read(_ span: EventSpan, _ catalogue: Catalogue) -> [Entry]? {
            let entries = disk(span, catalogue)
            isReadable = isReadable && entries != nil
            return entries
        }
        switch reading {
        case .span(let span): pipeline.events.supply(disk(span, pipeline.log.catalogue), for: span)
        case .recall:
            mustRecall = false
            let hasGateways = pipeline.reports.gateways.count > 0
            pipeline.recall(pipeline.items.events.publishedSinceWrite(hasGateways: hasGateways, read))
        case .responses: pipeline.readLog(read)
        }
        if !isReadable { pipeline.events.couldNotRead() }
    }

    /// When the driver wants `timePassed`, if nothing happens until then.
    package var nextDeadline: Instant {
        [
            pipeline.events.nextDeadline(mayPublish: pipeline.eventsMayGo), messenger.nextRetry,
            files.schedule.nextDeadline, pipeline.isReadingLog ? pipeline.effects.now.instant : nil,
        ].compactMap { $0 }.reduce(pipeline.nextDeadline, min)
    }

    // MARK: The end

    /// Ends: all events are to be written and published with the actions that follow. Returns what is published behind all of it.
    mutating func stop(at moment: Moment) -> [SiteOutput] {
        resume()
        pipeline.events.finish()
        return pipeline.isActive ? pipeline.farewell(at: moment) : []
    }

    /// The connection has ended: everything is to be written.
    package mutating func end() {
        messenger.end()
        pipeline.events.finish()
        files.writeWhole()
        if pipeline.items.study.hasUnstoredPast { files.schedule.add(.past) }
    }

    // MARK: What the service hands over besides inputs

    package var itemCount: Int { pipeline.items.table.count }

    /// Begins with what a former process learned from.
    package mutating func remember(past: TrainingHistory, surveys: [StoredSurveys.Entry]) {
        pipeline.reports.items.study.restore(past: past, surveys: surveys)
    }

    /// Adopts the result of a lesson; `nil` if there was too little to learn from.
    package mutating func adopt(_ learned: Learned?, of lesson: Lesson, at moment: Moment) {
        pipeline.effects.now = moment
        pipeline.reports.items.adopt(learned, of: lesson, at: moment.wall)
    }

    /// By how much the site's local clock is ahead of UTC at a time.
    package mutating func set(utcOffset: @escaping @Sendable (WallTime) -> Interval) {
        pipeline.reports.items.utcOffset = utcOffset
    }

    /// Reports `new` among the problems in the place of `old`, at once.
    package mutating func replace(problem old: String?, by new: String?) {
        guard old != new else { return }
        pipeline.status.replace(problem: old, by: new)
        pipeline.effects.infoChanged()
    }

    /// Applies a configuration while the aggregator runs.
    ///
    /// - Returns: the tables and keys that changed as well, and take effect at the next start.
    package mutating func reload(_ configuration: AggregatorConfiguration, at moment: Moment) -> [String] {
        pipeline.reload(configuration, at: moment)
    }

    /// Applies other channels to persons, and nothing else.
    package mutating func reload(channels: [ChannelSettings], at moment: Moment) {
        pipeline.reload(channels: channels, at: moment)
    }

    /// Why a configuration does not fit together with what is on disk, as a sentence; `nil` if it does.
    package static func excess(of configuration: AggregatorConfiguration, stored: StoredSite?) -> String? {
        SiteRegistry.excess(configuration, stored: stored)
    }

    /// Why a configuration does not fit together with the present registry, as a sentence; `nil` if it does.
    package func excess(of configuration: AggregatorConfiguration) -> String? {
        SiteRegistry.excess(configuration, stored: pipeline.stored)
    }

    /// The state of the site in one sentence, for the supervisor.
    package func status(at now: Instant) -> String {
        let (broker, items) = (configuration.broker.endpoint, pipeline.items.table)
        guard messenger.isConnected else { return "Knows \(items.count) items; no connection to \(broker)" }
        let home = items.values.count { $0.presence == .home }
        let alive = pipeline.reports.gateways.alive(at: now)
        let problem = pipeline.status.firstProblem
        return
            ([
                "\(home) of \(items.count) items are home",
                "\(alive) of \(pipeline.reports.gateways.count) gateways are alive",
            ]
            + ["connected to \(broker)", problem].compactMap { $0 }).joined(separator: "; ")
    }
}
