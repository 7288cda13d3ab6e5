import Messages

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

    /// What it is called within its device: with the device's id it is the unique id. Never changed.
    let key: String
    let platform: Platform
    /// What a person reads behind the device's name; `nil`: it is what the device is about, and has its name alone.
    var name: String?
    /// The topics that must all say `online`; none: it is always there.
    var availability: [String] = []
    /// Shown among the device's diagnostics, its configuration, or (`nil`) its own values.
    var category: Category?
    /// A person has to switch it on first.
    var isDisabled = false
    /// What only this kind of entity has.
    let body: @Sendable (inout JSONWriter) -> Void

    /// Where Home Assistant shows it.
    enum Category: String, Sendable {
        case config
        case diagnostic
    }

    /// What ends the unique id under which an entity that is switched off leaves.
    static let leavingMark = ":leaving"

    /// Writes it as a member of its device's components.
    ///
    /// - Parameter isLeaving: whether the device is cleared next. Home Assistant 2025.4 answers the end of an entity that is switched off by
    ///   clearing the device's topic a second time, and then warns of that; under another unique id, switched on, it forgets to.
    func write(to json: inout JSONWriter, of device: DeviceID, slug: String, isLeaving: Bool) {
        json.key(named: key)
        json.object { json in
            json.field("p", platform.rawValue)
            guard platform != .trigger else { return body(&json) }
            json.key(named: "name")
            json.element(name.map { .string($0) } ?? .null)
            let isReplaced = isLeaving && isDisabled
            json.field("unique_id", "\(device.text):\(key)" + (isReplaced ? Self.leavingMark : ""))
            let id = name.map { entitySlug("\(slug) \($0)") } ?? slug
            // The new key and, for releases of before 2026, the old one.
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
}

/// What may stand in an entity's id: every run of other characters than `a` to `z` and digits becomes one `_`.
func entitySlug(_ text: String) -> String {
    let words = text.lowercased().utf8.split { byte in
        !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_")
}
