import CMosquitto

extension BrokerOptions {
    /// All mistakes in the options and their files that retries cannot correct. `check` reports them, and they prevent
    /// a start.
    ///
    /// A file that exists but is not readable yet is no mistake: the connection reports that and retries.
    package func mistakes() -> [BrokerMistake] {
        nameMistakes() + combinationMistakes() + topicMistakes()
            + fileProblems().filter { !$0.mayHeal }.map { BrokerMistake($0.setting, $0.reason) }
    }

    private func nameMistakes() -> [BrokerMistake] {
        var mistakes: [BrokerMistake] = []
        if attempts.contains(where: { $0.host.isEmpty || $0.host.utf8.contains(where: { $0 <= 0x20 }) }) {
            mistakes.append(BrokerMistake(.host, "write the broker's name or address"))
        }
        if attempts.count > Self.mostHosts {
            mistakes.append(BrokerMistake(.host, "write at most \(Self.mostHosts) names or addresses"))
        }
        if !(1...65535).contains(port) {
            mistakes.append(
                BrokerMistake(.port, "\(port) is not a port: write 1 to 65535, 1883 by custom, 8883 with TLS"))
        }
        if !Self.isSendable(clientID) {
            mistakes.append(BrokerMistake(.clientID, "write the client id for the broker"))
        }
        if let username, !Self.isSendable(username) {
            mistakes.append(BrokerMistake(.username, "write a name, or leave it out"))
        }
        if !(5...65535).contains(keepAliveSeconds) {
            mistakes.append(BrokerMistake(.keepAlive, "write 5 to 65535 seconds"))
        }
        return mistakes
    }

    /// The settings that must be complete: half of them must never mean less protection.
    private func combinationMistakes() -> [BrokerMistake] {
        var mistakes: [BrokerMistake] = []
        if passwordFile != nil && username == nil {
            mistakes.append(BrokerMistake(.passwordFile, "a password needs a username"))
        }
        if certificateFile != nil && keyFile == nil {
            mistakes.append(BrokerMistake(.certificateFile, "a certificate needs its key_file"))
        }
        if keyFile != nil && certificateFile == nil {
            mistakes.append(BrokerMistake(.keyFile, "a key needs its certificate_file"))
        }
        if caFile == nil, certificateFile != nil || keyFile != nil {
            mistakes.append(
                BrokerMistake(.caFile, "without it there is no TLS, and certificate_file and key_file do nothing"))
        }
        return mistakes
    }

    private func topicMistakes() -> [BrokerMistake] {
        var mistakes: [BrokerMistake] = []
        if let will, !will.isTopicValid {
            mistakes.append(BrokerMistake(.will, "\(will.topic) is not a topic to publish to"))
        }
        for subscription in subscriptions where !subscription.isValid {
            mistakes.append(BrokerMistake(.subscriptions, "\(subscription.filter) is not a topic filter"))
        }
        return mistakes
    }

    private static func isSendable(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 65535 && !text.utf8.contains(0)
    }
}

extension Publication {
    /// Whether MQTT permits publishing to the topic. A zero byte would also end the topic early in C.
    var isTopicValid: Bool {
        !topic.isEmpty && !topic.utf8.contains(0)
            && mosquitto_pub_topic_check2(topic, topic.utf8.count) == MOSQ_ERR_SUCCESS.rawValue
    }
}

extension Subscription {
    /// Whether MQTT permits subscribing to the filter.
    var isValid: Bool {
        !filter.isEmpty && !filter.utf8.contains(0)
            && mosquitto_sub_topic_check2(filter, filter.utf8.count) == MOSQ_ERR_SUCCESS.rawValue
    }
}
