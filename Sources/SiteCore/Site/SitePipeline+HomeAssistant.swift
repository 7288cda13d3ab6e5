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
            // A retained birth is old, and a stop of Home Assistant changes nothing here.
            guard announcements.isOn, !isRetained, payload.elementsEqual("online".utf8) else { return true }
            announcements.birth(at: effects.now.instant, settled: items.settlesAt)
        case .device(let id):
            receiveAnnouncement(payload, of: id)
        }
        return true
    }

    /// Receives a discovery message of one of our devices, and reports at once if another program wrote it.
    private mutating func receiveAnnouncement(_ payload: [UInt8], of id: DeviceID) {
        guard announces(id) else { return }
        guard let problems = announcements.take(payload, of: id, isRequested: isAnnounced(id), at: effects.now.instant)
        else {
            return
        }
        for problem in problems { effects.add(.note(problem)) }
        effects.infoChanged()
    }

    /// Whether this aggregator announces a device, or clears it.
    private func announces(_ id: DeviceID) -> Bool {
        if case .item(let item) = id { division.publishes(item: item, of: registry) } else { !isNamed }
    }

    /// Whether a device is one of those that are announced now.
    private func isAnnounced(_ id: DeviceID) -> Bool {
        guard announcements.isOn else { return false }
        switch id {
        case .aggregator: return true
        case .gateway(let gateway): return gateways[gateway] != nil
        case .item(let item): return registry.items[item] != nil
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
        guard announcements.takeBirth() else { return }
        publishOnline()
        publishStates()
    }
}
