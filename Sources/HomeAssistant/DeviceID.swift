import Beacons

/// The id of a device in Home Assistant. Its text is part of the discovery topic and of every unique id, so it never
/// changes.
package enum DeviceID: Hashable, Sendable {
    /// The aggregator, the parent of all others.
    case aggregator
    /// A gateway, with the only id that the broker's access control lets the gateway write itself.
    case gateway(String)
    case item(String)
    case person(String)
    /// A room, by the id made from its name.
    case room(String)

    /// The text of the id. Home Assistant permits letters, digits, `_` and `-` in a topic, so a dot becomes `DOT`; ids
    /// have no capitals.
    package var text: String {
        switch self {
        case .aggregator: "forgetmenot_aggregator"
        case .gateway(let id): "forgetmenot-" + Self.escaped(id)
        case .item(let id): "forgetmenot_item_" + Self.escaped(id)
        case .person(let id): "forgetmenot_person_" + Self.escaped(id)
        case .room(let id): "forgetmenot_room_" + Self.escaped(id)
        }
    }

    /// How far the device is from the parent of all: a device is cleared before those of a lower generation.
    var generation: Int {
        switch self {
        case .aggregator: 0
        case .gateway: 1
        case .item, .person, .room: 2
        }
    }

    /// Reads a text of `text`; `nil` for other devices.
    package init?(_ text: String) {
        let device: DeviceID
        if text == Self.aggregator.text {
            device = .aggregator
        } else if let id = Self.rest(of: text, after: "forgetmenot_item_") {
            device = .item(id)
        } else if let id = Self.rest(of: text, after: "forgetmenot_person_") {
            device = .person(id)
        } else if let id = Self.rest(of: text, after: "forgetmenot_room_") {
            device = .room(id)
        } else if let id = Self.rest(of: text, after: "forgetmenot-") {
            device = .gateway(id)
        } else {
            return nil
        }
        guard device.text == text else { return nil }
        self = device
    }

    private static func rest(of text: String, after prefix: String) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        let id = text.dropFirst(prefix.count).split(separator: "DOT", omittingEmptySubsequences: false)
            .joined(separator: ".")
        return isValidID(id) ? id : nil
    }

    private static func escaped(_ id: String) -> String {
        id.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "DOT")
    }
}
