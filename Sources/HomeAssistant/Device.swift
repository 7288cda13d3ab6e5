import Messages
import Text

/// A device for discovery: its identity and its entities.
package struct Device: Sendable {
    package let id: DeviceID
    let name: String
    let model: String
    /// The program of the device.
    var modelID: String?
    /// What identifies the device's hardware: an adapter's address, or the identity of a beacon.
    var serialNumber: String?
    /// The page that Home Assistant links to.
    package var configurationURL: String?
    var version: String?
    /// The room of the device, which Home Assistant suggests as its area.
    var area: String?
    /// The prefix of the device's entity ids.
    let slug: String
    var hasParent = true
    /// Makes the entities: they take a hundred times the memory of the device, and are needed only while a payload is written.
    let makeEntities: @Sendable () -> [Entity]

    var entities: [Entity] { makeEntities() }

    /// Whether the device has entities that are disabled by default: only items have.
    var hasDisabled: Bool { if case .item = id { true } else { false } }

    /// Whether everything besides the distance entities is the same: Home Assistant then keeps its subscriptions.
    func hasSameHead(as other: Device) -> Bool {
        name == other.name && version == other.version && area == other.area
    }

    package var components: [String: String] {
        Dictionary(uniqueKeysWithValues: entities.map { ($0.key, $0.platform.rawValue) })
    }

    /// The writer of a payload. Home Assistant's log shows it, and the writers recognise their own payloads by it.
    package enum Origin: String, Sendable {
        /// The aggregator, which announces all devices.
        case aggregator = "Forgetmenot"
        /// A gateway that announces itself.
        case gateway = "Forgetmenot gateway"
    }

    /// The payload of its discovery topic.
    ///
    /// - Parameters:
    ///   - texts: the language of the names of entities.
    ///   - gone: former components with their platforms, which Home Assistant then removes.
    ///   - isLeaving: whether the device is cleared next; see `Entity.write`.
    package func payload(
        by origin: Origin, version ours: String, in texts: Texts = .english, without gone: [String: String] = [:],
        isLeaving: Bool = false
    ) -> [UInt8] {
        var json = JSONWriter(reserving: 8192)
        json.object { json in
            json.object("dev") { json in
                json.field("identifiers", [id.text])
                json.field("name", name)
                json.field("manufacturer", "Forgetmenot")
                json.field("model", model)
                json.field("model_id", modelID)
                json.field("serial_number", serialNumber)
                json.field("sw_version", version)
                json.field("configuration_url", configurationURL)
                json.field("suggested_area", area)
                // A device that leaves would bring back a parent that has left before.
                if hasParent, !isLeaving { json.field("via_device", DeviceID.aggregator.text) }
            }
            json.object("o") { json in
                json.field("name", origin.rawValue)
                json.field("sw", ours)
            }
            json.object("cmps") { json in
                for entity in entities { entity.write(to: &json, of: id, slug: slug, in: texts, isLeaving: isLeaving) }
                for (key, platform) in gone.sorted(by: { $0.key < $1.key }) {
                    json.key(named: key)
                    json.object { $0.field("p", platform) }
                }
            }
            json.field("qos", 1)
        }
        return json.bytes
    }

    /// The writer of a retained discovery payload; `nil` if it is not this project's.
    package static func origin(of payload: [UInt8]) -> Origin? { Announcement(payload)?.origin }

    /// The aggregator's device with the site's problems and size; the parent of all other devices.
    package static func aggregator(version: String, under prefix: TopicPrefix) -> Device {
        let availability = Topic.aggregatorAvailability.name(under: prefix)
        let info = Topic.aggregatorInfo.name(under: prefix)
        return Device(
            id: .aggregator, name: "Forgetmenot", model: "Aggregator", modelID: "forgetmenot", version: version,
            slug: "forgetmenot",
            hasParent: false,
            makeEntities: {
                let connectivity = Entity(key: "connectivity", platform: .binarySensor, name: "Connectivity") {
                    $0.connectivity(availability)
                }
                let problem = Entity(key: "problem", platform: .binarySensor, name: "Problem") { json in
                    json.reading(info, Templates.problem, kind: "problem")
                    json.attributes(info, Templates.problems)
                }
                let counts: [Entity] = [
                    .sensor("items", name: "Items", info, Templates.items, unit: "items", icon: "mdi:tag-multiple"),
                    .sensor(
                        "gateways_alive", name: "Gateways alive", info, Templates.gatewaysAlive, unit: "gateways",
                        icon: "mdi:router-wireless"),
                ]
                return ([connectivity] + ([problem] + counts).available(while: [availability])).diagnostic
            })
    }
}
