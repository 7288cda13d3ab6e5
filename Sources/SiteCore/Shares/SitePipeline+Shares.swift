import Beacons
import Messages

/// An aggregator that locates a part of the site's items.
///
/// The aggregator without a name writes the registry, responds to the commands and announces the gateways. Those with a name follow the
/// registry, and each publishes what concerns its own items.
extension SitePipeline {
    /// Receives a message that concerns the division of the site; returns whether nothing else is to be done with it.
    mutating func receive(divided topic: Topic, _ payload: [UInt8], isRetained: Bool) throws(PayloadRefusal) -> Bool {
        switch topic {
        case .aggregatorShares: try receive(shares: payload, of: "")
        case .namedShares(let name): try receive(shares: payload, of: name)
        case .namedAvailability(let name): receive(availability: payload, ofAggregator: name, isRetained: isRetained)
        case .aggregatorAvailability where isNamed:
            receive(availability: payload, ofAggregator: "", isRetained: isRetained)
        case .registryManifest, .registryPart, .registryItem, .registryRegion:
            guard isNamed else { return false }
            if try followed.receive(topic, payload, at: effects.now.instant) { followRegistry() }
        case .gatewayInfo(let gateway) where isNamed && payload.isEmpty:
            // The aggregator without a name has removed the gateway.
            guard gateways[gateway]?.isAlive(at: effects.now.instant) == false else { return true }
            forget(gateway: gateway, clearing: false)
        case .itemLocation(let id), .itemNotification(let id), .itemEvent(let id):
            return !division.publishes(item: id, of: registry)
        case .aggregatorRequest(let what):
            return !isRetained && !division.responds(to: what, payload, registry, &effects)
        default: return false
        }
        return true
    }

    private mutating func receive(shares payload: [UInt8], of name: String) throws(PayloadRefusal) {
        if try items.division.receive(shares: payload, of: name, &effects) { divisionChanged() }
    }

    private mutating func receive(availability payload: [UInt8], ofAggregator name: String, isRetained: Bool) {
        items.division.receive(
            availability: payload, of: name, isRetained: isRetained, at: effects.now.instant)
    }

    /// Follows another division of the site: items of others are theirs without an event, and new ones begin as unknown.
    private mutating func divisionChanged() {
        let former = Set(items.keys)
        items.match(registry, at: effects.now.instant)
        for (id, item) in registry.items {
            if !division.isOwn(item.beacon) {
                announcements.disown(item: id)
            } else if !former.contains(id) {
                announcements.changed(item: id)
            }
        }
        items.lookAtAll(at: effects.now.instant)
        effects.unwritten.isEverything = true
        effects.add(.storeSite)
        effects.infoChanged()
    }

    /// Lets time pass for the division of the site.
    mutating func advanceDivision() {
        if items.division.advance(&effects) { divisionChanged() }
        if items.division.repeatsLocations(at: effects.now.instant) { publishStates() }
        if isNamed { advanceFollowed(by: division.name) }
    }
}
