import Beacons

/// A device as Home Assistant knows it. Its text stands in the discovery topic and begins every unique id, so it never changes.
public enum DeviceID: Hashable, Sendable {
    /// The aggregator, the parent of all others.
    case aggregator
    /// A gateway, under the one name that the broker's rules let it write itself.
    case gateway(String)
    /// An item.
    case item(String)

    /// Home Assistant takes letters, digits, `_` and `-` in a topic. A dot, which ids may have, is written as `DOT`: no id has capitals.
    public var text: String {
        switch self {
        case .aggregator: "forgetmenot_aggregator"
        case .gateway(let id): "forgetmenot-" + Self.escaped(id)
        case .item(let id): "forgetmenot_item_" + Self.escaped(id)
        }
    }

    /// Reads what `text` writes; `nil` for anything else: a device of somebody else's.
    public init?(_ text: String) {
        let device: DeviceID
        if text == Self.aggregator.text {
            device = .aggregator
        } else if let id = Self.rest(of: text, after: "forgetmenot_item_") {
            device = .item(id)
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
