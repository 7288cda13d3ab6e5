import Beacons
import Messages

extension Entity {
    /// A trigger for automations: it fires when `topic` gives `payload`.
    static func trigger(type: String, subtype: String, on topic: String, payload: String) -> Entity {
        Entity(key: "trigger:\(type):\(subtype)", platform: .trigger) { json in
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
    /// Where a state comes from, and how it is read.
    mutating func reading(_ topic: String, _ template: String) {
        field("state_topic", topic)
        field("value_template", template)
    }

    /// A distance.
    mutating func metres(_ topic: String, _ template: String) {
        reading(topic, template)
        field("device_class", "distance")
        field("unit_of_measurement", "m")
        field("suggested_display_precision", 1)
    }

    /// How near, in words.
    mutating func proximity(_ topic: String) {
        reading(topic, Templates.proximity)
        field("device_class", "enum")
        field("options", [Proximity.immediate, .near, .far].map(\.rawValue))
        field("icon", "mdi:signal-distance-variant")
    }

    /// Whether somebody is there, as the broker has it.
    mutating func connectivity(_ topic: String) {
        field("state_topic", topic)
        field("payload_on", Availability.online.rawValue)
        field("payload_off", Availability.offline.rawValue)
        field("device_class", "connectivity")
    }

    /// Where a button's press goes: a request without wishes.
    mutating func command(_ topic: String) {
        field("command_topic", topic)
        field("payload_press", "{}")
        field("retain", false)
    }
}
