import Messages
import Settings

extension HomeAssistantSettings {
    /// What stands before each of Home Assistant's topics; it was checked when it was read.
    public var topicPrefix: TopicPrefix { TopicPrefix(prefix) ?? .standard }
}
