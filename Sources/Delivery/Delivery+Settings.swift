import Messages
import Settings

// How the configuration's values become those of the messages.

extension BrokerSettings {
    /// The prefix of every topic; it was checked when it was read.
    package var topicPrefix: TopicPrefix { TopicPrefix(prefix) ?? .standard }
}

extension HomeAssistantSettings {
    /// The prefix of each of Home Assistant's topics; it was checked when it was read.
    package var topicPrefix: TopicPrefix { TopicPrefix(prefix) ?? .standard }
}
