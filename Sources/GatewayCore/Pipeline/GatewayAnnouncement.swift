import Beacons
import HomeAssistant
import Messages

/// When a gateway without an aggregator announces itself to Home Assistant. With an aggregator, the aggregator announces all gateways.
struct GatewayAnnouncement: Sendable {
    /// How long events wait after an announcement: while Home Assistant creates the device, it misses messages that are not retained.
    static let takingIn = Interval.milliseconds(2500)
    /// The shortest time between two announcements, however often Home Assistant starts.
    private static let shortestPeriod = Interval.seconds(5)

    /// The components of the last announcement, with their platforms, of this process or a former one.
    private(set) var components: [String: String] = [:]
    /// When the gateway was last announced.
    private var announcedAt: Instant?
    /// When the gateway responds to the start of Home Assistant; `nil`: no start waits for a response.
    private(set) var responseDueAt: Instant?
    /// The moment until which events wait, while Home Assistant processes the discovery.
    private(set) var eventsWaitUntil = Instant.zero

    /// Publishes the discovery of the gateway and its regions, if the gateway publishes one.
    mutating func publish(_ configuration: GatewayConfiguration, _ effects: inout GatewayEffects) {
        guard let topic = configuration.discoveryTopic else { return }
        let device = Device(
            gateway: KnownGateway(id: configuration.id, room: configuration.room, version: version),
            regions: configuration.regions, hasParent: false, under: effects.prefix)
        func publish(without gone: [String: String] = [:]) {
            let payload = device.payload(by: .gateway, version: version, without: gone)
            effects.add(.publishElsewhere(ForeignMessage(topic: topic, payload: payload, isRetained: true)))
        }
        let present = device.components
        // Home Assistant removes an entity only by its name, and not because an announcement lacks it.
        let gone = components.filter { present[$0.key] == nil }
        if !gone.isEmpty { publish(without: gone) }
        publish()
        if components != present { effects.add(.storeComponents) }
        components = present
        eventsWaitUntil = effects.now.instant + Self.takingIn
        announcedAt = effects.now.instant
    }

    /// Continues with the components that a former process announced on the same topic, from `stored`.
    mutating func restore(_ stored: String) {
        for line in stored.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1)
            if words.count == 2 { components[String(words[1])] = String(words[0]) }
        }
    }

    /// The components as text for the disk: a platform and a key in each line.
    var stored: String { components.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)\n" }.joined() }

    /// Home Assistant has started: the gateway responds, at once unless it has just been announced.
    mutating func homeAssistantStarted(at now: Instant) {
        responseDueAt = responseDueAt ?? announcedAt.map { max(now, $0 + Self.shortestPeriod) } ?? now
    }

    /// Whether the gateway responds to the start of Home Assistant now, which counts as done then.
    mutating func takeResponseDue(at now: Instant) -> Bool {
        guard let responseDueAt, responseDueAt <= now else { return false }
        self.responseDueAt = nil
        announcedAt = now
        return true
    }
}
