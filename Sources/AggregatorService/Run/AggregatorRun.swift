import Archive
import Beacons
import Broker
import Glibc
import Linux
import Logging
import Messages
import Mosquitto

/// Is the site's aggregator until it is told to stop.
public func runAggregator(_ configuration: AggregatorConfiguration) throws(Failure) -> ExitStatus {
    var run = try AggregatorRun(configuration)
    return try run.untilTheEnd()
}

/// The live driver of the aggregator: the site's pipeline and the broker's connection.
struct AggregatorRun {
    /// How long the farewell may take: a stop ends within two seconds.
    static let farewell = Interval.milliseconds(1500)
    /// The disk is written at most so often, and as the budget allows.
    /// What a crash takes with it, gateways and the log of events bring back.
    static let keepPeriod = Interval.seconds(30)
    /// The same where a gateway starts so often that its boots would be forgotten.
    static let shortKeepPeriod = Interval.seconds(5)

    private static let siteFile = "site.json"

    let configuration: AggregatorConfiguration
    var supervision = Supervision()
    let logger = Logger.forService("forgetmenot")
    let folder: StateFolder
    /// No other aggregator works in the folder; `nil` where the folder cannot be written at all.
    let lock: StateLock?
    let signals: Signals
    let connection: BrokerConnection
    var pipeline: SitePipeline
    var notifier: NotifyRunner?
    var delivery: EventDelivery
    var isConnected = false
    var outbox = Outbox()
    var refusedStates = RefusedStates()
    /// What `info` says of the events that the broker refuses.
    private var saidRefusal: String?
    /// Something is to be kept on disk, and may be from then on.
    var keepsAt: Instant?
    var keptLast = Instant.zero
    var budget = WriteBudget(at: Clock.now)
    /// What is being learned.
    var lesson: LessonUnderWay?
    var counter: BootCounter
    /// Why site.json is not on disk, if so.
    var fileProblem: String?

    init(_ configuration: AggregatorConfiguration) throws(Failure) {
        self.configuration = configuration
        do throws(SystemError) {
            signals = try Signals([SIGINT, SIGTERM, SIGHUP, SIGCHLD])
        } catch {
            throw Failure(.unavailable, "\(error)")
        }
        folder = StateFolder(path: configuration.stateDirectory)
        lock = try StateLock.claim(folder, for: "aggregator")
        delivery = EventDelivery(in: folder, configuration.log)
        counter = BootCounter(in: folder)
        var generator = SystemRandomNumberGenerator()
        let kept = try Self.kept(in: folder, logger)
        if let excess = SiteRegistry.excess(configuration, kept: kept) { throw Failure(.configuration, excess) }
        pipeline = SitePipeline(
            configuration, boot: Boot(epoch: counter.epoch, using: &generator), kept: kept, at: Clock.moment)
        notifier = configuration.notifyCommand.map { NotifyRunner($0) }
        connection = try makeConnection(configuration.brokerOptions)
        rememberWhatWasLearned()
        delivery.archive.keep(&pipeline.log, writtenAt: pipeline.writtenAt, at: Clock.now)
        pipeline.recallWhatWasTold(read: delivery.archive.read)
        if counter.problem != nil { keepsAt = Clock.now }
    }

    mutating func untilTheEnd() throws(Failure) -> ExitStatus {
        try connection.begin()
        logger.info("The aggregator knows \(pipeline.items.count) items")
        supervision.supervisor.ready()
        while true {
            if let signal = signals.next(), signal != SIGCHLD {
                guard signal == SIGHUP else { break }
                reload()
            }
            takeNotices()
            takeLesson()
            let moment = Clock.moment
            pipeline.utcOffset = Clock.utcOffset
            pipeline.advance(to: moment)
            delivery.archive.keep(&pipeline.log, writtenAt: pipeline.writtenAt, at: Clock.now)
            pipeline.note(diskProblem: delivery.archive.problem ?? fileProblem)
            if isConnected, pipeline.eventsMayGo { delivery.deliver(&pipeline.log, over: connection, at: Clock.now) }
            pipeline.readLog(delivery.archive.read)
            // Carrying out a request for old events makes its answer: the loop must not sleep on that.
            repeat { carryOut(moment) } while !pipeline.outputs.isEmpty
            keepIfDue(moment.instant)
            runCommands(moment.instant)
            report()
            let next = [
                pipeline.nextDeadline, keepsAt, notifier?.nextDeadline, delivery.archive.nextDeadline(pipeline.log),
                supervision.nextDeadline, pipeline.eventsMayGo ? delivery.nextDeadline : nil,
                refusedStates.nextDeadline, pipeline.isReadingLog ? moment.instant : nil,
            ].compactMap { $0 }.min()
            _ = wait(for: [signals.number, connection.wakeup] + (lesson.map { [$0.number] } ?? []), until: next)
        }
        supervision.supervisor.stopping()
        outbox.send { [connection] in connection.publish($0) != nil }
        let farewell = pipeline.farewell(at: Clock.moment).map { Publication($0, under: configuration.prefix) }
        delivery.end(
            &pipeline.log, over: connection, farewell: farewell, within: Self.farewell, writtenAt: pipeline.writtenAt,
            at: Clock.now)
        notifier?.stop()
        keep()
        if pipeline.study.hasUnkeptPast { keepPast() }
        logger.info("The aggregator has stopped")
        return .right
    }

    private mutating func takeNotices() {
        for notice in connection.take() {
            let moment = Clock.moment
            switch notice {
            case .connected:
                isConnected = true
                refusedStates.connected()
                logger.notice("Connected to the broker \(configuration.broker.host):\(configuration.broker.port)")
                pipeline.connected(at: moment)
            case .disconnected(let fault):
                isConnected = false
                outbox.removeAll()
                delivery.connectionLost(&pipeline.log)
                pipeline.disconnected(at: moment)
                logger.warning("The broker is gone: \(fault)")
            case .failing(let fault):
                logger.warning("No connection to the broker: \(fault)")
            case .message(let message):
                pipeline.take(
                    topic: message.topic, payload: message.payload, isRetained: message.retained, at: moment)
            case .acknowledged(let id, _):
                delivery.acknowledged(id, in: &pipeline.log)
            case .refused(let id, let refusal):
                if delivery.refused(id, refusal, in: &pipeline.log, at: Clock.now) { continue }
                if refusedStates.take(refusal, at: Clock.now) {
                    logger.error("The broker refuses what the aggregator says: \(refusal)")
                }
            case .subscribed: break
            case .subscriptionRefused(let filter, let refusal):
                logger.error("The broker does not let the aggregator read \(filter): \(refusal)")
            case .dropped(let count, let reason):
                logger.warning("\(count) messages from the broker were not read: \(reason)")
                pipeline.missedMessages()
            }
        }
        sayWhetherEventsAreRefused()
    }

    /// Events that the broker refuses are said once, and in `info` for as long as they wait.
    private mutating func sayWhetherEventsAreRefused() {
        guard delivery.problem != saidRefusal else { return }
        if let problem = delivery.problem { logger.error("\(problem)") }
        if delivery.problem == nil, isConnected { logger.notice("The broker takes events again") }
        pipeline.problems.removeAll { $0 == saidRefusal }
        pipeline.problems += [delivery.problem].compactMap { $0 }
        saidRefusal = delivery.problem
    }

    private mutating func carryOut(_ moment: Moment) {
        if refusedStates.isDue(at: moment.instant), isConnected { pipeline.sayAnew(at: moment) }
        for output in pipeline.takeOutputs() {
            switch output {
            case .publish(let message):
                guard isConnected else { continue }
                outbox.add(
                    Publication(message, under: configuration.prefix), goesLast: message.topic == .registryManifest)
            case .publishElsewhere(let message):
                guard isConnected else { continue }
                outbox.add(Publication(message), isStep: true)
            case .fetch(let step): connection.carryOut(step, under: configuration.prefix)
            case .keepNow:
                keep()
                keptLast = moment.instant
            case .keep: keepsAt = min(keepsAt ?? nextKeep(moment.instant), nextKeep(moment.instant))
            case .keepSurveys: keepSurveys()
            case .keepPast: keepPast()
            case .learn(let lesson): begin(lesson)
            case .notify(let payload): notifier?.take(payload)
            case .note(let line): logger.notice("\(line)")
            }
        }
        outbox.send { [connection] in connection.publish($0) != nil }
    }

    /// Runs what the user wants run; that it fails is said once, and in `info` for as long as it does.
    private mutating func runCommands(_ now: Instant) {
        let former = notifier?.problem
        notifier?.advance(to: now)
        guard let problem = notifier?.problem else {
            if let former { pipeline.problems.removeAll { $0 == former } }
            return
        }
        if former == nil { logger.warning("\(problem): it is not said again until it has worked") }
        pipeline.problems.removeAll { $0 == former }
        pipeline.problems.append(problem)
    }

    // MARK: The disk

    /// When what changed now is to be on disk.
    private func nextKeep(_ now: Instant) -> Instant {
        pipeline.isKeptTooRarely
            ? keptLast + Self.shortKeepPeriod : max(budget.affordable(at: now), keptLast + Self.keepPeriod)
    }

    private mutating func keepIfDue(_ now: Instant) {
        guard let keepsAt, keepsAt <= now else { return }
        keep()
        keptLast = now
    }

    private mutating func keep() {
        keepsAt = nil
        // First what was told, then the site in which it is told: the other way round a power cut between them would leave it untold.
        delivery.archive.finish(&pipeline.log, writtenAt: pipeline.writtenAt)
        do throws(SystemError) {
            if counter.problem != nil { counter.keep(in: folder) }
            if let problem = counter.problem { throw problem }
            let bytes = pipeline.kept.bytes
            // A site that could not be read at the next start shall not replace one that can.
            guard (try? KeptSite(parsing: bytes)) != nil else {
                throw SystemError("write \(Self.siteFile)", code: EINVAL)
            }
            budget.spend(replacing: bytes.count, at: Clock.now)
            try folder.replace(Self.siteFile, with: bytes)
            pipeline.isOnDisk()
            fileProblem = nil
        } catch {
            // What could not be written is tried again: it is said once, and in `info` for as long as it lasts.
            fileProblem = error.sentence(ofState: folder)
            keepsAt = Clock.now + EventArchive.patience
        }
    }

    /// The site as it was written last. A file that cannot be read is set aside, never written over: what it holds may be the only copy.
    private static func kept(in folder: StateFolder, _ logger: Logger) throws(Failure) -> KeptSite? {
        let path = folder.file(siteFile)
        let problem: String
        do throws(SystemError) {
            let bytes = try readFile(at: path, limit: KeptSite.limits.bytes)
            do throws(PayloadRefusal) {
                return try KeptSite(parsing: bytes)
            } catch {
                problem = "\(path) is not what was written there (\(error))"
            }
        } catch {
            guard error.code != ENOENT, error.code != ENOTDIR else { return nil }
            problem = "\(error)"
        }
        do throws(SystemError) {
            let aside = try setAside(path)
            logger.error(
                "\(problem): it is set aside as \(aside), and what the broker holds of the registry is taken up again")
        } catch {
            throw Failure(.disk, "\(problem), and cannot be set aside (\(error)): move it away, or restore it")
        }
        return nil
    }
}
