import Beacons
import Messages
import Text

/// A discovery payload that the broker retains on the topic of one of this project's devices.
struct Announcement {
    /// The writer named in the payload; `nil` if it is neither program of this project.
    let origin: Device.Origin?
    private let whole: JSONObject
    private let fields: [String: JSONObject]

    /// A limit above the components of any device: a gateway with some 280 regions of its own.
    private static let mostComponents = 2048
    /// The smallest number of components of a gateway's own region.
    private static let leastOfRegion = 5

    /// Parses a payload; `nil` if it is no JSON object or exceeds the limits.
    init?(_ payload: [UInt8]) {
        guard let value = try? JSONValue(parsing: payload, limits: .list), let object = value.object else { return nil }
        whole = object
        fields = Dictionary(
            (object["cmps"]?.object?.members ?? []).compactMap { member in
                member.value.object.map { (member.key, $0) }
            }, uniquingKeysWith: { first, _ in first })
        origin = object["o"]?.object?["name"]?.string.flatMap(Device.Origin.init(rawValue:))
    }

    private var members: [JSONObject.Member] { whole["cmps"]?.object?.members ?? [] }

    var components: [String: String] {
        Dictionary(
            members.compactMap { member in member.value.object?["p"]?.string.map { (member.key, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    var sources: [String] { members.compactMap { Device.gateway(ofDistanceKey: $0.key) } }

    // MARK: Validation

    /// The keys with an entity's id: the current one, and the one for releases before 2026.
    private static let entityIDs = ["default_entity_id", "object_id"]
    /// Keys that affect only the display of an entity or differ between releases; any value is accepted.
    private static let presentation: Set = [
        "value_template", "json_attributes_template", "icon", "unit_of_measurement", "suggested_display_precision",
        "options", "event_types", "state_class", "entity_category", "enabled_by_default", "availability_mode", "retain",
        "source_type",
    ]

    /// The first part of this payload that this project would not write for device `id`; `nil` if the payload is valid.
    ///
    /// An earlier run may have written the names of entities in another language.
    func deviation(from id: DeviceID, in texts: Texts = .english, under own: TopicPrefix) -> String? {
        let reason = deviation(from: id, inOne: texts, under: own)
        guard reason != nil, !texts.others.contains(where: { deviation(from: id, inOne: $0, under: own) == nil }) else {
            return nil
        }
        return reason
    }

    /// Names, unique ids, platforms, device classes and topics must be as expected. A foreign device class or topic
    /// could turn the entity into a door or a lock.
    private func deviation(from id: DeviceID, inOne texts: Texts, under own: TopicPrefix) -> String? {
        guard let origin else { return "its origin" }
        // The expected device is as large as the payload, so that a hostile payload costs no more than its parsing.
        let regions = members.count { $0.key.hasPrefix("region:") }
        guard members.count <= Self.mostComponents, regions * Self.leastOfRegion <= members.count,
            let model = Announcement(expected(id, under: own).payload(by: origin, version: "", in: texts))
        else { return "its components" }
        guard whole.members.allSatisfy({ ["dev", "o", "cmps", "qos"].contains($0.key) }), whole["qos"] == .integer(1),
            whole["o"]?.object?.members.allSatisfy({ ["name", "sw"].contains($0.key) && $0.value.string != nil })
                == true
        else { return "its head" }
        guard let device = whole["dev"]?.object, let expected = model.whole["dev"]?.object,
            device["identifiers"] == expected["identifiers"],
            device.members.allSatisfy({ isExpected($0, of: id, as: expected[$0.key]) })
        else { return "its device" }
        guard whole["cmps"]?.object != nil else { return "its components" }
        for member in members where !isExpected(member, as: model.fields[member.key]) {
            return "component \(readable(member.key))"
        }
        return nil
    }

    /// Whether this project would write this payload for device `id` under another prefix: another site's, or from before the prefix changed.
    func isUnderAnotherPrefix(_ id: DeviceID, in texts: Texts, than own: TopicPrefix) -> Bool {
        let (key, levels) =
            switch id {
            case .aggregator: ("connectivity", 2)
            case .gateway: ("connectivity", 3)
            case .item, .person: ("room", 3)
            case .room: ("people", 3)
            }
        // `deviation` compares the whole topics.
        guard let name = fields[key]?["state_topic"]?.string,
            case let rest = name.split(separator: "/", omittingEmptySubsequences: false).dropLast(levels),
            let prefix = TopicPrefix(rest.joined(separator: "/")), prefix != own
        else { return false }
        return deviation(from: id, in: texts, under: prefix) == nil
    }

    private func isExpected(_ member: JSONObject.Member, of id: DeviceID, as expected: JSONValue?) -> Bool {
        switch (member.key, id) {
        case ("sw_version", _), ("suggested_area", _), ("serial_number", _): member.value.string != nil
        // A gateway, which may write its own device, could lead people anywhere.
        case ("configuration_url", .gateway): false
        case ("configuration_url", _): member.value.string != nil
        case ("name", .gateway(let gateway)):
            member.value == expected || member.value == .string(Device.formerName(of: gateway))
        default: member.value == expected
        }
    }

    private func isExpected(_ component: JSONObject.Member, as expected: JSONObject?) -> Bool {
        guard let fields = component.value.object else { return false }
        // A component with only a platform removes that component.
        if fields.members.count == 1, fields["p"]?.string != nil { return true }
        guard let expected, fields["p"] == expected["p"] else { return false }
        return fields.members.allSatisfy { field in
            if Self.presentation.contains(field.key) { return true }
            guard let value = expected[field.key] else { return false }
            let mark =
                field.key == "unique_id"
                ? Entity.leavingMark : Self.entityIDs.contains(field.key) ? Entity.leavingSlug : nil
            if let mark, let text = value.string, field.value.string == text + mark { return true }
            return field.value == value
        }
    }

    /// The device that this project would announce with this payload's regions, gateways and names.
    func expected(_ id: DeviceID, under own: TopicPrefix) -> Device {
        let device = whole["dev"]?.object
        switch id {
        case .aggregator: return .aggregator(version: "", under: own)
        case .gateway(let gateway):
            // The aggregator announces no regions of a gateway.
            let regions = origin == .gateway ? regions(at: gateway, under: own) : []
            let known = KnownGateway(id: gateway, room: device?["suggested_area"]?.string)
            // A device that is shown before it is cleared names no parent, and is the aggregator's all the same.
            let hasParent = origin == .aggregator || device?["via_device"] != nil
            return Device(gateway: known, regions: regions, hasParent: hasParent, under: own)
        case .person(let id): return Device(person: Person(id: id, name: device?["name"]?.string ?? ""), under: own)
        case .room(let id): return Device(room: device?["name"]?.string ?? "", id: id, under: own)
        case .item(let item):
            let gateways = sources
            let keys = gateways.lazy.map(Device.distanceKey(of:))
            let beacon = keys.compactMap { self.beacon(of: $0, under: own) }.first
            let available = fields["presence"]?["availability"]?.array?.first?.object?["topic"]?.string
                .flatMap { Topic(named: $0, under: own) }
            // Of an aggregator with a name.
            let isNamed = if case .namedAvailability? = available { true } else { false }
            return Device(
                item: RegistryItem(
                    id: item, name: device?["name"]?.string ?? "", beacon: beacon ?? Self.noBeacon,
                    ownership: members.contains { $0.key.contains("forgotten") } ? Ownership() : nil),
                receivedBy: gateways,
                battery: Device.Battery.allCases.first { battery in members.contains { $0.key == battery.rawValue } },
                under: own, availability: isNamed ? available! : .aggregatorAvailability)
        }
    }

    private static let noBeacon = BeaconIdentity(
        uuid: BeaconUUID("00000000-0000-0000-0000-000000000000")!, major: 0, minor: 0)

    private func regions(at gateway: String, under own: TopicPrefix) -> [Region] {
        members.compactMap { member in
            guard let id = suffix(of: member.key, behind: "region:") else { return nil }
            let scope = beacon(of: "region_distance:\(id)", under: own).map { Region.Scope.beacon($0) }
            return Region(
                id: id, identifier: member.value.object?["name"]?.string ?? "",
                scope: scope ?? .uuid(Self.noBeacon.uuid))
        }
    }

    private func suffix(of key: String, behind prefix: String) -> String? {
        guard key.hasPrefix(prefix) else { return nil }
        let id = String(key.dropFirst(prefix.count))
        return isValidID(id) ? id : nil
    }

    private func beacon(of key: String, under own: TopicPrefix) -> BeaconIdentity? {
        guard let name = fields[key]?["state_topic"]?.string,
            case .proximity(let beacon, _)? = Topic(named: name, under: own)
        else { return nil }
        return beacon
    }

    /// A foreign word in quotes, with unprintable characters replaced.
    private func readable(_ word: String) -> String {
        let shown = word.unicodeScalars.prefix(40).map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" }
        return "\"\(String(shown))\""
    }
}
