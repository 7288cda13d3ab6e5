import Beacons
import Simulation
import SimulationTestSupport

/// Something that goes wrong for a while.
struct Fault: Sendable {
    /// What.
    enum Kind: String, CaseIterable, Sendable {
        /// The process dies, and is started again: what it had not committed is gone.
        case gatewayKilled = "gateway killed"
        /// The same without a word to the broker, and with another monotonic clock afterwards.
        case gatewayLosesPower = "gateway without power"
        /// The gateway is stopped, and publishes its farewell.
        case gatewayStopped = "gateway stopped"
        /// The adapter is gone, and the kernel reports that.
        case radioFails = "radio off"
        /// The adapter receives nothing any more, which only a proof shows.
        case radioDies = "radio silently dead"
        /// The connection is reset: what was on its way is gone.
        case connectionCut = "connection cut"
        /// The network delivers nothing, and reports nothing.
        case pathDead = "path dead"
        /// The broker stops and starts, and remembers.
        case brokerRestarts = "broker restarted"
        /// The broker is killed and starts without memory.
        case brokerForgets = "broker without memory"
        /// The broker is killed and starts with the memory that it wrote last.
        case brokerMisremembers = "broker with old memory"
        /// The aggregator dies.
        case aggregatorKilled = "aggregator killed"
        /// The aggregator is stopped.
        case aggregatorStopped = "aggregator stopped"
        /// A wall clock jumps, by seconds or by decades.
        case clockSteps = "clock stepped"
        /// One gateway receives a crowd of identities of the wildcard's.
        case flood = "flood of identities"
        /// The broker accepts nothing of QoS 1 from one client, and reports that.
        case brokerRefuses = "broker refuses"
        /// The queue of one client's connection is full: the broker takes messages too slowly.
        case connectionFull = "connection full"
        /// The disk of one machine takes nothing more.
        case diskRefuses = "disk refuses"
        /// The aggregator's process stands still, and its connection lasts.
        case aggregatorStandsStill = "aggregator stands still"
    }

    var kind: Kind
    var at: Instant
    var until: Instant
    /// The gateway, or the client: the aggregator is behind the last gateway.
    var victim: Int
    /// By how much a clock jumps.
    var jump = Interval.zero
    /// Whether it then knows that it is right.
    var isSynchronised = true

    /// A quarter of an hour or less of trouble, in the order of its beginning; each seed has some kinds of fault, some often.
    static func draw(gateways: Int, until end: Instant, _ random: inout Xoshiro256) -> [Fault] {
        var faults: [Fault] = []
        for kind in Kind.allCases {
            var odds = random.chance(0.35) ? random.exponential(mean: .seconds(2.5)).seconds : 0
            if kind == .flood { odds = random.chance(0.05) ? 1 : 0 }
            // What is refused twice on one connection is published again so late that nothing could agree in time.
            if [.brokerRefuses, .connectionFull, .diskRefuses].contains(kind) { odds = random.chance(0.3) ? 1 : 0 }
            while odds > 0, random.chance(odds) {
                odds -= 1
                faults.append(draw(kind, gateways: gateways, until: end, &random))
            }
        }
        for fault in faults where fault.kind == .brokerMisremembers {
            faults += companions(of: fault, gateways: gateways, until: end, &random)
        }
        return faults.sorted { $0.at < $1.at }
    }

    /// The faults that come with one of the broker: its machine may be the aggregator's or power a gateway, and the broker may fail once more.
    private static func companions(
        of fault: Fault, gateways: Int, until end: Instant, _ random: inout Xoshiro256
    ) -> [Fault] {
        var companions: [Fault] = []
        for kind in [Kind.aggregatorKilled, .gatewayLosesPower, .brokerMisremembers] where random.chance(0.5) {
            var other = fault
            (other.kind, other.victim) = (kind, Int.random(in: 0..<gateways, using: &random))
            if kind == .brokerMisremembers { other.at = min(end, fault.until + .seconds(random.uniform(in: 0.5...60))) }
            other.until = min(end, max(other.at, fault.until) + .seconds(random.uniform(in: 0.5...30)))
            if other.at < other.until { companions.append(other) }
        }
        return companions
    }

    private static func draw(
        _ kind: Kind, gateways: Int, until end: Instant, _ random: inout Xoshiro256
    ) -> Fault {
        let at = Instant.zero + .seconds(random.uniform(in: 1...(end - .zero).seconds))
        // From an instant to ten minutes, each order of magnitude as often.
        let length = 0.3 * (2000 * random.uniform()).squareRoot() * random.uniform() * 45
        var fault = Fault(
            kind: kind, at: at, until: min(end, at + .seconds(max(0.3, length))),
            victim: Int.random(in: 0...gateways, using: &random))
        switch kind {
        case .connectionCut: break
        case .pathDead, .diskRefuses: break
        case .clockSteps:
            let decades = random.chance(0.3)
            let size = decades ? random.uniform(in: 1e6...1e9) : random.uniform(in: 0.5...4000)
            fault.jump = .seconds(random.chance(0.5) ? size : -size)
            fault.isSynchronised = random.chance(0.7)
        case .flood:
            fault.victim %= gateways
            fault.until = at
        case .aggregatorStandsStill:
            fault.victim = gateways
            fault.until = min(end, at + .seconds(random.uniform(in: 6...40)))
        case .brokerRefuses, .connectionFull: fault.until = min(fault.until, at + .seconds(60))
        default: fault.victim %= gateways
        }
        return fault
    }
}
