import Beacons
import Delivery
import EventLogs
import Messages
import Settings

/// Makes every decision of a gateway: takes inputs and the time, and returns actions. It uses no socket, disk, clock or log.
///
/// The caller hands over inputs, then carries out `nextAction` until there is none, and sleeps until `nextDeadline`.
/// The gateway service and the fleet simulator run the same driver.
package struct GatewayDriver: Sendable {
    /// An event from the gateway's surroundings.
    package enum Input: Sendable {
        /// The connection reports something.
        case broker(BrokerEvent)
        /// The radio reports something, by this interface and address.
        case radio([RadioNotice], interface: String?, address: DeviceAddress?)
        case timePassed
        /// The connection has accepted the publication of the last action under a number, or has not.
        case published(UInt64?)
        /// The outcome of the last action on the event log.
        case wrote(EventWriter.Outcome)
        /// The file of the last action was written, or was not, for this reason.
        case replaced(GatewayFile, problem: String?)
    }

    /// A task for the gateway's shell.
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
        case replace(GatewayFile, [UInt8])
        /// Ask the radio whether it scans.
        case proveRadio
        /// Restart the radio from its initial state.
        case restartRadio
        /// Measure the machine, and the processor time and memory of the process; the results go to `note` and `publishTelemetry`.
        case measure
        case log(LogLevel, String)
        case setLogLevel(LogLevel)
    }

    /// A read of the event log's disk.
    package enum Reading: Sendable {
        /// Events that are to be published.
        case span(EventSpan)
        /// The events after the stored states.
        case restore
        /// The events of a request.
        case respond(Request)
    }

    /// The gateway's own decisions: regions, distances, states.
    package internal(set) var pipeline: GatewayPipeline
    /// For a simulation: messages in the order in which they were decided, before they wait for their events; `nil` if nobody reads them.
    package var decided: [Message]?
    var messenger: Messenger
    private var files: GatewayFiles
    private var actions: ArraySlice<Action> = []
    /// The files of a former process, until the event log was read.
    private var restoring: StoredFiles?
    private let machine: String
    private(set) var reconnects: UInt64 = 0
    /// Why the broker does not serve this gateway, or not all the time, in a sentence; `nil` if nothing is known against it.
    package var brokerProblem: String? { refusal ?? (sharedID.isProblem ? sharedIDProblem : nil) }
    /// Why the broker does not serve this gateway now.
    private var refusal: String?
    private var sharedID = SharedID()
    private var sharedIDProblem: String { SharedID.sentence(configuration.broker.clientID, ofGateway: true) }
    /// The topic of the discovery that a former process or configuration published, and the publication that clears it.
    private var publishedDiscovery: String
    private var takingBack: UInt64?
    /// The topics that were cleared without a connection, to be cleared with the next one. Up to the limit of those that wait for their events.
    private(set) var uncleared: Set<Topic> = []

    /// Creates a driver from the files of a former process.
    ///
    /// - Parameters:
    ///   - machine: the id of the machine's start.
    ///   - isLive: whether states are written and restored; a recording that is played fast has a clock of its own.
    ///   - now: the machine's clock, which schedules disk and retries; it differs from `moment` only if a recording is played fast.
    package init(
        _ configuration: GatewayConfiguration, boot: Boot, stored: StoredFiles, machine: String, isLive: Bool = true,
        at moment: Moment, machineTime now: Instant
    ) {
        let configuration = stored.settings.map { configuration.with($0) } ?? configuration
        pipeline = GatewayPipeline(configuration, boot: boot, at: moment)
        messenger = Messenger()
        files = GatewayFiles(isLive: isLive, at: now)
        self.machine = machine
        publishedDiscovery = stored.discovery
        if let registry = stored.registry { pipeline.restore(registry) }
        if stored.discovery == configuration.discoveryTopic { pipeline.restore(components: stored.components) }
        if isLive { restoring = stored }
        files.wrote(.count, problem: stored.countProblem, at: now)
        // A value that somebody has edited in gateway.toml since is forgotten for good.
        if let settings = stored.settings, settings != configuration.changed { files.schedule.add(.settings) }
    }

    package var configuration: GatewayConfiguration { pipeline.configuration }

    // MARK: What happens

    /// Sets the time before advertisements are received, because enters are dated by it.
    package mutating func wake(at moment: Moment) { pipeline.wake(at: moment) }

    package mutating func slept(until moment: Moment) { pipeline.slept(until: moment) }

    package mutating func receive(_ advertisement: Advertisement, _ data: RawSpan) {
        pipeline.receive(advertisement, data)
    }

    /// Handles an input. The resulting actions come from `nextAction`.
    package mutating func handle(_ input: Input, at moment: Moment, machineTime now: Instant) {
        switch input {
        case .broker(let event):
            resume()
            receive(event, at: moment, machineTime: now)
            reportRefusedEvents(at: moment)
        case .radio(let notices, let interface, let address):
            (pipeline.status.radio.interface, pipeline.status.radio.address) = (interface, address)
            for notice in notices { pipeline.handle(notice, at: moment) }
        case .timePassed:
            resume()
            pipeline.advance(to: moment)
            if sharedID.takeEnd(at: now) { pipeline.replace(problem: sharedIDProblem, by: nil, at: moment) }
            if files.areDue(upcoming: pipeline.log.upcoming, at: now) { pipeline.events.finish() }
            if messenger.publishesAnew(at: now) {
                // What is still refused is reported again.
                refusal = nil
                pipeline.connected(at: moment)
            }
            if let problem = messenger.drainDroppedProblem() { log(.warning, problem) }
        case .published(let number):
            let message = messenger.published(as: number, isEvent: pipeline.events.published(as: number))
            if message?.topic == publishedDiscovery, message?.payload.isEmpty == true { takingBack = number }
        case .wrote(let outcome):
            if let damage = outcome.damage { log(.warning, damage) }
            pipeline.events.wrote(outcome, at: now)
        case .replaced(let file, let problem):
            if file == .discovery { return wroteDiscovery(problem: problem) }
            files.wrote(file, problem: problem, at: now)
        }
    }

    /// The broker has ended the connection, because another client connected with this gateway's id.
    package mutating func wasThrownOut(at moment: Moment, machineTime now: Instant) {
        sharedID.noticed(at: now)
        pipeline.replace(problem: sharedIDProblem, by: sharedIDProblem, at: moment)
    }

    private mutating func receive(_ event: BrokerEvent, at moment: Moment, machineTime now: Instant) {
        switch event {
        case .connected:
            messenger.connected()
            refusal = nil
            log(.notice, "Connected to the broker \(configuration.broker.endpoint)")
            clearFormerDiscovery()
            publishClearings()
            pipeline.connected(at: moment)
        case .disconnected(let fault):
            messenger.disconnected()
            pipeline.events.connectionLost()
            refusal = "\(fault)"
            reconnects += 1
            log(.warning, "The connection to the broker ended: \(fault)")
            pipeline.disconnected(at: moment)
        case .failing(let fault):
            refusal = "\(fault)"
            log(.warning, "No connection to the broker: \(fault)")
        case .message(let topic, let payload, let isRetained):
            pipeline.receive(topic: topic, payload: payload, isRetained: isRetained, at: moment)
        case .acknowledged(let number):
            if number == takingBack { files.schedule.add(.discovery) }
            pipeline.events.acknowledged(number)
        case .refused(let number, let rejection):
            refusal = "\(rejection)"
            let isOwn = pipeline.effects.isOwn
            guard !pipeline.events.refused(number, rejection, at: now, isOwn: isOwn),
                messenger.refused(rejection, at: now)
            else { return }
            log(.error, "The broker refuses what this gateway publishes: \(rejection)")
        case .subscribed(let filter):
            guard let problem = messenger.subscribed(filter) else { return }
            if refusal == problem { refusal = nil }
            log(.notice, "The broker lets this gateway read \(filter) again")
            pipeline.replace(problem: problem, by: nil, at: moment)
        case .subscriptionRefused(let filter, let rejection):
            let problem = "The broker does not let this gateway read \(filter): \(rejection)"
            refusal = problem
            let (isNew, former) = messenger.subscriptionRefused(filter, problem: problem)
            guard isNew else { return }
            log(.error, problem)
            pipeline.replace(problem: former, by: problem, at: moment)
        case .dropped(let count, let reason):
            log(.warning, "\(count) messages from the broker were not read: \(reason)")
        }
    }

    /// The connection may have room again, and the disk may be readable.
    private mutating func resume() {
        messenger.resume()
        pipeline.events.resume()
    }

    /// Reports events that the broker refuses once, and in `info` for as long as they wait.
    private mutating func reportRefusedEvents(at moment: Moment) {
        if let reason = pipeline.events.takeGivenUp() { log(.warning, reason) }
        guard let (former, problem) = pipeline.events.changedProblem() else { return }
        if let problem { log(.error, problem) }
        if problem == nil, messenger.isConnected { log(.notice, "The broker takes events again") }
        pipeline.replace(problem: former, by: problem, at: moment)
    }

    private mutating func log(_ level: LogLevel, _ line: String) { actions.append(.log(level, line)) }

    // MARK: Former discovery

    /// Clears the discovery of a former process if this process does not publish it, and stores the present topic.
    ///
    /// Each topic is cleared once, because Home Assistant warns of a second time. The topic is stored on disk, because the broker's rules let
    /// a gateway write that topic but not read it.
    private mutating func clearFormerDiscovery() {
        guard publishedDiscovery != configuration.discoveryTopic ?? "" else { return }
        guard !publishedDiscovery.isEmpty else { return files.schedule.add(.discovery) }
        messenger.add(OutgoingMessage(topic: publishedDiscovery, payload: [], qos: .atLeastOnce, retain: true))
    }

    private mutating func wroteDiscovery(problem: String?) {
        guard let problem else { return publishedDiscovery = configuration.discoveryTopic ?? "" }
        log(.warning, "\(problem): discovery that is switched off later has to be cleared by hand")
    }

    // MARK: What is to be done

    /// The next action. Events are on the disk before they are published, and are published before the states that follow from them.
    ///
    /// - Parameter now: the machine's clock.
    package mutating func nextAction(machineTime now: Instant) -> Action? {
        let mayPublish = messenger.isReady && pipeline.eventsMayGo
        switch pipeline.events.next(writtenAt: pipeline.writtenAt, mayPublish: mayPublish, at: now) {
        case .write(let step): return .write(step)
        case .read(let span): return .read(.span(span))
        case .publish(let entry): return .publish(OutgoingMessage(entry), event: entry.place)
        case nil: break
        }
        if restoring != nil { return .read(.restore) }
        pipeline.note(diskProblem: pipeline.events.diskProblem ?? files.schedule.problem)
        collectOutputs()
        if let action = actions.popFirst() { return action }
        if let message = messenger.nextMessage(pipeline.log, under: pipeline.effects.prefix) {
            return .publish(message, event: nil)
        }
        return files.next(of: pipeline, machine: machine, at: now).map { .replace($0, $1) }
    }

    /// Clears what was cleared without a connection. Present states follow.
    private mutating func publishClearings() {
        let prefix = pipeline.effects.prefix
        for topic in uncleared.sorted(by: { $0.name(under: prefix) < $1.name(under: prefix) }) {
            messenger.publish(.clearing(topic), under: prefix, behind: pipeline.log)
        }
        uncleared = []
    }

    private mutating func collectOutputs() {
        for output in pipeline.drainOutputs() {
            switch output {
            case .publish(let message):
                decided?.append(message)
                if !messenger.isConnected, message.payload.isEmpty, uncleared.count < HeldStates.mostCleared {
                    uncleared.insert(message.topic)
                }
                messenger.publish(message, under: pipeline.effects.prefix, behind: pipeline.log)
            case .publishElsewhere(let message): messenger.add(OutgoingMessage(message), isStep: true)
            case .storeComponents: files.schedule.add(.components)
            case .storeRegistry: files.schedule.add(.registry)
            case .settingsChanged:
                files.schedule.add(.settings)
                actions.append(.setLogLevel(configuration.log.level))
            case .perform(let action): actions.append(action)
            }
        }
    }

    /// Carries out a `read` action; `disk` returns `nil` if the disk cannot be read now.
    package mutating func read(_ reading: Reading, by disk: (EventSpan, Catalogue) -> [Entry]?) {
        var isReadable = true
        func read(_ span: EventSpan, _ catalogue: Catalogue) -> [Entry]? {
            let entries = disk(span, catalogue)
            isReadable = isReadable && entries != nil
            return entries
        }
        switch reading {
        case .span(let span): pipeline.events.supply(disk(span, pipeline.log.catalogue), for: span)
        case .restore:
            guard let stored = restoring else { return }
            restoring = nil
            let events = pipeline.log.events(after: stored.states, read: read)
            pipeline.restore(stored.states, stored.silences, events: events, machine: machine)
        case .respond(let request): pipeline.respondWithEvents(request, read: read)
        }
        if !isReadable { pipeline.events.couldNotRead() }
    }

    /// When to pass `timePassed`, if no other input comes before.
    package var nextDeadline: Instant { nextUpkeep.map { min($0, nextDecision) } ?? nextDecision }

    /// When the next decision is due, on the clock that a played recording advances.
    package var nextDecision: Instant { pipeline.nextDeadline }

    /// When the disk or a retry is due, on the machine's clock; `nil`: nothing waits for that.
    package var nextUpkeep: Instant? {
        [
            pipeline.events.nextDeadline(mayPublish: pipeline.eventsMayGo), messenger.nextRetry,
            files.schedule.nextDeadline,
        ].compactMap { $0 }.min()
    }

    // MARK: The end

    /// Stops the gateway: the following actions write and publish everything.
    ///
    /// - Returns: the messages that are published after all of these actions.
    package mutating func stop(at moment: Moment) -> [OutgoingMessage] {
        resume()
        pipeline.events.finish()
        files.finish()
        return (messenger.drainHeld() + pipeline.farewell(at: moment)).map {
            OutgoingMessage($0, under: pipeline.effects.prefix)
        }
    }

    /// Ends the connection; the events acknowledged until then are to be written.
    package mutating func end() {
        messenger.end()
        pipeline.events.finish()
    }
}
