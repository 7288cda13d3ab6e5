import Messages

/// The topics of Home Assistant that this project uses. Only this file knows their form.
package enum HomeAssistantTopic: Hashable, Sendable {
    /// Home Assistant's status: `online` some seconds after it connected, and `offline`; not retained.
    case status
    /// The discovery topic of a device; retained. An empty payload removes the device.
    case device(DeviceID)

    /// The topic as MQTT text.
    package func name(under prefix: TopicPrefix) -> String {
        switch self {
        case .status: "\(prefix)/status"
        case .device(let id): "\(prefix)/device/\(id.text)/config"
        }
    }

    /// Reads a topic from MQTT text; `nil` for other topics.
    package init?(named name: String, under prefix: TopicPrefix) {
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
    package static func anyDevice(under prefix: TopicPrefix) -> String { "\(prefix)/device/+/config" }
}
