import Beacons
import Broker
import HomeAssistant
import Messages

/// What a gateway that speaks for itself tells Home Assistant: where there is an aggregator, that one speaks for all.
extension GatewayPipeline {
    /// What is not retained is lost while Home Assistant still takes the device in: events wait so long.
    static let takingIn = Interval.milliseconds(2500)

    /// Whether events may be published.
    var eventsMayGo: Bool { now.instant >= eventsWaitUntil }

    /// Where its discovery is kept by the broker; `nil` where it tells nothing.
    var discoveryTopic: String? {
        guard configuration.homeAssistant.discovery else { return nil }
        return HomeAssistantTopic.device(.gateway(configuration.id))
            .name(under: configuration.homeAssistant.topicPrefix)
    }

    /// Tells of itself and its own regions.
    mutating func announce() {
        guard let topic = discoveryTopic else { return }
        let device = Device(
            gateway: KnownGateway(id: configuration.id, room: configuration.room, version: version),
            regions: configuration.regions, hasParent: false, under: configuration.prefix)
        outputs.append(
            .publishElsewhere(
                ForeignMessage(topic: topic, payload: device.payload(by: .gateway, version: version), isRetained: true))
        )
        eventsWaitUntil = now.instant + Self.takingIn
    }

    /// Takes a message of Home Assistant's own topics; whether it was one. One that was just born is told all, and the present behind it.
    mutating func take(homeAssistant name: String, _ payload: [UInt8], isRetained: Bool) -> Bool {
        let prefix = configuration.homeAssistant.topicPrefix
        guard discoveryTopic != nil, HomeAssistantTopic(named: name, under: prefix) == .status else { return false }
        guard !isRetained, payload.elementsEqual("online".utf8) else { return true }
        announce()
        publishStates()
        outputs.append(.telemetryIsDue)
        return true
    }
}
