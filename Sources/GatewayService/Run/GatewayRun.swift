import Archive
import Beacons
import Broker
import Delivery
import GatewayCore
import Glibc
import Linux
import Logging
import Messages
import Mosquitto
import Settings

/// Scans and publishes until a signal stops the service, or until its recording ends.
///
/// - Parameters:
///   - path: the configuration's file, which is read again when that is asked for (SIGHUP).
///   - isVerbose: whether debug lines are logged, whatever `log.level` is.
package func runGateway(
    _ configuration: GatewayConfiguration, at path: String? = nil, isVerbose: Bool = false
) throws(Failure) -> ExitStatus {
    if let path { try FileChecks.pass(configuration.broker, from: path) }
    var run = try GatewayRun(configuration, at: path, isVerbose: isVerbose)
    return try run.untilTheEnd()
}

/// One gateway's connections to the world: radio, disk, broker, clock and log, all on one thread (writes and the broker's connection have one
/// each beneath). `GatewayDriver` decides.
struct GatewayRun: DrivenService {
    /// How long events may wait for the broker once the recording is over.
    static let patience = Interval.seconds(10)
    /// How long the farewell may take: a stop ends within two seconds.
    static let farewell = Interval.milliseconds(1500)

    private(set) var logger: Logger
    /// Whether everything is logged, whatever the level is.
    private let isVerbose: Bool
    /// Where the configuration stands.
    let path: String?
    var supervision = Supervision()
    let folder: StateFolder
    /// No other gateway works in the folder; `nil` where it cannot be written at all.
    let lock: StateLock?
    /// What `doctor` reads there, and its writing, as long as that lasts.
    var note = GatewayNote.connecting
    private var noting: Background<Void>?
    let disk: GatewayDisk
    var writes = DiskWork<GatewayDriver.Input>()
    let signals: Signals
    let connection: BrokerConnection
    var time: Timekeeper
    private var stall = StallWatch()
    var radio: any Radio
    var beacon: BeaconSender
    var driver: GatewayDriver
    /// Why the configuration was not applied when it was read last; `nil`: it was.
    var reloadProblem: String?
    /// How often the clock of a recording has jumped without a wait. Reading the signals at each jump would cost a system call for each
    /// advertisement.
    var jumps = 0
    /// Jumps take microseconds, so that a signal waits for less than a millisecond.
    static let jumpsBetweenSignals = 64
    /// Subscriptions of this connection that the broker has not acknowledged yet.
    var unanswered: Set<String> = []

    init(_ configuration: GatewayConfiguration, at path: String?, isVerbose: Bool) throws(Failure) {
        logger = .forService("forgetmenot-gateway", configuration.log.level, isVerbose: isVerbose)
        (self.path, self.isVerbose) = (path, isVerbose)
        signals = try orFail(.unavailable) { try Signals([SIGINT, SIGTERM, SIGHUP]) }
        folder = StateFolder(path: configuration.stateDirectory)
        lock = try StateLock.claim(folder, for: "gateway")
        let start = Clock.moment
        let counter = BootCounter(in: folder)
        var statesFile = TwinFile(GatewayFile.states.rawValue, in: folder)
        time = configuration.radio.isVirtual ? .virtual(began: start, now: start.instant) : .live
        var generator = SystemRandomNumberGenerator()
        driver = GatewayDriver(
            configuration, boot: Boot(epoch: counter.epoch, using: &generator),
            stored: Self.stored(in: folder, &statesFile, countProblem: counter.problem, logger),
            machine: Clock.machineBoot,
            isLive: time.isLive, at: start, machineTime: start.instant)
        disk = StateDisk(folder, (counter, statesFile))
        let phones = readableIdentityKeys(configuration.radio)
        driver.recognise(phones.keys)
        if let problem = phones.problem {
            driver.begin(with: problem)
            logger.error("\(problem)")
        }
        radio = try makeRadio(configuration, at: start)
        beacon = BeaconSender(configuration)
        connection = try BrokerConnection(configuration.brokerOptions)
        if let problem = beacon.problem {
            driver.begin(with: problem)
            logger.warning("\(problem)")
        }
        driver.note(machine, at: start)
        setLogLevel(driver.configuration.log.level)
        finish()
    }

    var configuration: GatewayConfiguration { driver.configuration }

    mutating func untilTheEnd() throws(Failure) -> ExitStatus {
        try connection.start()
        logger.info("\(configuration.id) receives from \(configuration.radio.source)")
        supervision.supervisor.ready()
        var overSince: Instant?
        while true {
            if jumps % Self.jumpsBetweenSignals == 0, let signal = signals.next() {
                guard signal == SIGHUP else { break }
                reload()
            }
            for notice in connection.take() { receive(notice) }
            if isPlaying { receiveAdvertisements() }
            transmit()
            handle(.timePassed)
            // The time of a recording that is played as fast as it goes stands still while the disk is written.
            if time.isLive { carryOut() } else { finish() }
            if driver.hasEnded {
                let since = overSince ?? Clock.now
                overSince = since
                let isDelivered = driver.undelivered == 0 && driver.isConnected
                if isDelivered || Clock.now - since >= Self.patience { break }
            }
            report()
            sleepOrJump()
        }
        supervision.supervisor.stopping()
        stop()
        return .right
    }

    /// The present moment. If the machine slept or the process stood still, which may begin at any line, the driver learns that first.
    private mutating func present() -> Moment {
        let moment = time.moment
        if stall.hasStalled(at: moment.instant), time.isLive { driver.slept(until: moment) }
        return moment
    }

    mutating func handle(_ input: GatewayDriver.Input) {
        driver.handle(input, at: present(), machineTime: Clock.now)
    }

    private mutating func receive(_ notice: BrokerNotice) {
        switch notice {
        case .connected: unanswered = Set(configuration.brokerOptions.subscriptions.map(\.filter))
        case .subscribed(let filter, _), .subscriptionRefused(let filter, _): unanswered.remove(filter)
        case .message(let message):
            // The addresses of somebody's tags are not for the log.
            let isSecret =
                if case .itemAliases = Topic(named: message.topic, under: configuration.prefix) { true } else { false }
            logger.debug("received", message.topic, isSecret ? Array("(not logged)".utf8) : message.payload)
        default: break
        }
        handle(.broker(BrokerEvent(notice)))
        if case .disconnected(let fault) = notice, fault.kind == .takenOver {
            driver.wasThrownOut(at: time.moment, machineTime: Clock.now)
        }
        switch notice {
        case .message, .acknowledged: break
        default: writeNote()
        }
    }

    /// Leaves for `doctor` what the broker makes of this gateway. A second login would disconnect the first one.
    ///
    /// The kernel may have to write the former note before it takes a new one: a slow disk would hold up the loop.
    mutating func writeNote() {
        let now = GatewayNote(problem: driver.brokerProblem, isConnected: driver.isConnected)
        guard let lock, now != note, noting.map({ $0.outcome != nil }) ?? true else { return }
        guard let noting = try? Background(named: "note", { lock.write(now.text) }) else { return }
        (note, self.noting) = (now, noting)
    }

    private mutating func receiveAdvertisements() {
        let moment = present()
        driver.wake(at: moment)
        let notices = radio.advance(to: moment.instant) { driver.receive($0, $1) }
        guard !notices.isEmpty else { return }
        driver.handle(
            .radio(notices, interface: radio.interfaceName, address: radio.address), at: moment,
            machineTime: Clock.now)
    }

    /// Looks after the gateway's own beacon, beside the radio.
    private mutating func transmit() {
        let moment = time.moment
        let before = beacon.problem
        for line in beacon.advance(beside: radio, driver.radioState, at: moment.instant) {
            logger.notice("\(line)")
        }
        if beacon.problem != before { driver.replace(problem: before, by: beacon.problem, at: moment) }
    }

    mutating func nextAction() -> GatewayDriver.Action? { driver.nextAction(machineTime: Clock.now) }

    mutating func carryOut(_ action: GatewayDriver.Action) {
        switch action {
        case .write(let step):
            logger.debug("event log: \(step)")
            write(step.bytes, failure: { [folder] in .wrote(.failed($0.sentence(ofState: folder))) }) { [disk] in
                .wrote(disk.perform(step))
            }
        case .read(let reading): driver.read(reading, by: disk.read)
        case .publish(let message, _):
            logger.debug("publish", message.topic, message.payload)
            handle(.published(connection.publish(message)?.number))
        case .fetch(let step): connection.carryOut(step, under: configuration.prefix)
        case .replace(let file, let bytes):
            write(bytes.count, failure: { [disk] in .replaced(file, problem: disk.problem($0, with: file)) }) {
                [disk] in
                .replaced(file, problem: disk.replace(file, with: bytes))
            }
        case .proveRadio: radio.prove(at: time.moment.instant)
        case .restartRadio: radio.restart(at: time.moment.instant)
        case .setLogLevel(let level): setLogLevel(level)
        case .measure:
            driver.note(machine, at: time.moment)
            publishTelemetry()
        case .log(let level, let line): logger.log(level: Logger.Level(level), "\(line)")
        }
    }

    private mutating func setLogLevel(_ level: LogLevel) { if !isVerbose { logger.logLevel = Logger.Level(level) } }

    private var machine: GatewayInfo.Machine {
        GatewayInfo.Machine(
            freeBytes: Disk.freeBytes(at: folder.path), temperature: Vitals.temperature(),
            isUndervolted: Vitals.isUndervolted())
    }

    private mutating func publishTelemetry() {
        driver.publishTelemetry(
            processorTime: Clock.processorTime, residentBytes: Vitals.residentBytes, radio: radio.counters,
            at: time.moment)
    }

    /// Publishes what is published last: telemetry, that nothing is known any more, `offline`.
    private mutating func stop() {
        finish()
        publishTelemetry()
        let farewell = driver.stop(at: present())
        beacon.stop()
        radio.stop()
        finish()
        connection.stop(farewell: farewell, within: Self.farewell)
        for case .acknowledged(let id, _) in connection.take() { handle(.broker(.acknowledged(id.number))) }
        driver.end()
        finish()
        logger.info("\(configuration.id) has stopped")
    }

    // MARK: The files of a former process

    /// What a former process left.
    static func stored(
        in folder: StateFolder, _ statesFile: inout TwinFile, countProblem: SystemError?, _ logger: Logger
    ) -> GatewayDriver.StoredFiles {
        func text(_ file: GatewayFile, limit: Int) -> String {
            String(decoding: (try? readFile(at: folder.file(file.rawValue), limit: limit)) ?? [], as: UTF8.self)
        }
        return GatewayDriver.StoredFiles(
            countProblem: countProblem?.sentence(ofState: folder),
            registry: read(.registry, in: folder, limit: StoredRegistry.limits.bytes, logger),
            states: statesFile.read(limit: StoredStates.limits.bytes).flatMap {
                parse($0, of: .states, in: folder, logger)
            },
            silences: read(.silences, in: folder, limit: StoredSilences.limits.bytes, logger),
            discovery: text(.discovery, limit: 1024), components: text(.components, limit: 1 << 20),
            settings: read(.settings, in: folder, limit: 1 << 16, logger))
    }

    private static func read<Stored: Payload>(_ file: GatewayFile, in folder: StateFolder, limit: Int, _ logger: Logger)
        -> Stored?
    {
        do throws(SystemError) {
            return parse(try readFile(at: folder.file(file.rawValue), limit: limit), of: file, in: folder, logger)
        } catch {
            if error.code != ENOENT { logger.warning("\(error)") }
            return nil
        }
    }

    /// A damaged file is reported and ignored. One that is not written again soon is set aside.
    private static func parse<Stored: Payload>(
        _ bytes: [UInt8], of file: GatewayFile, in folder: StateFolder, _ logger: Logger
    ) -> Stored? {
        do throws(PayloadRefusal) {
            return try Stored(parsing: bytes)
        } catch {
            let path = folder.file(file.rawValue)
            let isAside = file == .settings && rename(path, "\(path).damaged") == 0
            logger.warning(
                "\(path) is damaged (\(error.name)): it is ignored and \(isAside ? "set aside" : "written again")")
            return nil
        }
    }

    // MARK: The pace of a recording

    /// A recording that is played as fast as it goes waits while more than this waits for the broker.
    private static let mostQueued = 500

    /// A recording that is played as fast as it goes needs a broker that keeps up, and begins when the registry can have come:
    /// minutes of it are over in the time that a message takes. Everything else happens when it happens.
    var isPlaying: Bool {
        guard case .virtual = time else { return true }
        return driver.isConnected && unanswered.isEmpty && connection.queued < Self.mostQueued
            && driver.waiting == 0 && driver.undelivered < Self.mostQueued
            && !driver.hasEnded
    }

    mutating func sleepOrJump() {
        let next = [radio.nextDeadline, beacon.nextDeadline, driver.nextDecision].compactMap { $0 }.min()
        let jumpsBefore = jumps
        jumps = 0
        switch time {
        case .live:
            let ended = driver.hasEnded ? Clock.now + .milliseconds(100) : nil
            let deadlines = [radio.nextDeadline, beacon.nextDeadline, supervision.nextDeadline, ended]
            let wakes = deadlines.compactMap { $0 }.reduce(writes.deadline(driver.nextDeadline, at: Clock.now), min)
            let others = radio.descriptors + beacon.descriptors + [writes.descriptor].compactMap { $0 }
            stall.sleeps(until: wakes, at: Clock.now)
            _ = wait(for: [signals.number, connection.wakeup] + others, until: wakes)
        case .virtual(_, let now) where isPlaying:
            guard let next else { return }
            // Behind a recording's end, once all has left, there is nothing to hurry to: time goes as it does outside.
            guard radio.nextDeadline == nil, driver.isQuiet else {
                jumps = jumpsBefore + 1
                return time.jump(to: next)
            }
            let began = Clock.now
            let wakes = [began + (next - now), driver.nextUpkeep ?? began + (next - now)].min()!
            _ = wait(for: [signals.number, connection.wakeup], until: wakes)
            time.jump(to: now + (Clock.now - began))
        case .virtual:
            _ = wait(for: [signals.number, connection.wakeup], until: Clock.now + .milliseconds(100))
        }
    }

    // MARK: Supervision

    /// Reports to the supervisor that the service runs, and its status if that changed.
    mutating func report() {
        // The radio's reader and the timers. What waits for the disk is late for a reason, and not for ever.
        let duties = time.isLive ? [radio.nextDeadline, writes.isBusy ? nil : driver.nextDeadline] : []
        guard supervision.feed(at: Clock.now, duties: duties) else { return }
        supervision.report(driver.status)
        writeNote()
    }

    /// Reads the configuration again, applies what can change while the service runs, and reports the rest.
    mutating func reload() {
        supervision.supervisor.reloading()
        defer { supervision.supervisor.ready() }
        let logger = logger
        guard let path else { return logger.notice("There is no configuration file to read again") }
        let problem = logger.reload(path, applying: "room, regions, rssi_offset_db and log.level") {
            () throws(Failure) in
            driver.reload(try loadConfiguration(at: path), at: present())
        }
        setLogLevel(driver.configuration.log.level)
        driver.replace(problem: reloadProblem, by: problem, at: time.moment)
        reloadProblem = problem
    }
}
