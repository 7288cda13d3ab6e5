import Beacons
import Messages
import Text

/// One component of a device: an entity, or a trigger for automations.
struct Entity: Sendable {
    /// What Home Assistant calls a platform.
    enum Platform: String, Sendable {
        case binarySensor = "binary_sensor"
        case button
        case deviceTracker = "device_tracker"
        case event
        case sensor
        case trigger = "device_automation"
    }

    /// The entity's key within its device. The unique id consists of the device's id and this key, so it never changes.
    let key: String
    let platform: Platform
    /// The name behind the device's name, in English; `nil`: the device's main entity, which has only the device's name.
    var name: String?
    /// What stands in place of each `{placeholder}` of the name.
    var values: [String: String] = [:]
    /// The topics that must all be `online`; empty: the entity is always available.
    var availability: [String] = []
    /// Where the entity is shown: under diagnostics, configuration, or (`nil`) the device's values.
    var category: Category?
    /// Whether the entity is disabled until the user enables it.
    var isDisabled = false
    let body: @Sendable (inout JSONWriter) -> Void

    /// Where Home Assistant shows it.
    enum Category: String, Sendable {
        case config
        case diagnostic
    }

    /// The suffix of the unique id under which a disabled entity is removed.
    static let leavingMark = ":leaving"
    /// The suffix of its entity id. Under its own one, Home Assistant 2026.11 fails to add the entity the second time, and keeps the device.
    static let leavingSlug = "_leaving"

    /// Writes the entity as a component of its device.
    ///
    /// The name is in the language of the site. The entity id comes from the English name, so that automations need not change with the language.
    ///
    /// - Parameter isLeaving: whether the device is cleared next. Home Assistant 2025.4 reacts to the removal of a
    ///   disabled entity by clearing the topic again, and then logs a warning. With another unique id and enabled, the
    ///   entity causes no warning.
    func write(to json: inout JSONWriter, of device: DeviceID, slug: String, in texts: Texts, isLeaving: Bool) {
        json.key(named: key)
        json.object { json in
            json.field("p", platform.rawValue)
            guard platform != .trigger else { return body(&json) }
            json.key(named: "name")
            json.element(name.map { .string(texts.localized($0, values)) } ?? .null)
            let isReplaced = isLeaving && isDisabled
            json.field("unique_id", "\(device.text):\(key)" + (isReplaced ? Self.leavingMark : ""))
            let id =
                (name.map { entitySlug("\(slug) \(Texts.english.localized($0, values))") } ?? slug)
                + (isReplaced ? Self.leavingSlug : "")
            // The current key, and the old key for releases before 2026.
            json.field("default_entity_id", "\(platform.rawValue).\(id)")
            json.field("object_id", id)
            json.field("entity_category", category?.rawValue)
            if isDisabled, !isReplaced { json.field("enabled_by_default", false) }
            if !availability.isEmpty {
                json.array("availability") { json in
                    for topic in availability { json.object { $0.field("topic", topic) } }
                }
                json.field("availability_mode", "all")
            }
            body(&json)
        }
    }

    /// A sensor that shows one value of a payload; the last parameters are those of `reading`.
    static func sensor(
        _ key: String, name: String, _ topic: String, _ template: String, kind: String? = nil, unit: String? = nil,
        icon: String? = nil
    ) -> Entity {
        Entity(key: key, platform: .sensor, name: name) {
            $0.reading(topic, template, kind: kind, unit: unit, icon: icon)
        }
    }

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

extension [Entity] {
    /// The same entities among the device's diagnostics.
    var diagnostic: [Entity] { changed { $0.category = .diagnostic } }

    /// The same entities, which the user has to enable.
    var disabled: [Entity] { changed { $0.isDisabled = true } }

    /// The same entities, available while all topics are `online`. Triggers are always available.
    func available(while topics: [String]) -> [Entity] {
        changed { if $0.platform != .trigger { $0.availability = topics } }
    }

    private func changed(_ change: (inout Entity) -> Void) -> [Entity] {
        var entities = self
        for index in indices { change(&entities[index]) }
        return entities
    }
}

/// The form of a text in entity ids: each run of characters other than `a` to `z` and digits becomes one `_`.
func entitySlug(_ text: String) -> String {
    let words = text.lowercased().utf8.split { byte in
        !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_")
}

extension JSONWriter {
    /// Writes the topic and the template of the state, and what the state is.
    ///
    /// - Parameter unit: the unit of a number. Home Assistant keeps statistics of it.
    mutating func reading(
        _ topic: String, _ template: String, kind: String? = nil, unit: String? = nil, icon: String? = nil
    ) {
        field("state_topic", topic)
        field("value_template", template)
        field("device_class", kind)
        if let unit {
            field("state_class", "measurement")
            field("unit_of_measurement", unit)
        }
        field("icon", icon)
    }

    mutating func attributes(_ topic: String, _ template: String) {
        field("json_attributes_topic", topic)
        field("json_attributes_template", template)
    }

    /// Writes the fields of a distance in metres.
    mutating func metres(_ topic: String, _ template: String) {
        reading(topic, template, kind: "distance", unit: "m")
        field("suggested_display_precision", 1)
    }

    mutating func proximity(_ topic: String) {
        reading(topic, Templates.proximity, kind: "enum")
        field("options", [Proximity.immediate, .near, .far].map(\.rawValue))
        field("icon", "mdi:signal-distance-variant")
    }

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
