import Beacons

/// What befalls a fleet, and what becomes of it.
extension FleetRun {
    mutating func begin(_ fault: Fault) {
        outcome.faults[fault.kind.rawValue, default: 0] += 1
        let victim = fault.victim
        if printsStory {
            printLine("\(fault.kind.rawValue), \(name(of: victim)), until \(Double(fault.until.milliseconds) / 1000)")
        }
        switch fault.kind {
        case _ where fault.kind.endsProcess:
            halt(fault.kind, fault.kind.isOfAggregator ? aggregatorIndex : victim)
        case .radioFails: carryOut(gateways[victim].turn(at: now) { $0.turn(off: true) }, of: victim)
        case .radioDies: carryOut(gateways[victim].turn(at: now) { $0.turn(dead: true) }, of: victim)
        case .connectionCut: cut(victim)
        case .pathDead: lose(pathOf: victim, until: fault.until)
        case .brokerRestarts, .brokerForgets, .brokerMisremembers:
            brokerOutages += 1
            broker.goDown()
            for client in lines.indices { cut(client) }
        case .clockSteps:
            if victim == aggregatorIndex {
                aggregator.clock.step(by: fault.jump, isSynchronised: fault.isSynchronised)
            } else {
                gateways[victim].clock.step(by: fault.jump, isSynchronised: fault.isSynchronised)
            }
        case .flood:
            carryOut(gateways[victim].flood(1300, at: now), of: victim)
        case .brokerRefuses: broker.refusing.insert(victim)
        case .connectionFull: fill(victim, true)
        case .diskRefuses: refuse(victim, Self.noSpace)
        case .aggregatorStandsStill: aggregator.standStill(until: fault.until)
        default: preconditionFailure("a process has ended")
        }
        noteReceiving(victim)
    }

    mutating func end(_ fault: Fault) {
        let victim = fault.victim
        if printsStory { printLine("over: \(fault.kind.rawValue), \(name(of: victim))") }
        switch fault.kind {
        case _ where fault.kind.endsProcess:
            let client = fault.kind.isOfAggregator ? aggregatorIndex : victim
            outages[client] -= 1
            agenda.add(.starts(client: client), at: now)
        case .radioFails: carryOut(gateways[victim].turn(at: now) { $0.turn(off: false) }, of: victim)
        case .radioDies: carryOut(gateways[victim].turn(at: now) { $0.turn(dead: false) }, of: victim)
        case .brokerRestarts: bringBackBroker(remembering: .whole)
        case .brokerForgets: bringBackBroker(remembering: .none)
        case .brokerMisremembers: bringBackBroker(remembering: .old)
        case .brokerRefuses: broker.refusing.remove(victim)
        case .connectionFull: fill(victim, false)
        case .diskRefuses: refuse(victim, nil)
        default: break
        }
        noteReceiving(victim)
    }

    private mutating func bringBackBroker(remembering memory: VirtualBroker.Memory) {
        brokerOutages -= 1
        if brokerOutages == 0 { broker.comeUp(remembering: memory) }
    }

    private mutating func fill(_ client: Int, _ isFull: Bool) {
        if client == aggregatorIndex { aggregator.isFull = isFull } else { gateways[client].isFull = isFull }
    }

    private mutating func refuse(_ client: Int, _ refusal: String?) {
        if client == aggregatorIndex {
            aggregator.diskRefusal = refusal
        } else {
            gateways[client].diskRefusal = refusal
        }
    }

    private static let noSpace = "no space left on device"

    private mutating func noteReceiving(_ victim: Int) {
        if victim < gateways.count { gateways[victim].noteReceiving(at: now) }
    }

    private mutating func halt(_ kind: Fault.Kind, _ client: Int) {
        outages[client] += 1
        let epoch = lines[client].epoch
        var farewell: [Packet] = []
        switch kind {
        case .gatewayStopped: farewell = gateways[client].stop(at: now)
        case .gatewayLosesPower: gateways[client].losePower(at: now)
        case .aggregatorStopped: farewell = aggregator.stop(at: now)
        case .aggregatorKilled:
            aggregator.kill()
            aggregator.witness.isKilled(at: now)
        default: gateways[client].kill(at: now)
        }
        lines[client].isOpen = false
        switch kind {
        case .gatewayStopped, .aggregatorStopped: part(client, epoch: epoch, publishing: farewell)
        // Nobody closes the connection: the broker finds out by the keepalive.
        case .gatewayLosesPower: agenda.add(.brokerNotices(client: client, epoch: epoch), at: now + Self.keepalive)
        default: agenda.add(.brokerNotices(client: client, epoch: epoch), at: now + .milliseconds(5))
        }
    }
}

extension Fault.Kind {
    /// Whether a process ends with it.
    var endsProcess: Bool {
        switch self {
        case .gatewayKilled, .gatewayStopped, .gatewayLosesPower, .aggregatorKilled, .aggregatorStopped: true
        default: false
        }
    }

    var isOfAggregator: Bool { self == .aggregatorKilled || self == .aggregatorStopped }
}
