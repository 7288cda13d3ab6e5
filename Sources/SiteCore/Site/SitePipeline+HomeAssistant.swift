import Beacons
import HomeAssistant
import Messages

/// Discovery for Home Assistant, and its birth message.
extension SitePipeline {
    /// Whether events may be published. They wait while Home Assistant sets up the devices that they belong to.
    var eventsMayGo: Bool { isActive && effects.now.instant >= announcements.eventsWaitUntil }

    /// Receives a message on one of Home Assistant's topics; returns whether it was one.
    mutating func receive(homeAssistant name: String, _ payload: [UInt8], isRetained: Bool) -> Bool {
        guard let topic = HomeAssistantTopic(named: name, under: announcements.prefix) else { return false }
        switch topic {
        case .status:
            announcements.receive(
                status: payload, isRetained: isRetained, settled: items.settlesAt, at: effects.now.instant)
        case .device(let id):
            guard announces(id) else { break }
            announcements.receive(payload, of: id, isPresent: isPresent(id), &effects)
        }
        return true
    }

    /// Whether this aggregator announces a device, or clears it.
    private func announces(_ id: DeviceID) -> Bool {
        if case .item(let item) = id { division.publishes(item: item, of: registry) } else { !isNamed }
    }

    /// Whether the site has what a device is of.
    private func isPresent(_ id: DeviceID) -> Bool {
        switch id {
        case .aggregator: true
        case .gateway(let gateway): gateways[gateway] != nil
        case .item(let item): registry.items[item] != nil
        }
    }

    /// Announces what has changed. After a start of Home Assistant, all states follow.
    mutating func announceIfDue() {
        guard announcements.isDue(at: effects.now.instant) else { return }
        let gateways = gateways
        let items =
            division.site.byName.isEmpty ? registry.items : registry.items.filter { division.isOwn($0.value.beacon) }
        let site = Announcements.Site(items: items, gateways: gateways.byID) { gateways.room(of: $0) }
        for message in announcements.announce(site, at: effects.now.instant) { effects.add(.publishElsewhere(message)) }
        guard announcements.endBirth() else { return }
        publishOnline()
        publishStates()
    }
}
