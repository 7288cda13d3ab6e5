import Beacons
import Simulation
import SimulationTestSupport

/// One fleet in virtual time: the real pipelines of some gateways and of the aggregator, in a simulated house, behind a simulated broker, with
/// all that the seed lets befall them; and witnesses who check the invariants after every step.
package struct FleetRun {
    /// What a run came to.
    package struct Outcome: Sendable {
        /// Which seed.
        package var seed: UInt64
        /// Every time that an invariant did not hold, up to 50 of each witness.
        package var violations: [Violation] = []
        /// Moments and messages that went into pipelines.
        package var steps = 0
        /// Beacons times gateways times hours.
        package var beaconHours = 0.0
        /// Advertisements that pipelines were given.
        package var adverts = 0
        /// States and events that were published.
        package var transitions = 0
        /// Learned exits of beacons that were there: not against the rules, but against the rate that is promised.
        package var falseExits = 0
        /// For how long they might have happened.
        package var learnedHours = 0.0
        /// How often each kind of fault befell it.
        package var faults: [String: Int] = [:]
        /// Its faults and its messages, for people, if requested.
        package var story: [String] = []
        /// When which event of a beacon or an item was published, by its text: to be compared with another run of the same seed.
        var published: [String: [Instant]] = [:]
    }

    let scenario: Scenario
    var now = Instant.zero
    var agenda = Agenda()
    var gateways: [GatewayHost]
    var aggregator: AggregatorHost
    var broker = VirtualBroker()
    var lines: [Line]
    /// The process that is to run on each machine, or not for now; faults of one machine may overlap.
    var outages: [Int]
    var brokerOutages = 0
    var random: Xoshiro256
    /// When a reader asks, whatever else happens.
    var readers: Xoshiro256
    var outcome: Outcome
    let bug: PlantedBug?
    var printsStory = false

    init(seed: UInt64, bug: PlantedBug? = nil, clockSteps: Bool = true) {
        let scenario = Scenario(seed: seed, clockSteps: clockSteps)
        self.scenario = scenario
        self.bug = bug
        gateways = scenario.house.gateways.enumerated().map { GatewayHost($1, number: $0, in: scenario, bug: bug) }
        aggregator = AggregatorHost(in: scenario, bug: bug)
        for (tag, item) in zip(scenario.house.tags, aggregator.configuration.site.items.map(\.item)) {
            aggregator.witness.items[tag.beacon] = item.id
        }
        lines = (0...gateways.count).map { Line(seed: seed &* 0x9E37_79B9 &+ UInt64($0)) }
        outages = Array(repeating: 0, count: gateways.count + 1)
        random = Xoshiro256(seed: ~seed)
        readers = Xoshiro256(seed: ~seed &* 31)
        outcome = Outcome(seed: seed)
    }

    /// Runs the run of a seed, and where clocks step in it another one in which they do not.
    package static func run(seed: UInt64, bug: PlantedBug? = nil, printingStory: Bool = false) -> Outcome {
        var run = FleetRun(seed: seed, bug: bug)
        run.printsStory = printingStory
        run.run()
        guard run.outcome.faults[Fault.Kind.clockSteps.rawValue] != nil else { return run.outcome }
        var other = FleetRun(seed: seed, bug: bug, clockSteps: false)
        other.run()
        return run.outcome.compared(with: other.outcome)
    }

    mutating func run() {
        for (index, fault) in scenario.faults.enumerated() {
            agenda.add(.begins(index), at: fault.at)
            if fault.until > fault.at { agenda.add(.ends(index), at: fault.until) }
        }
        for client in lines.indices {
            agenda.add(.starts(client: client), at: .zero + .milliseconds(Int64(client) * 300))
            agenda.add(.asks(client: client), at: .zero + readers.exponential(mean: .seconds(15)))
        }
        agenda.add(.brokerSaves, at: .zero + scenario.autosave)
        while true {
            now = max(now, nextDeadline)
            guard now < scenario.end else { break }
            step()
            // A planted bug that has been found needs no more of the run.
            if let bug, isBroken(bug.breaks) { return finish() }
        }
        now = scenario.end
        judgeAgreement()
        finish()
    }

    private func isBroken(_ invariant: Invariant) -> Bool {
        gateways.contains { $0.witness.violations.contains { $0.invariant == invariant } }
            || aggregator.witness.violations.contains { $0.invariant == invariant }
    }

    private var nextDeadline: Instant {
        var earliest = agenda.next ?? scenario.end
        for index in gateways.indices {
            if let deadline = gateways[index].nextDeadline { earliest = min(earliest, deadline) }
        }
        if let deadline = aggregator.nextDeadline { earliest = min(earliest, deadline) }
        return earliest
    }

    private mutating func step() {
        while let happening = agenda.take(dueBy: now) { take(happening) }
        for index in gateways.indices {
            if let deadline = gateways[index].nextDeadline, deadline <= now {
                carryOut(gateways[index].wake(at: now), of: index)
            }
        }
        if let deadline = aggregator.nextDeadline, deadline <= now {
            carryOut(aggregator.wake(at: now), of: gateways.count)
        }
    }

    private mutating func take(_ happening: Happening) {
        switch happening {
        case .begins(let fault): begin(scenario.faults[fault])
        case .ends(let fault): end(scenario.faults[fault])
        case .starts(let client): start(client)
        case .brokerSaves:
            broker.save()
            agenda.add(.brokerSaves, at: now + scenario.autosave)
        case .radio(let gateway, let process, let notice):
            guard gateways[gateway].process == process else { return }
            carryOut(gateways[gateway].take(notice, at: now), of: gateway)
        default: takeTraffic(happening)
        }
    }

    /// Adds a line to the story.
    mutating func printLine(_ line: String) {
        outcome.story.append("\(Double(now.milliseconds) / 1000) \(line)")
    }

    func name(of client: Int) -> String { client == aggregatorIndex ? "aggregator" : gateways[client].id }

    mutating func carryOut(_ effects: [Effect], of client: Int) {
        if client == aggregatorIndex { judgeReturns() }
        for effect in effects {
            switch effect {
            case .send(let packet): send(packet, of: client)
            case .radioReports(let notice, let after):
                if printsStory { printLine("\(name(of: client)): its radio will say \(notice)") }
                agenda.add(.radio(gateway: client, process: gateways[client].process, notice), at: now + after)
            }
        }
    }

    // MARK: Processes

    var aggregatorIndex: Int { gateways.count }

    private mutating func start(_ client: Int) {
        guard outages[client] == 0 else { return }
        if client == aggregatorIndex {
            guard !aggregator.isRunning else { return }
            carryOut(aggregator.start(at: now), of: client)
        } else {
            guard !gateways[client].isRunning else { return }
            let effects = gateways[client].start(at: now)
            if let boot = gateways[client].witness.boot { aggregator.witness.boots[boot] = now }
            carryOut(effects, of: client)
            gateways[client].noteReceiving(at: now)
        }
        dial(client, after: .milliseconds(20))
    }

    private mutating func finish() {
        outcome.violations += gateways.flatMap(\.witness.violations) + aggregator.witness.violations
        outcome.violations.sort { $0.at < $1.at }
        outcome.steps = gateways.reduce(aggregator.steps) { $0 + $1.steps }
        outcome.adverts = gateways.reduce(0) { $0 + $1.received }
        outcome.transitions = gateways.reduce(aggregator.witness.transitions) { $0 + $1.witness.transitions }
        let hours = (scenario.end - .zero).seconds / 3600
        outcome.beaconHours = hours * Double(gateways.count * scenario.house.tags.count)
        let beacons = gateways.flatMap(\.witness.story)
        for transition in beacons { outcome.published[transition.text, default: []].append(transition.at) }
        // Events of a run that an aggregator never met alive can be ordered beside those of others by the wall clock alone.
        guard !scenario.faults.contains(where: { $0.kind.endsProcess }) else { return }
        for transition in aggregator.witness.story {
            outcome.published[transition.text, default: []].append(transition.at)
        }
    }
}

extension FleetRun.Outcome {
    /// Holds two runs of one seed against each other, of which the other had no clock step.
    fileprivate func compared(with other: FleetRun.Outcome) -> FleetRun.Outcome {
        var outcome = self
        outcome.violations += other.violations
        outcome.steps += other.steps
        outcome.adverts += other.adverts
        outcome.transitions += other.transitions
        outcome.beaconHours += other.beaconHours
        var lines: [String] = []
        for text in Set(published.keys).union(other.published.keys).sorted() {
            lines += Self.differences(of: text, published[text] ?? [], other.published[text] ?? [])
        }
        if !lines.isEmpty {
            let detail = "\(lines.count) differences, the first are: \(lines.prefix(4).joined(separator: "; "))"
            outcome.violations.append(
                Violation(invariant: .clocksChangeNothing, subject: "fleet", detail: detail, at: .zero))
        }
        return outcome
    }

    /// By how much an event may be later in one of the runs. A location whose `last_seen_at` is old is published by the wall clock, and on its way it
    /// holds up what follows on the same line, for no longer than a message takes.
    private static let tolerance = Interval.milliseconds(25)

    /// The moments at which only one of the runs published an event.
    private static func differences(of text: String, _ stepped: [Instant], _ other: [Instant]) -> [String] {
        var (steps, others) = (stepped.sorted()[...], other.sorted()[...])
        var lines: [String] = []
        while let first = [steps.first, others.first].compactMap({ $0 }).min() {
            let isInSteps = steps.first.map { $0 - first <= tolerance } ?? false
            let isInOthers = others.first.map { $0 - first <= tolerance } ?? false
            if isInSteps { steps.removeFirst() }
            if isInOthers { others.removeFirst() }
            guard isInSteps != isInOthers else { continue }
            lines.append("\(first.milliseconds) ms \(text) only \(isInSteps ? "with" : "without") steps")
        }
        return lines
    }
}
