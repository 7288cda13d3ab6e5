import Beacons
import HomeAssistant
import Messages

/// What Home Assistant is told, and what it says.
extension SitePipeline {
    /// Whether events may be published: not while Home Assistant still takes in what they belong to.
    var eventsMayGo: Bool { effects.now.instant >= announcements.eventsWaitUntil }

    /// Takes a message of Home Assistant's own topics; whether it was one.
    mutating func take(homeAssistant name: String, _ payload: [UInt8], isRetained: Bool) -> Bool {
        guard let topic = HomeAssistantTopic(named: name, under: announcements.prefix) else { return false }
        switch topic {
        case .status:
            // Of before our connect it says nothing new; a stop of Home Assistant's concerns nobody.
            guard announcements.isOn, !isRetained, payload.elementsEqual("online".utf8) else { return true }
            announcements.birth(at: effects.now.instant, settled: items.settlesAt)
        case .device(let id):
            takeAnnouncement(payload, of: id)
        }
        return true
    }

    /// Takes what stands on the topic of a device of ours, and reports at once what is foreign.
    private mutating func takeAnnouncement(_ payload: [UInt8], of id: DeviceID) {
        guard let problems = announcements.take(payload, of: id, isWanted: isAnnounced(id), at: effects.now.instant)
        else {
            return
        }
        for problem in problems { effects.add(.note(problem)) }
        effects.infoChanged()
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

    /// Announces what has changed. After Home Assistant has started, all states follow the announcement.
    mutating func announceIfDue() {
        guard announcements.isDue(at: effects.now.instant) else { return }
        let gateways = gateways
        let site = Announcements.Site(items: registry.items, gateways: gateways.byID) { gateways.room(of: $0) }
        for message in announcements.announce(site, at: effects.now.instant) { effects.add(.publishElsewhere(message)) }
        guard announcements.takeBirth() else { return }
        effects.publish(Message(.aggregatorAvailability, .online))
        publishStates()
    }
}
