import Messages

/// Home Assistant's own topics, as far as they concern us. This file alone knows how they are written.
public enum HomeAssistantTopic: Hashable, Sendable {
    /// Where Home Assistant says `online` some seconds after it connected, and `offline`; not retained.
    case status
    /// What a device is made of: retained, and empty to take the device away.
    case device(DeviceID)

    /// The prefix unless configured otherwise.
    public static let standardPrefix = "homeassistant"

    /// The topic as MQTT has it.
    public func name(under prefix: TopicPrefix) -> String {
        switch self {
        case .status: "\(prefix)/status"
        case .device(let id): "\(prefix)/device/\(id.text)/config"
        }
    }

    /// Reads a topic as MQTT has it; `nil` for what is none of these.
    public init?(named name: String, under prefix: TopicPrefix) {
        guard name.hasPrefix(prefix.text + "/") else { return nil }
        let levels = name.dropFirst(prefix.text.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        switch (levels.count, levels.first, levels.last) {
        case (1, "status", _): self = .status
        case (3, "device", "config"):
            guard let id = DeviceID(String(levels[1])) else { return nil }
            self = .device(id)
        default: return nil
        }
    }

    /// The filter that matches every device's topic.
    public static func anyDevice(under prefix: TopicPrefix) -> String { "\(prefix)/device/+/config" }
}
