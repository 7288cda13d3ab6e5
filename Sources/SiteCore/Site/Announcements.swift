import Beacons
import Delivery
import HomeAssistant
import Messages
import Settings

/// When Home Assistant is told of the site, and what follows from it for the events.
struct Announcements: Sendable {
    /// Everything is announced again no more often than this, however often Home Assistant starts.
    static let shortestBirthPeriod = Interval.seconds(10)

    /// What is not retained is lost while Home Assistant still takes a new device in: events wait so long.
    static let takingIn = Interval.milliseconds(2500)

    /// What discovery is about: when this changes, something is to be told.
    struct Site: Hashable {
        var items: [RegistryItem]
        var gateways: [KnownGateway]
    }

    let isOn: Bool
    let prefix: TopicPrefix
    var announcer: Announcer
    /// Not before: what the broker holds is still coming in.
    private var beginsAt: Instant?
    private var told: Site?
    /// The version of the registry that was last compared with what was announced; `nil`: the site may be another one.
    private var compared: UInt64?
    private var bornAt: Instant?
    /// Home Assistant was born, and wants the present as well.
    private var isBirth = false
    /// Events wait until then.
    private(set) var eventsWaitUntil = Instant.zero

    /// - Parameter own: the prefix of our own topics.
    init(_ settings: HomeAssistantSettings, own: TopicPrefix) {
        isOn = settings.discovery
        prefix = settings.topicPrefix
        announcer = Announcer(.aggregator, version: version, under: prefix, own: own, isOn: isOn)
    }

    /// All is to be told anew, from that moment on.
    mutating func begin(at instant: Instant, isBirth: Bool = false) {
        announcer.begin()
        self.isBirth = isBirth
        beginsAt = instant
        (told, compared) = (nil, nil)
    }

    /// A gateway or a room is another one.
    mutating func siteChanged() { compared = nil }

    /// Whether anything may have to be announced, where the registry has this version: what did not change is not compared again.
    mutating func mayBeDue(_ version: UInt64, at now: Instant) -> Bool {
        guard let beginsAt, now >= beginsAt else { return false }
        defer { compared = version }
        return compared != version || announcer.isDue(at: now)
    }

    /// Home Assistant has started: everything is announced again, once the retained messages have arrived.
    mutating func birth(at now: Instant, settled: Instant) {
        let earliest = max(now, settled)
        if isBirth, let beginsAt, beginsAt > earliest { return }
        let begin = max(earliest, bornAt.map { $0 + Self.shortestBirthPeriod } ?? earliest)
        bornAt = begin
        self.begin(at: begin, isBirth: true)
    }

    /// Whether the site is to be told of now, since it was not, or not so.
    func isDue(_ site: Site, at now: Instant) -> Bool {
        guard let beginsAt, now >= beginsAt else { return false }
        return told != site || announcer.isDue(at: now)
    }

    /// Whether the present is to be told; once.
    mutating func takeBirth() -> Bool {
        defer { isBirth = false }
        return isBirth
    }

    /// What is to be published of the site.
    mutating func announce(_ site: Site, under own: TopicPrefix, at now: Instant) -> [ForeignMessage] {
        told = site
        var devices: [Device] = []
        if isOn {
            devices.append(.aggregator(version: version, under: own))
            devices += site.gateways.map { Device(gateway: $0, hasParent: true, under: own) }
            devices += site.items.map { Device(item: $0, heardBy: site.gateways, under: own) }
        }
        let messages = announcer.announce(devices, at: now)
        if messages.contains(where: { !$0.payload.isEmpty }) { eventsWaitUntil = now + Self.takingIn }
        return messages
    }
}
