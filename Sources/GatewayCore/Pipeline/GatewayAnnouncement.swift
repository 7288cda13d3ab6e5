import Beacons
import HomeAssistant
import Messages

/// When a gateway without an aggregator announces itself to Home Assistant. With an aggregator, the aggregator announces all gateways.
struct GatewayAnnouncement: Sendable {
    /// How long events wait after an announcement: while Home Assistant creates the device, it misses messages that are not retained.
    static let takingIn = Interval.milliseconds(2500)
    /// The shortest time between two announcements, however often Home Assistant starts.
    private static let shortestPeriod = Interval.seconds(5)

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
        effects.add(
            .publishElsewhere(
                ForeignMessage(topic: topic, payload: device.payload(by: .gateway, version: version), isRetained: true))
        )
        eventsWaitUntil = effects.now.instant + Self.takingIn
        announcedAt = effects.now.instant
    }

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
