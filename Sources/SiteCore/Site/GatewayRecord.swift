import Beacons
import Messages

/// What is known of one gateway, and whether its word counts now.
struct GatewayRecord: Sendable {
    /// At most so many: more than any site has; beyond, newcomers are ignored.
    static let most = 500

    let id: String
    var availability: Availability?
    private(set) var info: GatewayInfo?
    private var infoUntil: Instant?
    /// How the clocks of its last boots lie to ours, the newest last: what happened before a restart is told after it. The oldest is
    /// dropped first.
    private var clocks: [BootClock] = []
    /// What the broker keeps of it besides availability and info, as far as it came in; what is beyond `mostKept` is not noted.
    private(set) var kept: Set<Topic> = []
    static let mostKept = 10_000
    /// The items that it has ranged or reported, and some that were removed or whose stay has ended since.
    private(set) var items: Set<String> = []
    /// As what it was last taken: the evidence and the counts follow when this is no longer so.
    var isTakenAs = (alive: false, hearing: false)
    /// Its numbered events: which were applied, which are missing.
    var events = EventIntake()
    /// What it had to forget before it came here, as a sentence.
    var lost: String?

    init(id: String) {
        self.id = id
    }

    /// The room that it says it serves.
    var room: String? { info?.room }

    /// Takes note that it said something on a topic that the broker keeps, or took it back.
    mutating func note(_ topic: Topic, isTakenBack: Bool) {
        if isTakenBack { kept.remove(topic) } else if kept.count < Self.mostKept { kept.insert(topic) }
    }

    /// It ranges or reports an item.
    mutating func note(item: String) { items.insert(item) }

    /// Forgets the items about which nothing of the gateway still counts.
    mutating func forgetItems(unless isCurrent: (String) -> Bool) { items = items.filter(isCurrent) }

    mutating func take(_ info: GatewayInfo, isLive: Bool, at now: Instant) {
        self.info = info
        infoUntil = now + .seconds(Double(info.validFor))
        if isLive {
            learn(info.stamp, at: now)
            // RabbitMQ delivers nothing retained to a filter with wildcards.
            availability = availability ?? .online
        }
        events.learn(info.log, in: info.stamp.boot, at: now)
    }

    /// Learns from a live message how the gateway's clock lies to ours.
    mutating func learn(_ stamp: Stamp, at now: Instant) { learn(stamp.boot, uptime: stamp.uptime, at: now) }

    /// The same from a boot's clock as it was just now.
    mutating func learn(_ boot: Boot, uptime: Instant, at now: Instant) {
        let uptime = uptime - Instant.zero
        if let index = clocks.lastIndex(where: { $0.boot == boot }) {
            clocks[index].learn(uptime: uptime, receivedAt: now)
        } else {
            clocks.append(BootClock(boot: boot, uptime: uptime, receivedAt: now))
            if clocks.count > EventIntake.mostBoots { clocks.removeFirst() }
        }
    }

    /// When something happened there, on our clock; `nil` where that boot's clock is not known.
    func instant(of stamp: Stamp, now: Instant) -> Instant? {
        clocks.last { $0.boot == stamp.boot }?.instant(of: stamp.uptime - Instant.zero, now: now)
    }

    /// When its present boot began, on our clock: those before were over by then. `nil` where its clock is not known.
    func presentBegan(now: Instant) -> Instant? {
        clocks.last { $0.boot == info?.stamp.boot }?.instant(of: .zero, now: now)
    }

    /// Whether it is there: it said so, no will said otherwise, and its heartbeat is not overdue.
    func isAlive(at now: Instant) -> Bool {
        guard availability == .online, let infoUntil else { return false }
        return now < infoUntil
    }

    /// Whether its silence is silence.
    func isHearing(at now: Instant) -> Bool { isAlive(at: now) && info?.radio.state == .poweredOn }
}
