import Beacons
import Messages

extension Device {
    /// Creates the device of a gateway.
    ///
    /// - Parameters:
    ///   - hasParent: whether the aggregator announces the gateway; otherwise the gateway announces itself.
    ///   - regions: the gateway's own regions, for a gateway that announces itself.
    package init(gateway: KnownGateway, regions: [Region] = [], hasParent: Bool, under prefix: TopicPrefix) {
        let slug = "gateway_" + entitySlug(gateway.id)
        self.init(
            id: .gateway(gateway.id), name: Self.name(of: gateway), model: "Gateway",
            modelID: "forgetmenot-gateway", serialNumber: gateway.address, version: gateway.version,
            area: gateway.room, slug: slug, hasParent: hasParent,
            makeEntities: {
                Self.health(of: gateway.id, hasParent: hasParent, under: prefix)
                    + regions.flatMap { Self.entities(of: $0, at: gateway.id, under: prefix) }
            })
    }

    /// The name of the room, and the id of the gateway if that is another word: a room may have several gateways.
    private static func name(of gateway: KnownGateway) -> String {
        guard let room = gateway.room, room != gateway.id else { return formerName(of: gateway.id) }
        return "Gateway \(room)" + (entitySlug(room) == entitySlug(gateway.id) ? "" : " (\(gateway.id))")
    }

    /// The name of a gateway without a room, and of each gateway that runs an earlier version.
    static func formerName(of gateway: String) -> String { "Gateway \(gateway)" }

    private static func health(of gateway: String, hasParent: Bool, under prefix: TopicPrefix) -> [Entity] {
        let availability = Topic.gatewayAvailability(gateway: gateway).name(under: prefix)
        let info = Topic.gatewayInfo(gateway: gateway).name(under: prefix)
        let telemetry = Topic.gatewayTelemetry(gateway: gateway).name(under: prefix)
        let restart = Topic.request(.restartRadio, to: gateway).name(under: prefix)
        let alive = (hasParent ? [Topic.aggregatorAvailability.name(under: prefix)] : []) + [availability]
        let connectivity = Entity(key: "connectivity", platform: .binarySensor, name: "Connectivity") { json in
            json.connectivity(availability)
            json.attributes(info, Templates.host)
        }
        let radioProblem = Entity(key: "radio_problem", platform: .binarySensor, name: "Radio problem") { json in
            json.reading(info, Templates.radioProblem, kind: "problem")
            json.attributes(info, Templates.radioReason)
        }
        let readings: [Entity] = [
            .sensor(
                "adverts", name: "Adverts per second", telemetry, Templates.adverts, unit: "adverts/s",
                icon: "mdi:bluetooth-audio"),
            .sensor(
                "beacons", name: "Beacons", telemetry, Templates.beacons, unit: "beacons", icon: "mdi:tag-multiple"),
        ]
        let button = Entity(key: "restart_radio", platform: .button, name: "Restart radio", category: .config) { json in
            json.command(restart)
            json.field("device_class", "restart")
        }
        return [connectivity].diagnostic + ([radioProblem] + readings).diagnostic.available(while: alive)
            + [button].available(while: alive)
    }

    private static func entities(of region: Region, at gateway: String, under prefix: TopicPrefix) -> [Entity] {
        let alive = [Topic.gatewayAvailability(gateway: gateway).name(under: prefix)]
        let state = Topic.regionState(region: region.id, gateway: gateway).name(under: prefix)
        let event = Topic.regionEvent(region: region.id, gateway: gateway).name(under: prefix)
        let transitions = [Transition.enter, .exit].map(\.rawValue)
        var entities = [
            Entity(key: "region:\(region.id)", platform: .binarySensor, name: region.identifier) {
                $0.reading(state, Templates.region, kind: "presence")
            },
            .sensor(
                "region_beacons:\(region.id)", name: "\(region.identifier) beacons", state, Templates.regionBeacons,
                unit: "beacons", icon: "mdi:tag-multiple"),
            Entity(
                key: "region_event:\(region.id)", platform: .event, name: "\(region.identifier) last event"
            ) { json in
                json.reading(event, Templates.regionEvent)
                json.field("event_types", transitions)
                json.field("icon", "mdi:map-marker-path")
            },
        ]
        if case .beacon(let beacon) = region.scope {
            let proximity = Topic.proximity(beacon, gateway: gateway).name(under: prefix)
            entities += [
                Entity(
                    key: "region_distance:\(region.id)", platform: .sensor, name: "\(region.identifier) distance",
                    body: { $0.metres(proximity, Templates.distance) }),
                Entity(
                    key: "region_proximity:\(region.id)", platform: .sensor, name: "\(region.identifier) proximity",
                    body: { $0.proximity(proximity) }),
            ]
        }
        return entities.available(while: alive)
            + transitions.map { .trigger(type: $0, subtype: region.id, on: event, payload: $0) }
    }
}
