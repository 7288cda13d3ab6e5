import Beacons
import Messages

/// The state of one gateway, as far as it is known, and whether its reports count now.
struct GatewayRecord: Sendable {
    /// The most gateways of a site. Further ones are ignored and reported.
    static let most = 500

    let id: String
    private(set) var availability: Availability? { didSet { isHeld = isHeld || availability != nil } }
    /// When the gateway's `offline` was received, and whether that may be due to the end of the broker; `nil`: the last word was another.
    private var offline: (at: Instant, isDoubtful: Bool)?
    /// How long a will is doubted. A broker that stops publishes the wills of all clients before it ends their connections.
    static let doubt = Interval.seconds(5)
    /// How long a gateway takes to receive what is there: most tags are sent every 10 s or more often, and some sightings are lost.
    private static let acquaintance = Interval.seconds(120)
    /// Whether the broker has the gateway's availability, as far as this connection shows.
    var isHeld = false
    private(set) var info: GatewayInfo?
    private var infoUntil: Instant?
    /// The clocks of the gateway's last runs, the newest last: events of an earlier run may be published after a restart. The oldest is
    /// dropped first.
    private var clocks: [BootClock] = []
    /// The retained topics of the gateway besides availability and info, at most `mostRetained`.
    var retained: [Topic] { others + ranged.map { .proximity($0, gateway: id) } }
    /// The number of those topics.
    var retainedCount: Int { others.count + ranged.count }
    /// The beacons of which the broker has a ranged state: nearly all topics of a large site, in a sixth of the memory that topics take.
    private var ranged: Set<BeaconIdentity> = []
    private var others: Set<Topic> = []
    static let mostRetained = 10_000
    /// The items that the gateway has ranged or reported. Some may have been removed or have left since.
    private(set) var items: Set<String> = []
    /// Whether the gateway was alive and scanning when that was last checked. The beliefs follow when it changes.
    var isTakenAs = (alive: false, isScanning: false)
    /// The gateway's numbered events: which were applied, and which are missing.
    var events = EventIntake()
    /// A sentence about events that the gateway dropped before they were published; `nil`: there are none.
    var lost: String?

    /// The present run and those before it, the newest last, as live `info` names them, each with the time at which it became the present one.
    private var runs: [(boot: Boot, since: Instant)] = []
    /// When a former run published although there was a newer one.
    private var alternatedAt: Instant?
    /// How long two runs count as alternating after they last did: a gateway that was thrown out tries again within 16 min.
    static let alternation = Interval.seconds(1800)

    init(id: String) {
        self.id = id
    }

    /// The sentence about another gateway with the same id; `nil`: there is none. A run that has ended never publishes again.
    func clash(at now: Instant) -> String? {
        guard let alternatedAt, now - alternatedAt < Self.alternation else { return nil }
        return "two gateways run as \(id), so that rooms and events are wrong: give one of them another id"
    }

    /// The sentence about a clock of the gateway that is wrong, by the aggregator's clock if that is synchronised; `nil`: nothing is known against it.
    func clockProblem(at now: Moment) -> String? {
        guard now.isSynchronised, isAlive(at: now.instant), let info, let infoUntil,
            let sentAt = instant(of: info.stamp, now: now.instant)
        else { return nil }
        // An info may come late, and the clock of a run stands still while its virtual machine is paused.
        let times = [infoUntil - .seconds(Double(info.validFor)), sentAt]
        let problems = times.compactMap { info.clockProblem(sentAt: now.wall(at: $0)) }
        return problems.count == times.count ? problems.last : nil
    }

    private mutating func note(run stamp: Stamp, at now: Instant) {
        guard let present = runs.last else { return runs.append((stamp.boot, now)) }
        guard present.boot != stamp.boot else { return }
        let isFormer = runs.contains { $0.boot == stamp.boot }
        // The last message of a former run may come late.
        if isFormer {
            guard let at = instant(of: stamp, now: now), at > present.since + .seconds(2) else { return }
            alternatedAt = now
        }
        runs.removeAll { $0.boot == stamp.boot }
        runs = runs.suffix(EventIntake.fewBoots) + [(stamp.boot, now)]
    }

    var room: String? { info?.room }

    /// Notes that the gateway published or cleared a retained topic.
    mutating func note(_ topic: Topic, isTakenBack: Bool) {
        let isFull = retainedCount >= Self.mostRetained
        switch (topic, isTakenBack) {
        case (.proximity(let beacon, _), true): ranged.remove(beacon)
        case (.proximity(let beacon, _), false): if !isFull { ranged.insert(beacon) }
        case (_, true): others.remove(topic)
        case (_, false): if !isFull { others.insert(topic) }
        }
    }

    mutating func note(item: String) { items.insert(item) }

    /// Forgets the items for which no report of the gateway still counts.
    mutating func forgetItems(unless isCurrent: (String) -> Bool) { items = items.filter(isCurrent) }

    mutating func apply(_ info: GatewayInfo, isLive: Bool, at now: Instant) {
        self.info = info
        infoUntil = now + .seconds(Double(info.validFor))
        if isLive {
            learn(info.stamp, at: now)
            note(run: info.stamp, at: now)
            // RabbitMQ delivers nothing retained to a filter with wildcards.
            availability = availability ?? .online
        }
        events.learn(info.log, in: info.stamp.boot, at: now)
    }

    /// Whether a gateway that has lost what it knew has received by now what is there, which is reported once.
    mutating func takeKnowsAgain(at now: Instant) -> Bool {
        guard let lostAt = events.lostRunsAt else { return false }
        let isScanning = isScanning(at: now)
        // What it cannot receive it cannot miss.
        if !isScanning || now - lostAt >= Self.acquaintance { events.lostRunsAt = isScanning ? nil : now }
        return isScanning && now - lostAt >= Self.acquaintance
    }

    /// Learns the offset of the gateway's clock from a live message.
    mutating func learn(_ stamp: Stamp, at now: Instant) { learn(stamp.boot, uptime: stamp.uptime, at: now) }

    /// Learns the offset of a run's clock from its time just now.
    mutating func learn(_ boot: Boot, uptime: Instant, at now: Instant) {
        let uptime = uptime - Instant.zero
        if let index = clocks.lastIndex(where: { $0.boot == boot }) {
            clocks[index].learn(uptime: uptime, receivedAt: now)
        } else {
            clocks.append(BootClock(boot: boot, uptime: uptime, receivedAt: now))
            if clocks.count > EventIntake.mostBoots { clocks.removeFirst() }
        }
    }

    /// The instant of a stamp on the aggregator's clock; `nil` if the clock of its run is not known.
    func instant(of stamp: Stamp, now: Instant) -> Instant? {
        clocks.last { $0.boot == stamp.boot }?.instant(of: stamp.uptime - Instant.zero, now: now)
    }

    /// When the gateway's present run began, on the aggregator's clock; `nil` if that run's clock is not known.
    func presentBegan(now: Instant) -> Instant? {
        clocks.last { $0.boot == info?.stamp.boot }?.instant(of: .zero, now: now)
    }

    /// Receives the gateway's availability; `nil`: somebody cleared it.
    ///
    /// - Parameter isLive: whether the broker received the message just now. A gateway that stops itself has published before that its radio stopped.
    mutating func receive(_ new: Availability?, isLive: Bool = true, at now: Instant) {
        let isWill = isLive && availability == .online && info?.radio.state == .poweredOn
        offline = new == .offline ? (now, isWill) : nil
        availability = new
        if new == nil { isHeld = false }
    }

    private func doubtsWill(at now: Instant) -> Bool {
        offline.map { $0.isDoubtful && now < $0.at + Self.doubt } ?? false
    }

    /// The connection to the broker ended: a will that came just before is due to the broker and not to the gateway.
    mutating func disconnected(at now: Instant) {
        if doubtsWill(at: now) { receive(.online, at: now) }
    }

    /// Whether the gateway has stopped itself, and so is not about to publish anything.
    var hasStopped: Bool { availability == .offline && info.map { $0.radio.state != .poweredOn } ?? false }

    /// Whether the broker has no `online` of a gateway that publishes an info: somebody has cleared it, or the `offline` was a foreign message, or a will
    /// of before that came late.
    func lacksOnline(_ info: GatewayInfo, at now: Instant) -> Bool {
        guard let offline else { return availability == nil && self.info != nil }
        return instant(of: info.stamp, now: now).map { $0 > offline.at } ?? false
    }

    /// Whether the gateway is online and its heartbeat is not overdue.
    func isAlive(at now: Instant) -> Bool {
        guard availability == .online || doubtsWill(at: now), let infoUntil else { return false }
        return now < infoUntil
    }

    /// Whether a broker without persistence has lost that the gateway is gone: who connects to the broker later would not know the gateway.
    func isLost(at now: Instant) -> Bool { !isHeld && availability != nil && !isAlive(at: now) }

    /// Whether the gateway's silence about an item counts: it is alive, and its radio scans.
    func isScanning(at now: Instant) -> Bool { isAlive(at: now) && info?.radio.state == .poweredOn }
}
