import Beacons
import Glibc
import Linux
import Messages
import Settings

/// The options of the load generator.
struct LoadOptions: Sendable {
    /// The simulated site.
    var plan: LoadPlan
    /// How long the simulation publishes, 1 s to a day.
    var span: Interval
    /// The number of connections to the broker, over which the gateways are spread: 1 to 64.
    var connections: Int
    /// Whether to add the items to an aggregator, and to measure its responses.
    var measures: Bool
    /// Whether to run even if the prefix has messages of other gateways.
    var allowsRealData: Bool

    /// Creates options from all their properties.
    init(
        plan: LoadPlan, span: Interval, connections: Int = 4, measures: Bool = false, allowsRealData: Bool = false
    ) {
        self.plan = plan
        self.span = span
        self.connections = connections
        self.measures = measures
        self.allowsRealData = allowsRealData
    }
}

/// Publishes what a large site's gateways publish, until its time is over or the user presses Ctrl-C.
///
/// At the end everything is deleted that the broker retains of the simulation, and the items are removed from the aggregator.
func simulateLoad(_ options: LoadOptions, settings: BrokerSettings) throws(Failure) -> ExitStatus {
    let signals: Signals
    do throws(SystemError) { signals = try Signals([SIGINT, SIGTERM]) } catch {
        throw Failure(.unavailable, "\(error)")
    }
    let session = LoadSession(settings: settings, signals: signals)
    if !options.allowsRealData { try session.requireNoRealData() }
    var run = try LoadRun(options, session)
    return try run.untilTheEnd()
}

/// One simulation: the site, its connections, and what was counted.
struct LoadRun {
    /// How many parts of a second the messages of one second are spread over.
    private static let slices = 20
    private static let mostProbes = 20
    /// How long the aggregator has at the end until every item in range is home.
    private static let patience = Interval.seconds(60)

    private let options: LoadOptions
    private let session: LoadSession
    private let boot: Boot
    private var site: SimulatedSite
    private var probe: LatencyProbe?
    private var lines: [LoadLine] = []
    private var observer: LoadObserver?
    private var count = LoadCount()

    init(_ options: LoadOptions, _ session: LoadSession) throws(Failure) {
        self.options = options
        self.session = session
        var generator = SystemRandomNumberGenerator()
        let start = Clock.moment
        // A later run has a greater number, so that an aggregator takes its gateways for restarted ones.
        boot = Boot(epoch: UInt32(truncatingIfNeeded: start.wall.milliseconds / 1000), using: &generator)
        site = SimulatedSite(options.plan, boot: boot, version: version, at: start)
        if options.measures { probe = LatencyProbe(Self.mostProbes, boot: boot, version: version, at: start) }
    }

    mutating func untilTheEnd() throws(Failure) -> ExitStatus {
        let numbers = "\(options.plan.gateways) gateways, \(options.plan.items) items"
        printLine("Simulates \(numbers) below \(session.prefix.text)/ for \(Int(options.span.seconds)) s")
        for number in 0..<options.connections { lines.append(try LoadLine(session, number: number)) }
        if options.measures { observer = try LoadObserver(session) }
        try connect()
        var added: [SimulatedSite.Item] = []
        if let probe {
            added = site.items + probe.items
            try observer?.add(added, waiting: session)
        }
        for message in probe?.opened() ?? [] { send(message) }
        printLine("The gateways connect one after the other, within \(site.secondsToOpen) s")
        // The site's clock begins here: connecting and adding items may have taken long.
        let status = try publishForTheSpan()
        finish(added)
        report()
        return status
    }

    private mutating func connect() throws(Failure) {
        let deadline = Clock.now + .seconds(10)
        while !lines.allSatisfy(\.isConnected) || observer.map({ !$0.isReady }) == true {
            guard Clock.now < deadline else {
                throw Failure(.unavailable, "the broker \(session.endpoint) does not respond: \(session.problem)")
            }
            _ = wait(for: descriptors, until: Clock.now + .milliseconds(200))
            handleNotices()
        }
    }

    private var descriptors: [Int32] {
        [session.signals.number] + lines.map(\.wakeup) + [observer?.wakeup].compactMap { $0 }
    }

    /// Publishes second after second, each spread over slices.
    private mutating func publishForTheSpan() throws(Failure) -> ExitStatus {
        let begin = Clock.now
        let seconds = Int64(options.span.seconds.rounded(.up))
        for second in 1...max(1, seconds) {
            var messages: [(item: String?, message: Message)] = []
            site.advance { messages.append((nil, $0)) }
            if var probe {
                if second % 30 == 0 { messages.append((nil, probe.info(at: Clock.moment))) }
                messages += probe.states(ofSecond: second, at: Clock.moment).map { ($0.item, $0.message) }
                self.probe = probe
            }
            for slice in 1...Self.slices {
                let range = messages.count * (slice - 1) / Self.slices..<messages.count * slice / Self.slices
                for (item, message) in messages[range] {
                    if let item { probe?.sent(item, at: Clock.now) }
                    send(message)
                }
                let due = begin + .milliseconds((second - 1) * 1000 + Int64(slice * 1000 / Self.slices))
                if try !rest(until: due) { return .right }
            }
            count.backlog = max(count.backlog, Clock.now - (begin + .seconds(Double(second))))
            probe?.expire(at: Clock.now)
            if second % 10 == 0 {
                printLine("\(second) s: \(count.published) messages published, \(waiting) wait for the broker")
            }
        }
        return .right
    }

    private var waiting: Int { lines.reduce(0) { $0 + $1.waiting } }

    /// Waits until `due`, and longer while too much waits for the broker; `false` if the user wants to stop.
    private mutating func rest(until due: Instant) throws(Failure) -> Bool {
        repeat {
            _ = wait(for: descriptors, until: due)
            handleNotices()
            if session.signals.next() != nil { return false }
            for line in lines {
                if let fault = line.fault {
                    throw Failure(.unavailable, "the connection to the broker ended: \(fault)")
                }
            }
        } while Clock.now < due || waiting > 100_000
        return true
    }

    private mutating func send(_ message: Message) {
        count.add(message)
        // A gateway keeps its connection, so that its messages stay in order.
        let place = message.topic.gateway.map { $0.utf8.reduce(0) { $0 &* 31 &+ Int($1) } } ?? 0
        lines[Int(place.magnitude % UInt(lines.count))].send(OutgoingMessage(message, under: session.prefix))
    }

    private mutating func handleNotices() {
        for index in lines.indices { lines[index].handleNotices(&count) }
        guard observer != nil else { return }
        let now = Clock.now
        observer?.handleNotices { location in probe?.receive(location, at: now) }
    }

    // MARK: The end

    private mutating func finish(_ added: [SimulatedSite.Item]) {
        if observer != nil {
            // The aggregator may still be busy with what was published last. An item that was home once counts: as nothing is published
            // any more, all items become unknown half a minute later.
            var missing = site.itemsInRange.map { site.items[$0].id }
            let deadline = Clock.now + Self.patience
            repeat {
                _ = wait(for: descriptors, until: min(deadline, Clock.now + .milliseconds(200)))
                handleNotices()
                missing.removeAll { observer?.presence[$0] == .home }
            } while !missing.isEmpty && Clock.now < deadline
            count.withoutLocation = missing.count
        }
        for message in site.closing() + (probe?.closing() ?? []) { send(message) }
        let deadline = Clock.now + .seconds(30)
        while waiting > 0 || count.unacknowledged > 0, Clock.now < deadline {
            _ = wait(for: lines.map(\.wakeup), until: Clock.now + .milliseconds(200))
            handleNotices()
        }
        observer?.remove(added, gateways: site.gateways + [LatencyProbe.gateway], waiting: session)
        for line in lines { line.stop() }
        observer?.stop()
    }

    private func report() {
        for line in count.lines { printLine(line) }
        guard let probe else { return }
        if let median = probe.quantile(0.5), let high = probe.quantile(0.99) {
            printLine(
                "From state to location: p50 \(median.tenths) ms, p99 \(high.tenths) ms (\(probe.samples.count) samples)"
            )
        }
        printLine("States without a location within \(Int(LatencyProbe.patience.seconds)) s: \(probe.lost)")
        printLine("Items in range that the aggregator did not report as home at the end: \(count.withoutLocation)")
    }
}

extension Double {
    /// The number with one decimal.
    fileprivate var tenths: String {
        let tenths = Int((self * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension Topic {
    /// The gateway that publishes on the topic; `nil` for other writers.
    var gateway: String? {
        switch self {
        case .gatewayAvailability(let gateway), .gatewayInfo(let gateway), .gatewayTelemetry(let gateway),
            .gatewayResponse(let gateway, _), .proximity(_, let gateway), .beaconEvent(_, let gateway),
            .regionState(_, let gateway), .regionEvent(_, let gateway):
            gateway
        default: nil
        }
    }
}
