import Delivery

/// Discovery that is switched off, or published elsewhere now, is taken back: once, since Home Assistant warns of a second time. For that,
/// its topic stands on disk: the broker's rules let a gateway write that topic, and not read it.
extension GatewayDriver {
    /// Takes back what a former process published and this one does not, and remembers what this one publishes.
    mutating func takeBackDiscovery() {
        guard publishedDiscovery != pipeline.discoveryTopic ?? "" else { return }
        guard !publishedDiscovery.isEmpty else { return files.add(.discovery) }
        messenger.add(OutgoingMessage(topic: publishedDiscovery, payload: [], qos: .atLeastOnce, retain: true))
    }

    mutating func wroteDiscovery(problem: String?) {
        guard let problem else { return publishedDiscovery = pipeline.discoveryTopic ?? "" }
        log(.warning, "\(problem): discovery that is switched off later has to be cleared by hand")
    }
}
