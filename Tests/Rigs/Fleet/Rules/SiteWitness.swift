import Beacons
import Messages

/// Compares what the aggregator received with what it published. It knows nothing of how the aggregator decides.
struct SiteWitness: Sendable {
    private(set) var violations: [Violation] = []
    private(set) var nextSeq: UInt64 = 1
    /// What was published of items, in the run's time.
    private(set) var story: [Published] = []
    private(set) var transitions = 0

    /// An item that left or returned, whatever any wall clock reads.
    struct Published: Hashable, Sendable, CustomStringConvertible {
        var at: Instant
        var item: String
        var word: String

        var text: String { "\(item) \(word)" }
        var description: String { "\(at.milliseconds) ms \(text)" }
    }

    /// What happened and is not on the disk yet.
    private var pending: [ItemEvent] = []
    private(set) var boot: Boot?
    private var bootedAt = Instant.zero
    /// When each run of a gateway began.
    var boots: [Boot: Instant] = [:]
    /// Which item has which beacon, by the registry.
    var items: [BeaconIdentity: String] = [:]
    private var gateways: [String: Gateway] = [:]
    /// By item and gateway: the last report of the gateway in this stay.
    private var words: [String: [String: (word: Word, since: Instant)]] = [:]
    /// The last event of each gateway about an item.
    private var events: [String: [String: EventID]] = [:]
    /// By item and gateway: whether the last ranged state has a silence that is unusually long.
    private var silent: [String: [String: Bool]] = [:]
    private var presences: [String: Presence] = [:]
    /// When each item last left.
    private var leftAt: [String: Instant] = [:]
    /// The returns that are not judged yet, with the time when the item had left.
    private var returns: [(item: String, left: Instant)] = []
    /// Left or returned, what else was published since, and whether it was received after it had been unknown: that has no event.
    private var lastWords: [String: (word: String, since: Set<Presence>, wasReceived: Bool)] = [:]

    /// What is reported later than this is of the past.
    private static let publishingDelay = Interval.seconds(5)

    /// The transaction of readers' requests, whose responses the aggregator does not read.
    static let reader = "a reader"

    private enum Word {
        case inside, exited, takenBack
        /// The item left while this gateway had it inside, in an unusual silence. That ends when the gateway receives the item again.
        case leftBehind
    }

    private struct Gateway {
        var isOnline = false
        var isOn = false
        var boot: Boot?
        var infoUntil = Instant.zero
    }

    mutating func violate(_ invariant: Invariant, _ item: String, _ detail: String, at now: Instant) {
        guard violations.count < 50 else { return }
        violations.append(Violation(invariant: invariant, subject: item, detail: detail, at: now))
    }

    mutating func begins(_ boot: Boot, at now: Instant) {
        self.boot = boot
        bootedAt = now
        nextSeq = 1
        pending = []
    }

    /// The process is killed: which gateways received an item in the last half minute is not on its disk. A gateway that is there reports it again.
    mutating func isKilled(at now: Instant) {
        for item in words.keys {
            words[item] = words[item]!.filter { $0.value.word != .inside || $0.value.since < now - Self.storePeriod }
        }
    }

    private static let storePeriod = Interval.seconds(31)

    // MARK: What the aggregator is given

    mutating func delivered(_ packet: Packet, at now: Instant) {
        switch Topic(named: packet.topic, under: .standard) {
        case .gatewayAvailability(let gateway):
            gateways[gateway, default: Gateway()].isOnline = packet.payload == Availability.online.bytes
        case .gatewayInfo(let gateway):
            guard let info = try? GatewayInfo(parsing: packet.payload) else { return }
            gateways[gateway, default: Gateway()].isOn = info.radio.state == .poweredOn
            gateways[gateway]!.infoUntil = now + .seconds(Double(info.validFor))
            gateways[gateway]!.boot = info.stamp.boot
        case .proximity(let beacon, let gateway): take(proximity: packet, of: beacon, gateway, at: now)
        case .beaconEvent(let beacon, let gateway):
            if let event = try? BeaconEvent(parsing: packet.payload) { take(event, of: beacon, gateway, at: now) }
        case .gatewayResponse(let gateway, "events"):
            guard let response = try? Response<EventsResponse>(parsing: packet.payload),
                response.transaction?.string != Self.reader, case .done(let events) = response.outcome
            else { return }
            for case .beacon(let event) in events.events { take(event, of: event.beacon, gateway, at: now) }
        default: break
        }
    }

    private mutating func take(_ event: BeaconEvent, of beacon: BeaconIdentity, _ gateway: String, at now: Instant) {
        let at = instant(of: event.stamp) ?? now
        guard let item = items[beacon] else { return }
        // A gateway's later report counts, even where it dates an exit before its last ranged state.
        let isLater = at >= words[item]?[gateway]?.since ?? at
        if let last = events[item]?[gateway] {
            guard last.boot == event.id.boot ? event.id.seq > last.seq : isLater else { return }
        } else {
            guard isLater || event.transition == .exit else { return }
        }
        events[item, default: [:]][gateway] = event.id
        words[item, default: [:]][gateway] = (event.transition == .enter ? .inside : .exited, at)
        if event.transition == .enter, lastWords[item]?.since.contains(.unknown) == true {
            lastWords[item]!.wasReceived = true
        }
    }

    private mutating func take(
        proximity packet: Packet, of beacon: BeaconIdentity, _ gateway: String, at now: Instant
    ) {
        guard let item = items[beacon] else { return }
        let former = words[item]?[gateway]
        guard !packet.payload.isEmpty else {
            if former?.word == .inside { words[item]![gateway]!.word = .takenBack }
            return
        }
        guard let state = try? RangedState(parsing: packet.payload) else { return }
        silent[item, default: [:]][gateway] = state.silence != nil
        // After an exit, only what was received counts: a slow disk delays the exit, and not the states of before.
        let isOver = former?.word == .exited || former?.word == .leftBehind
        guard former?.word != .inside, !isOver || state.sightings > 0 else { return }
        // What the broker retained of a run that is over proves nothing.
        if packet.retain, let boot = gateways[gateway]?.boot, boot != state.stamp.boot { return }
        // Without a sighting the item is inside since before a restart, and its exit may be dated before this state.
        let at = state.sightings > 0 ? instant(of: state.stamp) ?? now : former?.since ?? .zero
        guard at >= former?.since ?? at else { return }
        words[item, default: [:]][gateway] = (.inside, at)
    }

    private func instant(of stamp: Stamp) -> Instant? { boots[stamp.boot].map { $0 + (stamp.uptime - .zero) } }

    // MARK: What the aggregator publishes

    mutating func take(events: [ItemEvent], at now: Instant, clock: HostClock) {
        pending += events
        for event in events {
            transitions += 1
            if event.id.boot != boot || event.seq != nextSeq {
                violate(.numbersHaveNoHoles, event.item, "\(event.id) where \(nextSeq) was next", at: now)
            }
            nextSeq = event.seq + 1
            switch event.change {
            case .moved, .forgotten, .taken, .alone, .low: continue
            case .left:
                leftAt[event.item] = instant(of: event, at: now, clock)
                judge(event, at: now, clock: clock)
            case .returned:
                if let left = leftAt[event.item] { returns.append((event.item, left)) }
                beginStay(of: event.item, at: instant(of: event, at: now, clock) ?? now)
            }
            story.append(Published(at: now, item: event.item, word: event.change.word))
        }
    }

    /// Removes and returns the returns since the last call, with the time when the item had left.
    mutating func takeReturns() -> [(item: String, left: Instant)] {
        defer { returns = [] }
        return returns
    }

    private mutating func judge(_ left: ItemEvent, at now: Instant, clock: HostClock) {
        guard let instant = instant(of: left, at: now, clock) else { return }
        judgeAway(left.item, left: instant, at: now)
    }

    /// When an event happened; `nil`: by the clock, which is behind, that cannot be known.
    private func instant(of event: ItemEvent, at now: Instant, _ clock: HostClock) -> Instant? {
        // An event of before this run is dated by the wall clock alone.
        let ago = clock.moment(at: now).wall - event.stamp.at
        return ago < .seconds(-2) ? nil : min(bootedAt + (event.stamp.uptime - .zero), now - max(.zero, ago))
    }

    /// What happened up to that number is on the disk: it has been published, and no restart takes it back.
    mutating func committed(upTo seq: UInt64, at now: Instant) {
        while let event = pending.first, event.seq <= seq {
            pending.removeFirst()
            guard event.change.isPresence else { continue }
            let word = event.change.word
            let between: Presence = word == "left" ? .home : .away
            if let last = lastWords[event.item], last.word == word, !last.since.contains(between), !last.wasReceived {
                violate(.leftAndReturnedAlternate, event.item, "\(word) again", at: now)
            }
            lastWords[event.item] = (word, [], false)
        }
    }

    mutating func take(_ packets: [Packet], at now: Instant) {
        for packet in packets {
            guard case .itemLocation(let item)? = Topic(named: packet.topic, under: .standard),
                let location = try? ItemLocation(parsing: packet.payload)
            else { continue }
            lastWords[item]?.since.insert(location.presence)
            let former = presences.updateValue(location.presence, forKey: item)
            guard former != location.presence else { continue }
            transitions += 1
            // If it was reported as left, that was judged.
            if location.presence == .away, lastWords[item]?.word != "left" { judgeAway(item, left: now, at: now) }
            if location.presence == .home, former == .away { beginStay(of: item, at: now) }
        }
    }

    /// A new stay: a gateway that does not receive the item has no part in it. An exit after a return of the past ends that stay.
    private mutating func beginStay(of item: String, at returned: Instant) {
        words[item] = words[item]?.filter {
            $0.value.word == .inside || $0.value.word == .exited && $0.value.since > returned
        }
    }

    /// Away requires that every gateway that had the item inside is alive and scans, and that the item exited at one of them and at each other one,
    /// or is silent there for unusually long.
    private mutating func judgeAway(_ item: String, left: Instant, at now: Instant) {
        let hasExited = words[item]?.values.contains { $0.word == .exited } == true
        for (gateway, (word, since)) in (words[item] ?? [:]).sorted(by: { $0.key < $1.key }) {
            // It may have left before, and what was missed is reported afterwards.
            if since > left { continue }
            let isSilent = silent[item]?[gateway] == true
            if word == .inside, isSilent, hasExited {
                words[item]![gateway]!.word = .leftBehind
            } else if word != .exited, word != .leftBehind {
                let report = "\(word)\(isSilent ? ", in an unusual silence" : "") since \(since.milliseconds) ms"
                violate(.deadIsNotEmpty, item, "away, though \(gateway) has not said that it went: \(report)", at: now)
            }
            // A gateway that reported the exit, or was there then, may be gone by the time of the report.
            guard word != .exited, now - left < Self.publishingDelay else { continue }
            let state = gateways[gateway] ?? Gateway()
            if !state.isOnline || !state.isOn || state.infoUntil <= now {
                violate(.deadIsNotEmpty, item, "away, though \(gateway) is gone or deaf", at: now)
            }
        }
    }

    mutating func check(tables: [(name: String, count: Int, limit: Int)], at now: Instant) {
        for table in tables where table.count > table.limit {
            violate(.tablesAreBounded, "site", "\(table.name): \(table.count) of \(table.limit)", at: now)
        }
    }
}
