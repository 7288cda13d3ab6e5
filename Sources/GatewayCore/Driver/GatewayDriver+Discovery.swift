import Delivery

/// Clears Home Assistant discovery that was switched off or moved to another topic.
///
/// Each topic is cleared once, because Home Assistant warns of a second time. The topic is stored on disk, because the broker's rules let a
/// gateway write that topic but not read it.
extension GatewayDriver {
    /// Clears the discovery of a former process if this process does not publish it, and stores the present topic.
    mutating func clearFormerDiscovery() {
        guard publishedDiscovery != pipeline.discoveryTopic ?? "" else { return }
        guard !publishedDiscovery.isEmpty else { return files.add(.discovery) }
        messenger.add(OutgoingMessage(topic: publishedDiscovery, payload: [], qos: .atLeastOnce, retain: true))
    }

    mutating func wroteDiscovery(problem: String?) {
        guard let problem else { return publishedDiscovery = pipeline.discoveryTopic ?? "" }
        log(.warning, "\(problem): discovery that is switched off later has to be cleared by hand")
    }
}
