import Beacons
import Messages

extension Entity {
    /// A trigger for automations, which fires when `topic` receives `payload`.
    static func trigger(type: String, subtype: String, on topic: String, payload: String) -> Entity {
        // Home Assistant separates the keys of components by blanks.
        let key = "trigger:\(type):\(subtype)".split(separator: " ").joined()
        return Entity(key: key, platform: .trigger) { json in
            json.field("automation_type", "trigger")
            json.field("type", type)
            json.field("subtype", subtype)
            json.field("topic", topic)
            json.field("payload", payload)
            json.field("value_template", Templates.eventType)
        }
    }
}

extension JSONWriter {
    /// Writes the topic and the template of the state.
    mutating func reading(_ topic: String, _ template: String) {
        field("state_topic", topic)
        field("value_template", template)
    }

    /// Writes the fields of a distance in metres.
    mutating func metres(_ topic: String, _ template: String) {
        reading(topic, template)
        field("device_class", "distance")
        measurement("m")
        field("suggested_display_precision", 1)
    }

    /// Writes the unit of a number. Home Assistant keeps statistics of it.
    mutating func measurement(_ unit: String) {
        field("state_class", "measurement")
        field("unit_of_measurement", unit)
    }

    /// Writes the fields of a proximity.
    mutating func proximity(_ topic: String) {
        reading(topic, Templates.proximity)
        field("device_class", "enum")
        field("options", [Proximity.immediate, .near, .far].map(\.rawValue))
        field("icon", "mdi:signal-distance-variant")
    }

    /// Writes the fields of a connectivity state.
    mutating func connectivity(_ topic: String) {
        field("state_topic", topic)
        field("payload_on", Availability.online.rawValue)
        field("payload_off", Availability.offline.rawValue)
        field("device_class", "connectivity")
    }

    /// Writes the topic of a button, which publishes a request without members.
    mutating func command(_ topic: String) {
        field("command_topic", topic)
        field("payload_press", "{}")
        field("retain", false)
    }
}
