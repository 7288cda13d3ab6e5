import Archive
import Beacons
import Broker
import Glibc
import Linux
import Logging
import Messages
import Mosquitto

/// Listens and publishes until it is told to stop, or until its recording is over.
///
/// - Parameter path: the configuration's file, which is read again when that is asked for (SIGHUP).
public func runGateway(_ configuration: GatewayConfiguration, at path: String? = nil) throws(Failure) -> ExitStatus {
    var run = try GatewayRun(configuration, at: path)
    return try run.untilTheEnd()
}

/// The live driver of one gateway: radio, pipeline and broker's connection, all on one thread (the connection has one of its own beneath).
struct GatewayRun {
    /// How long what was heard may wait for the broker once there is nothing more to hear.
    static let patience = Interval.seconds(10)
    /// How long the farewell may take: a stop ends within two seconds.
    static let farewell = Interval.milliseconds(1500)
    /// A recording that is played as fast as it goes waits while more than this waits for the broker.
    static let mostQueued = 500

    let configuration: GatewayConfiguration
    /// Where the configuration stands.
    let path: String?
    var supervision = Supervision()
    let logger = Logger.forService("forgetmenot-gateway")
    let folder: StateFolder
    /// No other gateway works in the folder; `nil` where it cannot be written at all.
    let lock: StateLock?
    /// By what this boot of the machine is known.
    let machine: String
    var counter: BootCounter
    var statesFile: TwinFile
    /// When the states are written, and what else could not be yet.
    var schedule: StateSchedule
    var owed: Set<Owed> = []
    var retryAt: Instant?
    /// What is wrong with which file.
    var fileProblems: [String: String] = [:]
    /// The number of the next event when the states were last looked at.
    var upcoming: UInt64 = 1
    let signals: Signals
    let connection: BrokerConnection
    var time: Timekeeper
    var radio: any Radio
    var beacon: BeaconSender
    var pipeline: GatewayPipeline
    var isConnected = false
    /// Subscriptions of this connection that the broker has not answered yet.
    var unanswered = 0
    var reconnects: UInt64 = 0
    var delivery: EventDelivery
    var held = HeldStates()
    var outbox = Outbox()
    var refusedStates = RefusedStates()
    /// What `info` says of the events that the broker refuses.
    private var saidRefusal: String?
    /// Discovery that was told before is being taken back.
    var takingBack: PublicationID?

    init(_ configuration: GatewayConfiguration, at path: String? = nil) throws(Failure) {
        self.configuration = configuration
        self.path = path
        do throws(SystemError) {
            signals = try Signals([SIGINT, SIGTERM, SIGHUP])
        } catch {
            throw Failure(.unavailable, "\(error)")
        }
        folder = StateFolder(path: configuration.stateDirectory)
        lock = try StateLock.claim(folder, for: "gateway")
        delivery = EventDelivery(in: folder, configuration.log)
        let start = Clock.moment
        counter = BootCounter(in: folder)
        statesFile = TwinFile("states", in: folder)
        machine = Clock.machineBoot
        schedule = StateSchedule(at: start.instant)
        var generator = SystemRandomNumberGenerator()
        pipeline = GatewayPipeline(configuration, boot: Boot(epoch: counter.epoch, using: &generator), at: start)
        time = configuration.radio.isVirtual ? .virtual(began: start, now: start.instant) : .live
        radio = try makeRadio(configuration, at: start)
        beacon = BeaconSender(configuration)
        if let problem = beacon.problem {
            pipeline.problems.append(problem)
            logger.warning("\(problem)")
        }
        connection = try makeConnection(configuration.brokerOptions)
        restore()
    }

    mutating func untilTheEnd() throws(Failure) -> ExitStatus {
        try connection.begin()
        logger.info("\(configuration.id) listens by \(configuration.radio.source)")
        supervision.supervisor.ready()
        var overSince: Instant?
        while true {
            if let signal = signals.next() {
                guard signal == SIGHUP else { break }
                reload()
            }
            takeNotices()
            if isPlaying { listen() }
            transmit()
            let moment = time.moment
            pipeline.advance(to: moment)
            keepEvents()
            // Events before states: a reader shall not see a state taken back before the exit that explains it.
            if isConnected, pipeline.eventsMayGo { delivery.deliver(&pipeline.log, over: connection, at: Clock.now) }
            carryOut(moment)
            keepFiles()
            if pipeline.radio.hasEnded {
                let since = overSince ?? Clock.now
                overSince = since
                if pipeline.log.undelivered == 0 && isConnected || Clock.now - since >= Self.patience { break }
            }
            report()
            sleepOrJump()
        }
        supervision.supervisor.stopping()
        stop()
        return .right
    }

    // MARK: The radio

    /// A recording that is played as fast as it goes needs a broker that keeps up, and begins when the registry can have come:
    /// minutes of it are over in the time that a message takes. Everything else happens when it happens.
    private var isPlaying: Bool {
        guard case .virtual = time else { return true }
        return isConnected && unanswered == 0 && connection.queued < Self.mostQueued && outbox.count == 0
            && pipeline.log.undelivered < Self.mostQueued && !pipeline.radio.hasEnded
    }

    private mutating func listen() {
        let moment = time.moment
        pipeline.wake(at: moment)
        let notices = radio.advance(to: moment.instant) { pipeline.hear($0, $1) }
        guard !notices.isEmpty else { return }
        pipeline.radio.interface = radio.interfaceName
        pipeline.radio.address = radio.address
        for notice in notices { pipeline.take(notice, at: moment) }
    }

    /// Looks after the gateway's own beacon, beside the radio.
    private mutating func transmit() {
        let moment = time.moment
        let before = beacon.problem
        for line in beacon.advance(beside: radio, pipeline.radio.state, at: moment.instant) { logger.notice("\(line)") }
        if beacon.problem != before { pipeline.replace(problem: before, by: beacon.problem, at: moment) }
    }

    private mutating func sleepOrJump() {
        let deadlines = [radio.nextDeadline, beacon.nextDeadline, pipeline.nextDeadline].compactMap { $0 }
        let next = deadlines.min()
        switch time {
        case .live:
            let retries = [pipeline.eventsMayGo ? delivery.nextDeadline : nil, refusedStates.nextDeadline]
            let wakes = ([pause(until: next), nextKeep, supervision.nextDeadline] + retries).compactMap { $0 }.min()
            _ = wait(for: [signals.number, connection.wakeup] + radio.descriptors + beacon.descriptors, until: wakes)
        case .virtual(_, let now) where isPlaying:
            guard let next else { return }
            // Behind a recording's end, once all has left, there is nothing to hurry to: time goes as it does outside.
            guard radio.nextDeadline == nil, pipeline.board.count == 0 else { return time.jump(to: next) }
            let began = Clock.now
            _ = wait(for: [signals.number, connection.wakeup], until: began + (next - now))
            time.jump(to: now + (Clock.now - began))
        case .virtual:
            _ = wait(for: [signals.number, connection.wakeup], until: Clock.now + .milliseconds(100))
        }
    }

    private func pause(until next: Instant?) -> Instant? {
        pipeline.radio.hasEnded ? Clock.now + .milliseconds(100) : next
    }

    // MARK: The broker

    private mutating func takeNotices() {
        let moment = time.moment
        for notice in connection.take() {
            switch notice {
            case .connected:
                isConnected = true
                refusedStates.connected()
                unanswered = configuration.brokerOptions.subscriptions.count
                logger.notice("Connected to the broker \(configuration.broker.host):\(configuration.broker.port)")
                takeBackDiscovery()
                pipeline.connected(at: moment)
            case .disconnected(let fault):
                isConnected = false
                outbox.removeAll()
                reconnects += 1
                delivery.connectionLost(&pipeline.log)
                logger.warning("The broker is gone: \(fault)")
                pipeline.disconnected(at: moment)
            case .failing(let fault):
                logger.warning("No connection to the broker: \(fault)")
            case .message(let message):
                pipeline.take(
                    topic: message.topic, payload: message.payload, isRetained: message.retained, at: moment)
            case .acknowledged(let id, _):
                if id == takingBack { keepDiscovery() }
                delivery.acknowledged(id, in: &pipeline.log)
            case .refused(let id, let refusal):
                if delivery.refused(id, refusal, in: &pipeline.log, at: Clock.now) { continue }
                if refusedStates.take(refusal, at: Clock.now) {
                    logger.error("The broker refuses what this gateway says: \(refusal)")
                }
            case .subscribed:
                unanswered -= 1
            case .subscriptionRefused(let filter, let refusal):
                unanswered -= 1
                logger.error("The broker does not let this gateway read \(filter): \(refusal)")
            case .dropped(let count, let reason):
                logger.warning("\(count) messages from the broker were not read: \(reason)")
            }
        }
        sayWhetherEventsAreRefused(moment)
    }

    /// Events that the broker refuses are said once, and in `info` for as long as they wait.
    private mutating func sayWhetherEventsAreRefused(_ moment: Moment) {
        guard delivery.problem != saidRefusal else { return }
        if let problem = delivery.problem { logger.error("\(problem)") }
        if delivery.problem == nil, isConnected { logger.notice("The broker takes events again") }
        pipeline.replace(problem: saidRefusal, by: delivery.problem, at: moment)
        saidRefusal = delivery.problem
    }

    // MARK: What was decided

    private mutating func carryOut(_ moment: Moment) {
        if refusedStates.isDue(at: Clock.now), isConnected { pipeline.connected(at: moment) }
        for message in held.release(behind: pipeline.log) { publish(message) }
        for output in pipeline.takeOutputs() {
            switch output {
            case .publish(let message): if let message = held.pass(message, behind: pipeline.log) { publish(message) }
            case .publishElsewhere(let message):
                if isConnected { outbox.add(Publication(message)) }
            case .fetch(let step): connection.carryOut(step, under: configuration.prefix)
            case .proveRadio: radio.prove(at: moment.instant)
            case .restartRadio: radio.restart(at: moment.instant)
            case .keepRegistry: keepRegistry()
            case .answerEvents(let request): pipeline.answerEvents(request, read: delivery.archive.read)
            case .telemetryIsDue: publishTelemetry(moment)
            case .note(let line): logger.notice("\(line)")
            }
        }
        outbox.send { [connection] in connection.publish($0) != nil }
    }

    private mutating func publish(_ message: Message) {
        if isConnected { outbox.add(Publication(message, under: configuration.prefix)) }
    }

    private mutating func publishTelemetry(_ moment: Moment) {
        let readings = TelemetryMeter.Readings(
            processorTime: Clock.processorTime, residentBytes: Vitals.residentBytes, radio: radio.counters,
            outbox: pipeline.log.undelivered, reconnects: reconnects)
        pipeline.publishTelemetry(readings, at: moment)
    }

    /// Says what is to be said last: telemetry, that nothing is known any more, `offline`.
    private mutating func stop() {
        let moment = time.moment
        publishTelemetry(moment)
        outbox.send { [connection] in connection.publish($0) != nil }
        let farewell = (held.takeAll() + pipeline.farewell(at: moment)).map {
            Publication($0, under: configuration.prefix)
        }
        beacon.stop()
        radio.stop()
        keepAll()
        delivery.end(
            &pipeline.log, over: connection, farewell: farewell, within: Self.farewell, writtenAt: pipeline.writtenAt,
            at: Clock.now)
        logger.info("\(configuration.id) has stopped")
    }
}
