import Delivery
import Messages
import Ranging

// How the configuration's values become the modules' own.

extension GatewayConfiguration {
    /// The prefix of each topic.
    package var prefix: TopicPrefix { broker.topicPrefix }
}

extension MonitoringSettings {
    var monitor: Monitor.Settings {
        Monitor.Settings(exitAfter: exitAfter, enterRSSI: enterRSSI, enterSightings: enterSightings)
    }
}

extension RangingSettings {
    package var ranger: Ranger.Settings { Ranger.Settings(filter: filter, pathLoss: pathLoss, rssiOffset: rssiOffset) }
}
