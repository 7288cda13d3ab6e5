import Beacons
import Messages

extension Device {
    /// The limit of gateways with a distance entity per item; further gateways are omitted.
    package static let mostGateways = 64
    /// The most items and people of a site with which Home Assistant counts the items in `zone.home`. With more of them, and the longest ids, the
    /// list of the zone would be larger than the 16,384 bytes that its recorder stores, and each change would be a warning.
    package static let mostInZone = 190

    /// How a tag reports its battery, and so the key of the battery's entity.
    package enum Battery: String, CaseIterable, Sendable {
        /// In per cent, and perhaps in mV as well.
        case percent = "battery"
        /// In mV only.
        case voltage = "battery_voltage"

        /// How the tag with these readings reports its battery; `nil` if it does not.
        package init?(_ readings: TagReadings) {
            if readings.batteryPercent != nil {
                self = .percent
            } else if readings.batteryMillivolts != nil {
                self = .voltage
            } else {
                return nil
            }
        }
    }

    /// Creates the device of an item.
    ///
    /// - Parameters:
    ///   - gateways: the ids of the gateways that have received the item, each with a distance entity.
    ///   - battery: how the tag reports its battery; `nil` if it does not.
    ///   - availability: the topic that shows whether the aggregator of the item is connected.
    ///   - isInZone: whether Home Assistant counts the item in its zone.
    package init(
        item: RegistryItem, receivedBy gateways: [String], battery: Battery? = nil, under prefix: TopicPrefix,
        availability: Topic = .aggregatorAvailability, isInZone: Bool = true
    ) {
        let aggregator = availability.name(under: prefix)
        let slug = entitySlug(item.id)
        let sources = Array(gateways.prefix(Self.mostGateways))
        self.init(
            id: .item(item.id), name: item.name, model: "Item", serialNumber: "\(item.beacon)",
            slug: slug.isEmpty ? "item" : slug,
            makeEntities: { Self.entities(of: item, sources, battery, under: prefix, aggregator, isInZone) })
    }

    private static func entities(
        of item: RegistryItem, _ sources: [String], _ battery: Battery?, under prefix: TopicPrefix,
        _ aggregator: String, _ isInZone: Bool
    ) -> [Entity] {
        let location = Topic.itemLocation(item: item.id).name(under: prefix)
        var entities = places(location, isInZone)
        entities += happenings(item.id, item.ownership != nil, battery != nil, prefix)
        entities += details(location, Topic.itemHealth(item: item.id).name(under: prefix))
        entities += notification(item.id, prefix)
        if let battery { entities += Self.battery(battery, of: item.id, under: prefix) }
        return entities.available(while: [aggregator])
            + sources.flatMap { gateway in
                let connection = Topic.gatewayAvailability(gateway: gateway).name(under: prefix)
                return distance(of: item.beacon, to: gateway, under: prefix).available(while: [aggregator, connection])
            }
    }

    /// The key of the distance entity of a gateway, and the gateway of such a key.
    static func distanceKey(of gateway: String) -> String { "distance:" + gateway }
    static func gateway(ofDistanceKey key: String) -> String? {
        guard key.hasPrefix("distance:") else { return nil }
        let id = String(key.dropFirst("distance:".count))
        return isValidID(id) ? id : nil
    }

    static let keysOfEachItem = Set(
        Device(
            item: RegistryItem(
                id: "x", name: "",
                beacon: BeaconIdentity(uuid: BeaconUUID(high: 0, low: 0), major: 0, minor: 0)),
            receivedBy: [], under: .standard
        ).entities.map(\.key))

    private static func places(_ location: String, _ isInZone: Bool) -> [Entity] {
        [
            Entity(key: "tracker", platform: .deviceTracker) { json in
                json.reading(location, Templates.tracker)
                json.attributes(location, isInZone ? Templates.zones : Templates.noZones)
                json.field("source_type", "bluetooth_le")
                json.field("icon", "mdi:tag")
            },
            Entity(key: "presence", platform: .binarySensor, name: "Presence") {
                $0.reading(location, Templates.presence, kind: "presence")
            },
            .sensor("room", name: "Room", location, Templates.room, icon: "mdi:floor-plan"),
            Entity(key: "distance", platform: .sensor, name: "Distance") { $0.metres(location, Templates.distance) },
            Entity(key: "proximity", platform: .sensor, name: "Proximity") { $0.proximity(location) },
        ] + [.sensor("last_seen", name: "Last seen", location, Templates.lastSeen, kind: "timestamp")].diagnostic
    }

    /// What few need of the item's location, and of how its tag is received: disabled at first.
    private static func details(_ location: String, _ health: String) -> [Entity] {
        let details: [Entity] = [
            .sensor(
                "last_seen_exactly", name: "Last seen exactly", location, Templates.lastSeenExactly, kind: "timestamp"),
            .sensor(
                "confidence", name: "Confidence", location, Templates.confidence, unit: "%", icon: "mdi:percent-outline"
            ),
            .sensor(
                "nearest_gateway", name: "Nearest gateway", location, Templates.gateway, icon: "mdi:router-wireless"),
            .sensor("rssi", name: "RSSI", location, Templates.rssi, kind: "signal_strength", unit: "dBm"),
            .sensor("floor", name: "Floor", location, Templates.floor, icon: "mdi:stairs"),
            .sensor("interval", name: "Interval", health, Templates.interval, kind: "duration", unit: "s"),
            .sensor(
                "sightings", name: "Sightings per hour", health, Templates.sightings, unit: "sightings/h",
                icon: "mdi:bluetooth-audio"),
            .sensor("trend", name: "RSSI trend", health, Templates.trend, unit: "dB/week", icon: "mdi:trending-down"),
        ]
        return details.diagnostic.disabled
    }

    /// Whether the item has an active notification, and the text of the last one, for the logbook.
    private static func notification(_ item: String, _ prefix: TopicPrefix) -> [Entity] {
        let active = Topic.itemNotification(item: item).name(under: prefix)
        return [
            Entity(key: "notification_active", platform: .binarySensor, name: "Notification active") { json in
                json.reading(active, Templates.notificationActive)
                json.attributes(active, Templates.activeNotification)
                json.field("icon", "mdi:bell-alert")
            },
            Entity(key: "message", platform: .sensor, name: "Last message") { json in
                let event = Topic.itemNotificationEvent(item: item).name(under: prefix)
                json.reading(event, Templates.message, icon: "mdi:message-text")
            },
        ]
    }

    /// The entities of the item's events, notifications and acknowledgement.
    private static func happenings(
        _ item: String, _ hasOwners: Bool, _ hasBattery: Bool, _ prefix: TopicPrefix
    ) -> [Entity] {
        let event = Topic.itemEvent(item: item).name(under: prefix)
        let eventTopic = Topic.itemNotificationEvent(item: item).name(under: prefix)
        // Of an item that is nobody's, there are no others.
        let alarms = hasOwners ? ["forgotten", "taken", "alone"] : []
        // The event may come before the announcement from which follows that the tag has a battery.
        let battery = ["low"]
        let moves = ["moved", "left", "returned"] + alarms
        let kinds = ["left", "returned"] + alarms
        return [
            Entity(key: "event", platform: .event, name: "Last event") { json in
                json.reading(event, Templates.itemEvent)
                json.field("event_types", moves + battery)
                json.field("icon", "mdi:map-marker-path")
            },
            Entity(key: "notification", platform: .event, name: "Notification") { json in
                json.reading(eventTopic, Templates.notificationEvent)
                json.field("event_types", kinds + battery)
                json.field("icon", "mdi:bell")
            },
            Entity(key: "acknowledge", platform: .button, name: "Acknowledge") { json in
                json.command(Topic.itemAcknowledge(item: item).name(under: prefix))
                json.field("icon", "mdi:bell-check")
            },
        ] + (moves + (hasBattery ? battery : [])).map { .trigger(type: $0, subtype: "item", on: event, payload: $0) }
            + (kinds + (hasBattery ? battery : [])).flatMap { kind -> [Entity] in
                // Home Assistant shows `"left" notification` of the first, which looks much like `"item" left`, and
                // `"notification" sent: left` of the second. The first stays for automations that have it.
                [("notification", kind), ("sent: \(kind)", "notification")].map {
                    .trigger(type: $0, subtype: $1, on: eventTopic, payload: kind)
                }
            }
    }

    private static func battery(_ battery: Battery, of item: String, under prefix: TopicPrefix) -> [Entity] {
        let (key, health) = (battery.rawValue, Topic.itemHealth(item: item).name(under: prefix))
        let sensor: Entity =
            switch battery {
            case .percent:
                .sensor(key, name: "Battery", health, Templates.batteryPercent, kind: "battery", unit: "%")
            case .voltage:
                .sensor(key, name: "Battery voltage", health, Templates.batteryVoltage, kind: "voltage", unit: "mV")
            }
        return [sensor].diagnostic
    }

    private static func distance(
        of beacon: BeaconIdentity, to gateway: String, under prefix: TopicPrefix
    ) -> [Entity] {
        let topic = Topic.proximity(beacon, gateway: gateway).name(under: prefix)
        return [
            Entity(
                key: distanceKey(of: gateway), platform: .sensor, name: "Distance to {gateway}",
                values: ["gateway": gateway], category: .diagnostic, isDisabled: true
            ) { $0.metres(topic, Templates.distance) }
        ]
    }
}
