import Archive
import Beacons
import Broker
import Channels
import Delivery
import Glibc
import Linux
import Locating
import Logging
import Messages
import Mosquitto
import SiteCore

/// Runs the site's aggregator, and a companion beside it, until a signal stops it.
///
/// - Parameters:
///   - companion: what runs beside it.
///   - problems: what was wrong with the files of the page at the start, in sentences.
///   - isVerbose: whether debug lines are logged, whatever `log.level` is.
package func runAggregator(
    _ configuration: AggregatorConfiguration, beside companion: Companion? = nil, problems: [String] = [],
    isVerbose: Bool = false
) throws(Failure) -> ExitStatus {
    var run = try AggregatorRun(configuration, problems: problems, isVerbose: isVerbose)
    run.companion = companion
    return try run.untilTheEnd()
}

/// The aggregator's connections to the world: disk, broker, clock, log and the user's own program. `AggregatorDriver` decides.
struct AggregatorRun: DrivenService {
    /// How long the farewell may take: a stop ends within two seconds.
    static let farewell = Interval.milliseconds(1500)
    private static let messagesBetweenReports = 100

    var supervision = Supervision()
    let logger: Logger
    let folder: StateFolder
    /// No other aggregator works in the folder; `nil` where the folder cannot be written at all.
    let lock: StateLock?
    let disk: StateDisk<BootCounter>
    var writes = DiskWork<SiteDriver.Input>()
    let signals: Signals
    private var stall = StallWatch()
    let connection: BrokerConnection
    /// The connection for publications while this aggregator is the active one of several.
    var seat: BrokerConnection?
    var notifier: NotifyRunner?
    var deliveries = DeliveryRunner()
    /// What is being learned, with less right to the processor than everything else.
    var lesson: (subject: Lesson, work: Background<Learned?>)?
    var driver: AggregatorDriver
    /// What runs beside the service, and what was wrong with it last.
    var companion: Companion?
    private var companionProblem: String?
    /// Why the configuration was not applied when it was read last; `nil`: it was.
    var reloadProblem: String?
    /// Filters that the broker may still have in this aggregator's session, and that are none of its own now.
    private let formerFilters: [String]

    init(_ configuration: AggregatorConfiguration, problems: [String], isVerbose: Bool) throws(Failure) {
        logger = .forService("forgetmenot", configuration.log.level, isVerbose: isVerbose)
        signals = try orFail(.unavailable) { try Signals([SIGINT, SIGTERM, SIGHUP, SIGCHLD]) }
        folder = StateFolder(path: configuration.stateDirectory)
        lock = try StateLock.claim(folder, for: "aggregator")
        let counter = BootCounter(in: folder)
        disk = StateDisk(folder, counter)
        var generator = SystemRandomNumberGenerator()
        let (stored, damage) = try Self.stored(in: folder)
        if let excess = SiteDriver.excess(of: configuration, stored: stored) { throw Failure(.configuration, excess) }
        driver = AggregatorDriver(
            configuration, boot: Boot(epoch: counter.epoch, using: &generator), stored: stored,
            countProblem: counter.problem?.sentence(ofState: folder), random: generator,
            secret: try sharedSecret(configuration.standby), at: Clock.moment)
        formerFilters = configuration.formerFilters(sharesBefore: stored?.shares[configuration.subscribe.name ?? ""])
        notifier = configuration.notifyCommand.map { NotifyRunner($0) }
        connection = try BrokerConnection(configuration.brokerOptions)
        for problem in problems + [damage, configuration.site.planProblem, configuration.ambiguity].compactMap({ $0 }) {
            report(problem)
        }
        rememberWhatWasLearned()
        finish()
    }

    var configuration: AggregatorConfiguration { driver.configuration }

    /// Reports what stays a problem until the next start.
    mutating func report(_ problem: String) {
        logger.error("\(problem)")
        driver.site.replace(problem: nil, by: problem)
    }

    mutating func untilTheEnd() throws(Failure) -> ExitStatus {
        driver.site.set(utcOffset: Clock.utcOffset)
        try connection.start()
        logger.info("The aggregator knows \(driver.site.itemCount) items")
        if let shares = configuration.subscribe.shares {
            let list = shares.map { "\($0)" }.joined(separator: ", ")
            logger.info("The aggregator locates the items of the beacons \(list)")
        }
        if let name = configuration.subscribe.name {
            logger.info("\(name) follows the registry of the aggregator without a name; it has no page and no history")
        }
        companion?.start()
        supervision.supervisor.ready()
        while true {
            if let signal = signals.next(), signal != SIGCHLD {
                guard signal == SIGHUP else { break }
                reload()
            }
            // Who was paused first learns that another aggregator is active, and then what happened meanwhile.
            for notice in seat?.take() ?? [] { driver.handle(seat: BrokerEvent(notice), at: present()) }
            for (index, notice) in connection.take().enumerated() {
                if case .connected = notice, !formerFilters.isEmpty { connection.endRecall(formerFilters) }
                if case .message(let message) = notice { logger.debug("received", message.topic, message.payload) }
                handle(.broker(BrokerEvent(notice)))
                if case .disconnected(let fault) = notice, fault.kind == .takenOver {
                    driver.site.wasThrownOut(at: Clock.now)
                }
                // An item's first location takes up to 4 ms in a site of 400 rooms, so that a thousand messages take seconds.
                if index % Self.messagesBetweenReports == 0 { report() }
            }
            adoptLesson()
            handle(.timePassed)
            carryOut()
            runCommands(Clock.now)
            heedDeliveries(Clock.now)
            heedCompanion()
            report()
            let deadlines = [notifier?.nextDeadline, deliveries.nextDeadline, supervision.nextDeadline].compactMap {
                $0
            }
            let others = [seat?.wakeup, lesson?.work.number, writes.descriptor].compactMap { $0 }
            let wakes = deadlines.reduce(writes.deadline(driver.nextDeadline, at: Clock.now), min)
            stall.sleeps(until: wakes, at: Clock.now)
            _ = wait(for: [signals.number, connection.wakeup] + others, until: wakes)
        }
        supervision.supervisor.stopping()
        stop()
        return .right
    }

    /// The present moment. If the machine slept or the process stood still, which may begin at any line, one of a pair learns that first: the other
    /// one has decided meanwhile. A single aggregator goes on at once: else a repetition that is due would follow the message that it replaces.
    private mutating func present() -> Moment {
        let moment = Clock.moment
        if stall.hasStalled(at: moment.instant), configuration.standby != nil { driver.site.slept(until: moment) }
        return moment
    }

    mutating func handle(_ input: SiteDriver.Input) { driver.handle(input, at: present()) }

    mutating func nextAction() -> AggregatorDriver.Action? { driver.nextAction(at: Clock.now) }

    mutating func carryOut(_ action: AggregatorDriver.Action) {
        switch action {
        case .site(let action): carryOut(action)
        case .publishOnOwnConnection(let message): _ = connection.publish(message)
        case .claimSeat: claimSeat()
        case .releaseSeat: releaseSeat()
        }
    }

    private mutating func write(_ bytes: Int, to file: SiteFile, _ work: @escaping @Sendable () -> String?) {
        write(bytes, failure: { [disk] in .replaced(file, problem: disk.problem($0, with: file)) }) {
            .replaced(file, problem: work())
        }
    }

    private mutating func carryOut(_ action: SiteDriver.Action) {
        switch action {
        case .write(let step):
            logger.debug("event log: \(step)")
            write(step.bytes, failure: { [folder] in .wrote(.failed($0.sentence(ofState: folder))) }) { [disk] in
                .wrote(disk.perform(step))
            }
        case .read(let reading): driver.read(reading, by: disk.read)
        case .publish(let message, _):
            logger.debug("publish", message.topic, message.payload)
            handle(.published(publisher.publish(message)?.number))
        case .fetch(let step): connection.carryOut(step, under: configuration.prefix)
        case .replace(let file, let bytes): write(bytes.count, to: file) { [disk] in disk.replace(file, with: bytes) }
        case .append(let file, let bytes): write(bytes.count, to: file) { [disk] in disk.append(bytes, to: file) }
        case .learn(let lesson): begin(lesson)
        case .notify(let payload): notifier?.add(payload)
        case .deliver(let delivery): deliveries.start(delivery, at: Clock.now)
        case .log(let level, let line): logger.log(level: Logger.Level(level), "\(line)")
        }
    }

    /// Runs what the user wants run; a failure is reported once, and in `info` for as long as it lasts.
    private mutating func runCommands(_ now: Instant) {
        let former = notifier?.problem
        notifier?.advance(to: now)
        let problem = notifier?.problem
        guard problem != former else { return }
        if let problem, former == nil { logger.warning("\(problem): not reported again until it has worked") }
        driver.site.replace(problem: former, by: problem)
    }

    /// Hands the outcomes of deliveries to the driver, and carries out what follows.
    private mutating func heedDeliveries(_ now: Instant) {
        let outcomes = deliveries.advance(to: now)
        for (delivery, outcome) in outcomes {
            handle(.delivered(delivery.number, outcome))
            if outcome == .ended, case .webPush(let subscription, _) = delivery.channel.kind {
                logger.notice(
                    "\(delivery.channel.name) has ended its subscription to messages to \(subscription.person)")
                companion?.unsubscribe(subscription)
            }
        }
        if !outcomes.isEmpty { carryOut() }
    }

    /// Reports what is wrong with what runs beside the service for as long as it is.
    private mutating func heedCompanion() {
        let problem = companion?.problem()
        guard problem != companionProblem else { return }
        driver.site.replace(problem: companionProblem, by: problem)
        companionProblem = problem
    }

    private mutating func stop() {
        companion?.stop()
        finish()
        let farewell = driver.stop(at: Clock.moment)
        finish()
        seat?.stop(farewell: farewell, within: Self.farewell)
        let last = configuration.standby == nil ? farewell : driver.memberFarewell
        connection.stop(farewell: last, within: Self.farewell)
        for case .acknowledged(let id, _) in publisher.take() {
            let event = BrokerEvent.acknowledged(id.number)
            if seat == nil { handle(.broker(event)) } else { driver.handle(seat: event, at: Clock.moment) }
        }
        notifier?.stop()
        deliveries.stop()
        driver.site.end()
        finish()
        logger.info("The aggregator has stopped")
    }

    /// A site with what changed since it was written as a whole. A log that cannot be read, or not all of it, is set aside.
    private static func withChanges(_ site: StoredSite, in folder: StateFolder) -> (StoredSite, damage: String?) {
        let path = folder.file(SiteFile.changes.rawValue)
        var (latest, problem) = (site, "")
        do throws(SystemError) {
            let unread: Int
            (latest, unread) = site.applying(log: try readFile(at: path, limit: StoredSite.limits.bytes))
            guard unread > 0 else { return (latest, nil) }
            problem = "\(path) has \(unread) lines that are not what was written"
        } catch {
            if error.code == ENOENT { return (site, nil) }
            problem = "\(error)"
        }
        return (
            latest, "\(problem): \(outcome(ofSettingAside: path)), and some of the latest changes of the site are lost."
        )
    }

    /// Sets a file aside that is not to be written over; returns what became of it.
    static func outcome(ofSettingAside path: String) -> String {
        (try? setAside(path)).map { "it is set aside as \($0)" } ?? "it cannot be set aside"
    }

    /// The site as it was written last. A file that cannot be read is set aside, never written over: what it holds may be the only copy.
    private static func stored(in folder: StateFolder) throws(Failure) -> (site: StoredSite?, damage: String?) {
        let (path, changes) = (folder.file(SiteFile.site.rawValue), folder.file(SiteFile.changes.rawValue))
        let problem: String
        do throws(SystemError) {
            let bytes = try readFile(at: path, limit: StoredSite.limits.bytes)
            do throws(PayloadRefusal) {
                return withChanges(try StoredSite(parsing: bytes), in: folder)
            } catch {
                problem = "\(path) is damaged (\(error))"
            }
        } catch {
            guard error.code != ENOENT, error.code != ENOTDIR else {
                guard access(changes, F_OK) == 0 else { return (nil, nil) }
                let aside = outcome(ofSettingAside: changes)
                return (
                    nil,
                    "\(changes) exists, but \(path) is missing: \(aside), and items and people are read from the broker."
                )
            }
            problem = "\(error)"
        }
        do throws(SystemError) {
            let aside = try setAside(path)
            // Its changes are of no use without the site, and shall not be written over either.
            _ = try? setAside(changes)
            return (nil, "\(problem): it is set aside as \(aside), and items and people are read from the broker.")
        } catch {
            throw Failure(.disk, "\(problem), and cannot be set aside (\(error)): move it away, or restore it")
        }
    }

    // MARK: The seat

    /// The connection for publications: the seat, or the only connection of a single aggregator.
    var publisher: BrokerConnection { seat ?? connection }

    mutating func claimSeat() {
        do throws(Failure) {
            let seat = try BrokerConnection(configuration.seatOptions)
            try seat.start()
            self.seat = seat
        } catch {
            // The seat is claimed again after a while.
            logger.error("\(error)")
        }
    }

    mutating func releaseSeat() {
        seat?.stop(within: .zero)
        seat = nil
    }

    // MARK: Supervision

    /// Reports to the supervisor that the service runs, and its status if that changed.
    mutating func report() {
        // What waits for the disk is late for a reason, and not for ever.
        let duties = writes.isBusy ? [] : [driver.nextDeadline]
        if supervision.feed(at: Clock.now, duties: duties) { supervision.report(driver.status(at: Clock.now)) }
    }

    /// Reads the configuration again, applies what can change while the service runs, and reports the rest.
    mutating func reload() {
        supervision.supervisor.reloading()
        defer { supervision.supervisor.ready() }
        let (logger, path) = (logger, configuration.file)
        let what = "items, people, channels, regions, rooms, doors and gateways"
        let problem = logger.reload(path, applying: what) { () throws(Failure) in
            let file = try loadConfiguration(at: path)
            if let excess = driver.site.excess(of: file.aggregator) { throw Failure(.configuration, excess) }
            let lateBeside = companion?.reload(file) ?? []
            driver.site.replace(problem: configuration.site.planProblem, by: file.aggregator.site.planProblem)
            driver.site.replace(problem: configuration.ambiguity, by: file.aggregator.ambiguity)
            if let ambiguity = file.aggregator.ambiguity { logger.warning("\(ambiguity)") }
            return driver.reload(file.aggregator, at: Clock.moment) + lateBeside
        }
        if problem != nil { reloadSubscriptions() }
        driver.site.replace(problem: reloadProblem, by: problem)
        reloadProblem = problem
    }

    /// Applies the subscriptions of browsers beside the configuration in force: a phone that was removed on the page gets no message, whatever
    /// is wrong with `aggregator.toml`.
    private mutating func reloadSubscriptions() {
        guard let companion, let new = try? readSubscriptions(in: folder, at: companion.pushServices) else { return }
        var channels = configuration.channels
        channels.removeAll { if case .webPush = $0.kind { true } else { false } }
        driver.site.reload(channels: channels + new, at: Clock.moment)
    }
}
