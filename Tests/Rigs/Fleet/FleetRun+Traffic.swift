import Beacons
import Delivery
import Messages
import SimulationTestSupport

/// What goes between the processes and the broker.
extension FleetRun {
    /// After so long without a word the broker takes a client for gone: one and a half times 30 s.
    static let keepalive = Interval.seconds(45)
    /// MQTT 5 lets a will wait for so long.
    static let willDelay = Interval.seconds(10)

    // MARK: Connections

    /// Tries to reach the broker a little later.
    mutating func dial(_ client: Int, after pause: Interval) {
        let epoch = lines[client].dial()
        agenda.add(.dials(client: client, epoch: epoch), at: max(now + pause, lines[client].deadUntil))
    }

    /// The connection is reset; both ends know at once.
    mutating func cut(_ client: Int) {
        let epoch = lines[client].epoch
        agenda.add(.brokerNotices(client: client, epoch: epoch), at: now)
        agenda.add(.clientNotices(client: client, epoch: epoch), at: now)
    }

    /// The network carries nothing for a while: who finds out before it is over gives the connection up.
    mutating func lose(pathOf client: Int, until end: Instant) {
        lines[client].deadUntil = max(lines[client].deadUntil, end)
        let epoch = lines[client].epoch
        let clientFindsOut = now + .seconds(random.uniform(in: 10...60))
        if clientFindsOut < end { agenda.add(.clientNotices(client: client, epoch: epoch), at: clientFindsOut) }
        if now + Self.keepalive < end {
            agenda.add(.brokerNotices(client: client, epoch: epoch), at: now + Self.keepalive)
        }
    }

    /// A client disconnects: its last messages arrive, and its will is not published.
    mutating func part(_ client: Int, epoch: Int, publishing packets: [Packet]) {
        if lines[client].deadUntil <= now {
            for packet in packets where broker.serves(client, epoch: epoch) {
                route(broker.publish(packet, at: now))
            }
            _ = broker.partedFrom(client, epoch: epoch)
        } else {
            agenda.add(.brokerNotices(client: client, epoch: epoch), at: now + Self.keepalive)
        }
    }

    private func isRunning(_ client: Int) -> Bool {
        client == aggregatorIndex ? aggregator.isRunning : gateways[client].isRunning
    }

    // MARK: Packets

    mutating func send(_ packet: Packet, of client: Int) {
        guard lines[client].isOpen else { return }
        if printsStory, packet.isAcknowledged || packet.payload.isEmpty {
            if printsStory {
                printLine("\(name(of: client)) -> \(packet.topic) \(String(decoding: packet.payload, as: UTF8.self))")
            }
        }
        let arrival = lines[client].arrival(of: packet, .up, at: now)
        agenda.add(.atBroker(client: client, epoch: lines[client].epoch, packet), at: arrival)
    }

    private mutating func route(_ sendings: [VirtualBroker.Sending]) {
        for (client, epoch, packet) in sendings where lines[client].epoch == epoch {
            if lines[client].loses(packet) { continue }
            let arrival = lines[client].arrival(of: packet, .down, at: now)
            agenda.add(.atClient(client: client, epoch: epoch, packet), at: arrival)
        }
    }

    mutating func takeTraffic(_ happening: Happening) {
        if happening.recipient == aggregatorIndex, let until = aggregator.standsStillUntil, now < until {
            return agenda.add(happening, at: until)
        }
        switch happening {
        case .dials(let client, let epoch): reach(client, epoch: epoch)
        case .isLetIn(let client, let epoch):
            guard lines[client].epoch == epoch, isRunning(client) else { return }
            lines[client].isOpen = true
            if printsStory { printLine("\(name(of: client)) is connected") }
            report(.connected, to: client)
        case .atBroker(let client, let epoch, let packet):
            guard broker.serves(client, epoch: epoch) else { return }
            let isRefused = packet.isAcknowledged && broker.refusing.contains(client)
            if !isRefused { route(broker.publish(packet, at: now)) }
            guard packet.isAcknowledged, let number = packet.publication else { return }
            agenda.add(
                .responded(client: client, epoch: epoch, publication: number, isRefused: isRefused),
                at: now + .milliseconds(5))
        case .responded(let client, let epoch, let number, let isRefused):
            guard lines[client].epoch == epoch, lines[client].isOpen, isRunning(client) else { return }
            guard lines[client].deadUntil <= now else {
                return agenda.add(happening, at: lines[client].deadUntil + .milliseconds(5))
            }
            let rejection = BrokerRejection(reasonCode: 151, description: "quota exceeded (151)")
            report(isRefused ? .refused(number, rejection) : .acknowledged(number), to: client)
        case .atClient(let client, let epoch, let packet): hand(packet, to: client, epoch: epoch)
        case .confirmed(let client, let epoch, let number):
            if broker.serves(client, epoch: epoch) { broker.confirm(client, number: number) }
        case .clientNotices(let client, let epoch): clientNotices(client, epoch: epoch)
        case .brokerNotices(let client, let epoch):
            guard let will = broker.partedFrom(client, epoch: epoch) else { return }
            publish(will, of: client, epoch: epoch)
        case .asks(let client): ask(client)
        case .willIsDue(let client, _):
            guard broker.isUp, !broker.isServed(client) else { return }
            route(broker.publish(will(of: client), at: now))
        default: preconditionFailure("no traffic")
        }
    }

    private mutating func reach(_ client: Int, epoch: Int) {
        guard lines[client].epoch == epoch, isRunning(client) else { return }
        guard broker.isUp, lines[client].deadUntil <= now else {
            return dial(client, after: .seconds(random.uniform(in: 0.5...5)))
        }
        let subscriber: Subscriber = client == aggregatorIndex ? .aggregator : .gateway(id: gateways[client].id)
        let filters = subscriber.subscriptions(under: .standard).map(\.filter)
        let sendings = broker.letIn(
            client, epoch: epoch, filters: filters, isLasting: client == aggregatorIndex, will: will(of: client),
            at: now)
        agenda.add(.isLetIn(client: client, epoch: epoch), at: now + .milliseconds(1))
        route(sendings)
    }

    private mutating func hand(_ packet: Packet, to client: Int, epoch: Int) {
        guard lines[client].epoch == epoch, lines[client].isOpen, isRunning(client) else { return }
        if let number = packet.number {
            agenda.add(.confirmed(client: client, epoch: epoch, number: number), at: now + .milliseconds(5))
        }
        let isAggregator = client == aggregatorIndex
        carryOut(
            isAggregator ? aggregator.take(packet, at: now) : gateways[client].take(packet, at: now), of: client)
    }

    private mutating func report(_ event: BrokerEvent, to client: Int) {
        let isAggregator = client == aggregatorIndex
        carryOut(isAggregator ? aggregator.take(event, at: now) : gateways[client].take(event, at: now), of: client)
    }

    private mutating func clientNotices(_ client: Int, epoch: Int) {
        guard lines[client].epoch == epoch, isRunning(client) else { return }
        let wasOpen = lines[client].isOpen
        lines[client].isOpen = false
        if wasOpen { report(.disconnected("the connection was lost"), to: client) }
        dial(client, after: .seconds(random.uniform(in: 0.2...3)))
    }

    // MARK: A reader

    /// Requests what a process published that has ended, and again after a while.
    private mutating func ask(_ client: Int) {
        agenda.add(.asks(client: client), at: now + readers.exponential(mean: .seconds(15)))
        guard broker.isUp else { return }
        let isAggregator = client == aggregatorIndex
        let topic: Topic =
            isAggregator
            ? .aggregatorRequest(what: "events") : .gatewayRequest(gateway: gateways[client].id, what: "events")
        guard let boot = isAggregator ? aggregator.witness.boot : gateways[client].formerBoot else { return }
        let request = Request.bytes(
            of: EventsRequest(boot: boot, seqs: SeqRange(from: 1, to: 1000)), transaction: .string(SiteWitness.reader))
        route(broker.publish(Packet(Message(topic, bytes: request)), at: now))
    }

    // MARK: Wills

    private func will(of client: Int) -> Packet {
        let topic: Topic =
            client == aggregatorIndex ? .aggregatorAvailability : .gatewayAvailability(gateway: gateways[client].id)
        return Packet(Message(topic, .offline))
    }

    /// With MQTT 5 a will may wait, with 3.1.1 it does not; a broker that is down never publishes one.
    private mutating func publish(_ will: Packet, of client: Int, epoch: Int) {
        guard broker.isUp else { return }
        if scenario.speaksFive {
            agenda.add(.willIsDue(client: client, epoch: epoch), at: now + Self.willDelay)
        } else {
            route(broker.publish(will, at: now))
        }
    }
}
