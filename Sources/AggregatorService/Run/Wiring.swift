import Broker
import Messages
import Mosquitto

extension AggregatorConfiguration {
    /// What stands before each topic.
    var prefix: TopicPrefix { broker.topicPrefix }

    /// The connection's options: a session that outlives an absence of a day, and a will that says `offline`.
    var brokerOptions: BrokerOptions {
        var options = BrokerOptions(broker)
        options.sessionExpirySeconds = 24 * 3600
        options.serve(availability: .aggregatorAvailability, subscriber: .aggregator, under: prefix)
        return options
    }
}
