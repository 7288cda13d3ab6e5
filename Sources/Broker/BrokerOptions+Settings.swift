import Delivery
import Linux
import Messages
import Mosquitto
import Settings

// How the configuration's words and the wire's messages become the connection's own.

extension BrokerOptions {
    /// The broker and the user of `[mqtt]`.
    package init(_ settings: BrokerSettings) {
        self.init(host: settings.host, port: settings.port, clientID: settings.clientID)
        alternatives = settings.alternatives
        version = settings.version == .five ? .v5 : .v311
        // Clusters support MQTT 3.1.1. NATS stores a queue on several servers for each subscription with QoS 1, and a client that reconnects
        // while the cluster elects leaders waits 4 s for each. Nothing is lost with QoS 0: events have numbers, and the aggregator requests
        // those that are missing.
        subscriptionQoS = version == .v5 ? .atLeastOnce : .atMostOnce
        username = settings.login?.username
        passwordFile = settings.login?.passwordFile.map { credential(standingFor: $0) }
        caFile = settings.tls?.caFile
        verifiesHostname = settings.tls?.verifiesHostname ?? true
        certificateFile = settings.tls?.client?.certificateFile
        keyFile = (settings.tls?.client?.keyFile).map { credential(standingFor: $0) }
    }

    /// What a service needs besides: a will on its availability, and its subscriptions.
    package mutating func serve(availability: Topic, subscriber: Subscriber, under prefix: TopicPrefix) {
        serve(availability: availability, under: prefix)
        subscribe(subscriber, under: prefix)
    }

    /// What a service needs besides its subscriptions: a will on its availability.
    package mutating func serve(availability: Topic, under prefix: TopicPrefix) {
        will = OutgoingMessage(Message(availability, .offline), under: prefix)
        willDelaySeconds = 10
    }

    /// Tests whether the broker still delivers, by requests on a topic of this client's own to which nobody responds.
    package mutating func test(by request: Topic, under prefix: TopicPrefix) {
        // The sessions of clients that are absent do not collect it.
        echo = OutgoingMessage(Message(request, bytes: Request.bytes(), expirySeconds: 60), under: prefix)
    }

    /// Subscribes to what `subscriber` reads.
    package mutating func subscribe(_ subscriber: Subscriber, under prefix: TopicPrefix) {
        subscribe(to: subscriber.subscriptions(under: prefix))
    }

    /// Subscribes to filters, each with its QoS and at most `subscriptionQoS`.
    package mutating func subscribe(to filters: [Subscription]) {
        subscriptions += filters.map {
            Subscription($0.filter, $0.qos == .atLeastOnce ? subscriptionQoS : .atMostOnce)
        }
    }
}

extension BrokerConnection {
    /// Asks for entries of the registry once more, or ends that.
    package func carryOut(_ step: RegistryFetch.Step, under prefix: TopicPrefix) {
        switch step {
        case .subscribe(let topics): recall(topics.map { $0.name(under: prefix) })
        case .unsubscribe(let topics): endRecall(topics.map { $0.name(under: prefix) })
        }
    }
}
