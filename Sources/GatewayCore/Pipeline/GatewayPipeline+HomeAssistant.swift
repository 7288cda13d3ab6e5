import Beacons
import Delivery
import HomeAssistant
import Messages

/// Discovery by a gateway without an aggregator. With an aggregator, the aggregator announces all gateways.
extension GatewayPipeline {
    /// How long events wait after an announcement: while Home Assistant creates the device, it misses messages that are not retained.
    static let takingIn = Interval.milliseconds(2500)

    /// Whether events may be published.
    var eventsMayGo: Bool { now.instant >= eventsWaitUntil }

    /// The topic of the gateway's discovery; `nil` if the gateway publishes none.
    var discoveryTopic: String? {
        guard configuration.homeAssistant.discovery else { return nil }
        return HomeAssistantTopic.device(.gateway(configuration.id))
            .name(under: configuration.homeAssistant.topicPrefix)
    }

    /// Publishes the discovery of the gateway and its regions.
    mutating func announce() {
        guard let topic = discoveryTopic else { return }
        let device = Device(
            gateway: KnownGateway(id: configuration.id, room: configuration.room, version: version),
            regions: configuration.regions, hasParent: false, under: prefix)
        outputs.append(
            .publishElsewhere(
                ForeignMessage(topic: topic, payload: device.payload(by: .gateway, version: version), isRetained: true))
        )
        eventsWaitUntil = now.instant + Self.takingIn
        announcedAt = now.instant
    }

    /// The shortest time between two announcements, however often Home Assistant starts.
    static let shortestBirthPeriod = Interval.seconds(5)
    /// The shortest time between two telemetry messages, however often Home Assistant starts.
    static let shortestTelemetryPeriod = Interval.seconds(10)

    /// Handles a message on one of Home Assistant's topics; returns whether it was one.
    mutating func handle(homeAssistant name: String, _ payload: [UInt8], isRetained: Bool) -> Bool {
        let prefix = configuration.homeAssistant.topicPrefix
        guard HomeAssistantTopic(named: name, under: prefix) == .status else { return false }
        guard !isRetained, payload.elementsEqual("online".utf8) else { return true }
        birthDueAt = birthDueAt ?? announcedAt.map { max(now.instant, $0 + Self.shortestBirthPeriod) } ?? now.instant
        respondToBirth()
        return true
    }

    /// Announces the gateway and publishes its states after Home Assistant has started. Telemetry follows after `takingIn`.
    mutating func respondToBirth() {
        guard let birthDueAt, birthDueAt <= now.instant else { return }
        self.birthDueAt = nil
        announcedAt = now.instant
        if discoveryTopic != nil {
            announce()
            publishStates()
        }
        requestTelemetry(at: now.instant + Self.takingIn, after: Self.shortestTelemetryPeriod)
    }
}
