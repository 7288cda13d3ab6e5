import Messages

/// What discovery says of one device: who it is, and all its entities.
public struct Device: Sendable {
    /// Which one.
    public let id: DeviceID
    /// As a person calls it.
    let name: String
    let model: String
    /// The version of the program behind it.
    var version: String?
    /// The room in which it hangs: Home Assistant proposes it as the area.
    var area: String?
    /// What the ids of its entities begin with.
    let slug: String
    var hasParent = true
    let entities: [Entity]

    /// Whether it has entities that a person has to switch on.
    var hasDisabled: Bool { entities.contains(where: \.isDisabled) }

    /// The components and their platforms.
    public var components: [String: String] {
        Dictionary(uniqueKeysWithValues: entities.map { ($0.key, $0.platform.rawValue) })
    }

    /// Who writes it, as Home Assistant's log names it, and as the writers know their own.
    public enum Origin: String, Sendable {
        /// The aggregator, which speaks for all.
        case aggregator = "Forgetmenot"
        /// A gateway that speaks for itself.
        case gateway = "Forgetmenot gateway"
    }

    /// The payload of its discovery topic.
    ///
    /// - Parameters:
    ///   - gone: components that were there before, with their platforms: named so once, Home Assistant forgets them.
    ///   - isLeaving: whether the device is cleared next: see `Entity.write`.
    public func payload(
        by origin: Origin, version ours: String, without gone: [String: String] = [:], isLeaving: Bool = false
    ) -> [UInt8] {
        var json = JSONWriter(reserving: 8192)
        json.object { json in
            json.object("dev") { json in
                json.field("identifiers", [id.text])
                json.field("name", name)
                json.field("manufacturer", "Forgetmenot")
                json.field("model", model)
                json.field("sw_version", version)
                json.field("suggested_area", area)
                if hasParent { json.field("via_device", DeviceID.aggregator.text) }
            }
            json.object("o") { json in
                json.field("name", origin.rawValue)
                json.field("sw", ours)
            }
            json.object("cmps") { json in
                for entity in entities { entity.write(to: &json, of: id, slug: slug, isLeaving: isLeaving) }
                for (key, platform) in gone.sorted(by: { $0.key < $1.key }) {
                    json.key(named: key)
                    json.object { $0.field("p", platform) }
                }
            }
            json.field("qos", 1)
        }
        return json.bytes
    }

    /// Who wrote a discovery payload that the broker holds; `nil` where it is none of ours.
    public static func origin(of payload: [UInt8]) -> Origin? { Announcement(payload)?.origin }
}
