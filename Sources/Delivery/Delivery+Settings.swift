import Beacons
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

extension NotifySettings {
    /// The settings as the registry has them: whole seconds, and `nil` instead of zero.
    package var wire: Notify {
        func seconds(_ interval: Interval) -> Int { Int(interval.seconds.rounded()) }
        return Notify(
            left: left, returned: returned, afterSeconds: seconds(after),
            repeatSeconds: again > .zero ? max(1, seconds(again)) : nil,
            untilSeconds: until > .zero ? max(1, seconds(until)) : nil, from: hours?.from,
            to: hours?.to,
            leftText: leftText, returnedText: returnedText)
    }
}
